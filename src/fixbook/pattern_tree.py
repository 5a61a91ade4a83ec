"""The parse tree of a pattern: which characters can stand where. Shared by all who reason about a pattern without running it.

Sets of characters are masks of 129 bits: one for each ASCII character and one, `OTHER`, for all the rest together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

from .expressions import expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ASCII", "OTHER", "SPACE", "PatternError", "captures", "chars", "first", "heads", "is_common", "listed", "parse", "scan_source"]

ASCII = (1 << 128) - 1
OTHER = 1 << 128
_ALL = ASCII | OTHER
_NEWLINE = 1 << 10
_HEADS = 16  # of one pattern, at most
_LETTERS = {"i": re.I, "m": re.M, "s": re.S}


class PatternError(ValueError):
    """A pattern that `re` does not take; the message says why."""


@cache
def parse(pattern: str, flags: str = "") -> Any:
    """The tree of `re._parser`, with ASCII meaning. Raises PatternError, also where `re` only warns."""
    import warnings  # a warm paste parses nothing

    bits = re.ASCII
    for letter in flags:
        bits |= _LETTERS.get(letter, re.ASCII)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return _parser.parse(pattern, bits)
    except (re.error, Warning, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from None


def _mask(low: int, high: int) -> int:
    inside = ((1 << (min(high, 127) + 1)) - (1 << low)) if low < 128 else 0
    return inside | (OTHER if high > 127 else 0)


def _named(characters: str) -> int:
    return sum(1 << ord(character) for character in characters)


_DIGIT = _mask(48, 57)
_WORD = _DIGIT | _mask(65, 90) | _mask(97, 122) | 1 << 95
SPACE = _named(" \t\n\r\f\v")
_CATEGORIES = {
    op.CATEGORY_DIGIT: _DIGIT,
    op.CATEGORY_NOT_DIGIT: _ALL & ~_DIGIT,
    op.CATEGORY_WORD: _WORD,
    op.CATEGORY_NOT_WORD: _ALL & ~_WORD,
    op.CATEGORY_SPACE: SPACE,
    op.CATEGORY_NOT_SPACE: _ALL & ~SPACE,
}


def chars(node: tuple[Any, Any], flags: str = "") -> int | None:
    """The characters that a node of one character can be; None for any other node."""
    code, value = node
    if code is op.LITERAL:
        return _folded(_mask(value, value), flags)
    if code is op.NOT_LITERAL:
        # OTHER stays in: only one of the many characters it stands for is excluded.
        return _ALL & ~(_folded(_mask(value, value), flags) & ASCII)
    if code is op.ANY:
        return _ALL if "s" in flags else _ALL & ~_NEWLINE
    return _class(value, flags) if code is op.IN else None


def _class(items: Sequence[tuple[Any, Any]], flags: str) -> int:
    mask = 0
    for code, value in items:
        if code is op.LITERAL:
            mask |= _mask(value, value)
        elif code is op.RANGE:
            mask |= _mask(*value)
        elif code is op.CATEGORY:
            mask |= _CATEGORIES[value]
    mask = _folded(mask, flags)
    return _ALL & ~(mask & ASCII) if items and items[0][0] is op.NEGATE else mask


def _folded(mask: int, flags: str) -> int:
    if "i" not in flags:
        return mask
    upper, lower = _mask(65, 90), _mask(97, 122)
    return mask | (mask & upper) << 32 | (mask & lower) >> 32


def first(nodes: Sequence[tuple[Any, Any]], after: int, flags: str = "") -> int:
    """The characters with which a match of `nodes` can begin; `after` is what can follow where they match nothing."""
    if len(nodes) == 0:
        return after
    code, value = nodes[0]
    one = chars(nodes[0], flags)
    if one is not None:
        return one
    rest = first(nodes[1:], after, flags)
    if code is op.BRANCH:
        return _union(first(list(branch), rest, flags) for branch in value[1])
    if code is op.SUBPATTERN:
        return first(list(value[3]), rest, flags)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        body = first(list(value[2]), rest, flags)
        return body | rest if value[0] == 0 else body
    if code is op.ASSERT and value[0] > 0:
        return first(list(value[1]), rest, flags)
    return rest


def heads(nodes: Sequence[tuple[Any, Any]], flags: str = "") -> tuple[str, ...]:
    """Texts with one of which every match of `nodes` begins, folded as the flags say; none where one is empty or they are many."""
    found, _ = _heads(nodes)
    return tuple(dict.fromkeys(each.lower() if "i" in flags else each for each in found)) if all(found) else ()


def _heads(nodes: Sequence[tuple[Any, Any]]) -> tuple[list[str], bool]:
    """Also whether they go on to the end of the nodes, so that what follows can be put behind each."""
    found = [""]
    for code, value in nodes:
        if code is op.AT or (code in (op.ASSERT, op.ASSERT_NOT) and found == [""]):
            continue
        parts, whole = _head(code, value)
        if not all(parts) or len(found) * len(parts) > _HEADS:
            return found, False
        found = [head + part for head in found for part in parts]
        if not whole:
            return found, False
    return found, True


def _head(code: Any, value: Any) -> tuple[list[str], bool]:
    if code is op.LITERAL:
        return [chr(value)], True
    if code is op.IN and all(kind is op.LITERAL for kind, _ in value):
        return [chr(letter) for _, letter in value], True
    if code is op.SUBPATTERN:
        return _heads(list(value[3]))
    if code is op.BRANCH:
        branches = [_heads(list(branch)) for branch in value[1]]
        return [head for heads_of, _ in branches for head in heads_of], all(whole for _, whole in branches)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT) and value[0] > 0:
        return _heads(list(value[2]))[0], False
    return [""], False


def _union(masks: Iterator[int]) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


@cache
def captures(pattern: str, flags: str = "") -> dict[str, bool]:
    """The named groups of a pattern, and whether every match fills the group."""
    tree = parse(pattern, flags)
    names = {number: name for name, number in tree.state.groupdict.items()}
    return dict(_captures(tree, names, always=True))


# No escape, group or brace but those that both read alike; no class that could be a set of classes or hold a named one.
_COMMON = expression(
    r"(?:[^\\(\[{]|\\(?:[bdDnrsStwW]|[!-/:-@\[-`{-~])|\((?!\?)|\(\?(?:[:=!]|<[=!]|P<[a-z][a-z0-9_]*>)"
    r"|\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)\}|\[\^?(?:[^\\\[\]&|~-]|-(?!-)|\\(?:[dDnrsStwW]|[!-/:-@\[-`{-~]))+\])+"
)


@cache
def is_common(pattern: str) -> bool:
    """Whether a pattern is written in what `re` and `regex` read alike: what compiles in one compiles in the other."""
    return _COMMON.fullmatch(pattern) is not None


def listed(nodes: Any) -> list[tuple[Any, Any]]:
    """The nodes of a tree or of a part of it; `re` keeps them in a class of its own, over which a loop is ten times as slow."""
    found: list[tuple[Any, Any]] = nodes.data if isinstance(nodes, _parser.SubPattern) else nodes
    return found


def _captures(nodes: Any, names: dict[int, str], always: bool) -> Iterator[tuple[str, bool]]:
    for code, value in listed(nodes):
        if code is op.SUBPATTERN:
            if value[0] in names:
                yield names[value[0]], always
            yield from _captures(value[3], names, always)
        elif code is op.BRANCH:
            for branch in value[1]:
                yield from _captures(branch, names, always=False)
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT):
            yield from _captures(value[2], names, always and value[0] > 0)


def scan_source(pattern: str) -> Iterator[tuple[int, str, bool]]:
    """Each unescaped character of a pattern's source: its offset, itself, and whether it stands in a class `[…]`."""
    at, opened = 0, -1
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
            continue
        yield at, character, opened >= 0
        if opened < 0 and character == "[":
            opened = at
        elif opened >= 0 and character == "]" and pattern[opened + 1 : at] not in ("", "^"):
            opened = -1
        at += 1
