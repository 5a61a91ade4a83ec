"""Where a secret ends that stands behind its name: at the closing quote, in a list each of its elements.

A row of `redact_rows` finds the name and its sign; a reader here takes that match and gives the spans of what is masked.
"""

import re
from collections.abc import Callable, Iterator

from .expressions import expression

__all__ = ["Judge", "Spans", "after_flag", "after_name", "one"]

Match = re.Match[str]
Spans = Iterator[tuple[int, int]]
Judge = Callable[[str], bool]  # whether a value is a secret

_OPENING = expression(r"[burfBURF]{0,2}(?P<depth>\\{0,7})(?P<quote>['\"])")
_CHINESE = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_BARE = expression(r"[^\s'\"\\,;()\[\]{}<>&，。；、！？（）【】《》“”‘’「」『』]{3,4000}")
_LINE_END = expression(r"[\r\n]")
_LONGEST = 4000  # characters of a value
_BLANK = expression(r"(?:\s|\\[nrt]){0,200}")
_COMMA = expression(r"(?:\s|\\[nrt]){0,200},(?:\s|\\[nrt]){0,200}")
_ITEM = expression(r"[ \t]{0,40}\r?\n[ \t]{0,80}-[ \t]{1,8}(?!-)")  # of a list in YAML
_ARGUMENT = expression(r"(?:[ \t]{1,8}(?![ \t]))(?!-)|\\{0,7}['\"]?,[ \t]{0,3}(?!\\{0,7}['\"]?-)")
_MOST_ELEMENTS = 1000
_KEY = expression(r"(?:\s|\\[nrt]){0,200}[:=]")
_TIGHT_COMMA = expression(r",(?=[^\s,])")
# An element that is no value: too short, or none.
_EMPTY = expression(r"[burfBURF]{0,2}\\{0,7}(?P<quote>['\"]).{0,2}?\\{0,7}(?P=quote)|[\w.-]{1,2}(?!\w)")
# `"missing password:", "code"`: what stands behind the name's sign there closes a quote.
_BEHIND_A_QUOTE = expression(r"[\s,;:)}\]]")
# What follows a word of a command line: options, or the end of the line.
_MORE_OPTIONS = expression(r"(?:[ \t]{1,8}[^\s-]\S{0,200}){0,9}[ \t]{1,8}--?[A-Za-z]")
_END = expression(r"[ \t]{0,8}(?:\\|[|&;>#]|$)", re.MULTILINE)


def one(text: str, at: int) -> tuple[int, int, int] | None:
    """Start and end of the value at `at`, and where what follows it begins; None where no value stands.

    In quotes it goes up to the quote that closes them, whatever blanks and escaped quotes it holds, on the same line.
    """
    closing = _CHINESE.get(text[at : at + 1])
    if closing:
        end = text.find(closing, at + 1, _line_end(text, at))
        return (at + 1, end, end + 1) if end > at + 3 else None
    opening = _OPENING.match(text, at)
    if opening is None:
        bare = _BARE.match(text, at)
        # A call in a source line is no value: `password=get_password()`.
        return (*bare.span(), bare.end()) if bare and not text.startswith("(", bare.end()) else None
    start, depth = opening.end(), len(opening["depth"])
    end = _closing(text, start, depth, opening["quote"])
    if end < 0:  # cut off, or no opening quote: a word of it
        bare = _BARE.match(text, start)
        return (*bare.span(), bare.end()) if bare else None
    if end - start < 3 or _BEHIND_A_QUOTE.match(text, start):
        return None
    return start, end, end + depth + 1


def _closing(text: str, start: int, depth: int, quote: str) -> int:
    """Where the backslashes of the closing quote begin, or -1.

    A quote inside JSON inside JSON is written with 1, 3, 7 backslashes; twice that and more escape a backslash or quote of the value.
    """
    limit = _line_end(text, start)
    at = text.find(quote, start, limit)
    while at >= 0:
        slashes = at - len(text[start:at].rstrip("\\")) - start
        if slashes >= depth and (slashes - depth) % (2 * (depth + 1)) == 0:
            return at - depth
        at = text.find(quote, at + 1, limit)
    return -1


def _line_end(text: str, at: int) -> int:
    found = _LINE_END.search(text, at, at + _LONGEST)
    return found.start() if found else min(at + _LONGEST, len(text))


def after_name(judge: Judge) -> Callable[[Match], Spans]:
    """A reader of the value behind a name and its sign: `x`, `['x', 'y']`, `{"x", "y"}`, `x,y`, or the items of a list in YAML."""

    def read(match: Match) -> Spans:
        text, at = match.string, match.end()
        sign = match[0]  # may hold a line end; of the text itself no copy is made, which would cost its square
        item = _ITEM.match(text, at - len(sign) + len(sign.rstrip()))
        if item:
            yield from _elements(text, item.end(), _ITEM, judge)
        elif text[at : at + 1] in ("[", "(", "{"):
            blank = _BLANK.match(text, at + 1)
            yield from _elements(text, blank.end() if blank else at + 1, _COMMA, judge)
        else:
            value = one(text, at)
            if value and judge(text[value[0] : value[1]]):
                yield value[:2]
                yield from _further(text, value[2], judge)

    return read


def _elements(text: str, at: int, between: re.Pattern[str], judge: Judge) -> Spans:
    for _ in range(_MOST_ELEMENTS):
        value = one(text, at)
        empty = None if value else _EMPTY.match(text, at)
        after = value[2] if value else empty.end() if empty else -1
        if after < 0 or _KEY.match(text, after):  # a mapping
            return
        if value and judge(text[value[0] : value[1]]):
            yield value[:2]
        step = between.match(text, after)
        if step is None:
            return
        at = step.end()


def _further(text: str, at: int, judge: Judge) -> Spans:
    """`API_KEY=one,two`: without a blank behind the comma, and not the next name with its sign."""
    for _ in range(_MOST_ELEMENTS):
        step = _TIGHT_COMMA.match(text, at)
        value = one(text, step.end()) if step else None
        if value is None or _KEY.match(text, value[2]):
            return
        word = text[value[0] : value[1]]
        if "=" in word.rstrip("=") or not judge(word):
            return
        yield value[:2]
        at = value[2]


def after_flag(judge: Judge, *, many: bool) -> Callable[[Match], Spans]:
    """A reader of the arguments of an option; `many`: it takes more than one, up to the next option."""

    def read(match: Match) -> Spans:
        text, value = match.string, one(match.string, match.end())
        if value is None or not judge(text[value[0] : value[1]]):
            return
        yield value[:2]
        for _ in range(_MOST_ELEMENTS if many else 0):
            step = _ARGUMENT.match(text, value[2])
            value = one(text, step.end()) if step else None
            if value is None or not judge(text[value[0] : value[1]]) or not _is_argument(text, *value):
                return
            yield value[:2]

    return read


def _is_argument(text: str, start: int, end: int, after: int) -> bool:
    """Not the model that is served, nor a word of the sentence that quotes the option."""
    word = text[start:end]
    if "/" in word:
        return len(word) >= 32 and re.fullmatch(r"[A-Za-z0-9+/=]+", word) is not None
    if after > end or any(character.isdigit() for character in word):
        return True
    return _MORE_OPTIONS.match(text, after) is not None or (len(word) >= 8 and _END.match(text, after) is not None)
