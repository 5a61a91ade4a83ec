"""Text for a terminal: how wide it is, where it may break, and how it is painted."""

import re
from collections.abc import Iterator
from functools import lru_cache

from .expressions import expression
from .value import Value

__all__ = ["Painter", "cells", "chop", "wrap"]

_SGR = expression(r"\x1b\[[0-9;]*m")
# What may not begin a line in Chinese typesetting, and what may not end one.
_NOT_FIRST = frozenset("，。；：！？、）】》」』”’…—％,.;:!?)]}%")
_NOT_LAST = frozenset("（【《「『“‘([{")
_TOKEN = expression(r"(?P<sgr>\x1b\[[0-9;]*m)|(?P<space>[ \t\n]+)|(?P<word>[^\s\x1b]+)|(?P<rest>.)", re.DOTALL)

_STYLES = {
    "title": "1",
    "heading": "1;36",
    "good": "1;32",
    "bad": "1;31",
    "warn": "1;33",
    "mark": "1;31",
    "code": "36",
    "strong": "1",
    "em": "3",
    "dim": "2",
    "link": "4",
}


def cells(text: str) -> int:
    """Columns that `text` takes: 2 for a wide character (CJK, emoji), 0 for a combining mark or one of the painter's codes."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    return sum(map(_cell, _SGR.sub("", text)))


def _cell(char: str) -> int:
    return 1 if char < "\u0300" else _cells_of(char)


@lru_cache(4096)
def _cells_of(char: str) -> int:
    import unicodedata  # most English answers do without

    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, first: str = "", rest: str = "") -> str:
    """`text` as a paragraph of lines of at most `width` columns; the first begins with `first`, the others with `rest`.

    Breaks at white space and between Chinese characters, never before closing or after opening punctuation. A word that is wider
    than the line (a path, a flag with its value) stays whole, so that it can be copied.
    """
    lines: list[str] = []
    line, used, empty = first, cells(first), True
    for gap, piece in _pieces(text):
        size = cells(piece)
        if not empty and used + len(gap) + size > width:
            lines.append(line)
            line, used, gap = rest, cells(rest), ""
        line += (gap if not empty else "") + piece
        used += (len(gap) if not empty else 0) + size
        empty = False
    return "\n".join((*lines, line)).rstrip(" ")


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The unbreakable pieces of a paragraph, each with the white space before it (" " or "")."""
    gap, piece = "", ""
    for token in _TOKEN.finditer(text):
        if token["space"]:
            if piece:
                yield gap, piece
            gap, piece = " ", ""
            continue
        for part in (token[0],) if token["sgr"] else _breakable(token[0]):
            if piece and _may_break(piece, part):
                yield gap, piece
                gap, piece = "", ""
            piece += part
    if piece:
        yield gap, piece


def _breakable(word: str) -> Iterator[str]:
    """A word without white space, cut at each wide character."""
    start = 0
    for at, char in enumerate(word):
        if _cell(char) == 2:
            if at > start:
                yield word[start:at]
            yield char
            start = at + 1
    if start < len(word):
        yield word[start:]


def _may_break(before: str, after: str) -> bool:
    plain = _SGR.sub("", before)
    if not plain or _SGR.fullmatch(after):
        return False
    last, first = plain[-1], after[0]
    return (_cell(last) == 2 or _cell(first) == 2) and first not in _NOT_FIRST and last not in _NOT_LAST


def chop(text: str, width: int) -> list[str]:
    """`text` cut into rows of at most `width` columns, nothing left out; for log lines, whose spaces count.

    Cut behind a space where one stands in the last third of the row, so that words stay whole.
    """
    rows: list[str] = []
    start = at = used = 0
    while at < len(text):
        size = _cell(text[at])
        if at > start and used + size > width:
            space = text.rfind(" ", start + (at - start) * 2 // 3, at)
            at = space + 1 if space > start else at
            rows.append(text[start:at])
            start, used = at, 0
            continue
        used += size
        at += 1
    return [*rows, text[start:]]


class Painter(Value):
    """Puts colours on text, or leaves it alone."""

    on: bool = False

    def paint(self, text: str, style: str) -> str:
        """`text` in one of the named styles; a nested style ends with its own text and the outer one goes on."""
        if not self.on or not text:
            return text
        start = f"\x1b[{_STYLES[style]}m"
        return start + text.replace("\x1b[0m", f"\x1b[0m{start}") + "\x1b[0m"
