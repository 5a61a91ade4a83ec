"""Patterns: looked for with bounded work, and held to the subset that means the same in `re`, in `regex` and in a browser."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]

from . import pattern_tree as tree
from .expressions import expression, recall
from .value import Value, replace
from .work import BLANKS, LENGTHS, VERSION, Starts, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import regex

__all__ = ["TIMEOUT", "Search", "captures", "compile_pattern", "problems", "search_for"]

TIMEOUT = 2.0  # seconds for one pattern on one text: the last net
_CHEAP = 100_000_000  # nodes that `re` may try in one text: about what the time-out lets through, where all goes wrong
_GAP = expression(rf"\s{{{BLANKS + 1}}}", re.ASCII)
_LETTERS = {"i": re.I, "m": re.M, "s": re.S}

_WIDE = 100  # a class of so many of the 128 ASCII characters runs over nearly everything
_LOOP = 3  # a repeat of so many rounds multiplies what is ambiguous inside it
_MANY = 16  # alternatives that begin alike are harmless in fewer rounds
_FREEDOM = 8  # a repeat with less room than this cannot make a loop explode
_LARGEST = 10_000  # a bound above this bounds nothing
_QUANTIFIER = expression(r"\{(?:\d+(?:,\d*)?|,\d+)\}")
_INLINE = expression(r"\(\?[a-zA-Z-]+\)")
_NAME = expression(r"[a-z][a-z0-9_]*")

captures = tree.captures


@cache
def compile_pattern(pattern: str, flags: str = "") -> regex.Pattern[str]:
    """`pattern` with ASCII meaning; `flags` are letters of "ims". Raises `regex.error` on a pattern that `problems` would refuse."""
    import regex  # costs more than all else that a quiet start imports

    bits = regex.VERSION0 | regex.ASCII
    for letter in flags:
        bits |= {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}[letter]
    return regex.compile(pattern, bits)


class Search:
    """Looks for a pattern in texts with bounded work: with `re` where little can come of it, else with `regex` and its time-out."""

    def __init__(self, pattern: str, flags: str) -> None:
        self._pattern = pattern
        self._flags = flags
        self._plain = expression(pattern, _bits(flags))
        self._steps, starts = recall(f"steps {VERSION}", pattern, _bits(flags), self._bounds)
        self._starts = Starts(*starts)

    def search(self, text: str, timeout: float = TIMEOUT) -> re.Match[str] | regex.Match[str] | None:
        """The first match. Raises TimeoutError after so many seconds."""
        place = bisect_left(LENGTHS, len(text))
        if place < len(LENGTHS) and self._starts.most(self._steps[place], text) <= _CHEAP and not _GAP.search(text):
            return self._plain.search(text)
        return compile_pattern(self._pattern, self._flags).search(text, timeout=timeout)

    def _bounds(self, pattern: str, flags: int) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        nodes = list(tree.parse(pattern, self._flags))
        return tuple(steps(nodes, self._flags, length) for length in LENGTHS), tuple(Starts.of(nodes, self._flags))


@cache
def search_for(pattern: str, flags: str = "") -> Search:
    """`pattern` with ASCII meaning, ready to be looked for; it and `flags` are those of an entry that loads."""
    return Search(pattern, flags)


def _bits(flags: str) -> int:
    bits = re.ASCII
    for letter in flags:
        bits |= _LETTERS[letter]
    return int(bits)


@cache
def problems(pattern: str, flags: str = "") -> tuple[str, ...]:
    """Why the pattern is not portable or not safe, each reason with its remedy; empty when it is fine."""
    common = tree.is_common(pattern)
    found = [] if common else list(dict.fromkeys(_source_problems(pattern)))
    try:
        parsed = tree.parse(pattern, flags)
    except tree.PatternError as error:
        # What stands in the source tells more than the error that follows from it.
        return tuple(found) or (_not_compiled(error),)
    if not common:
        found += _regex_problems(pattern, flags)
    if parsed.getwidth()[0] == 0:
        found.append("can match the empty string: make a part of it required")
    odd = [name for name in parsed.state.groupdict if not _NAME.fullmatch(name)]
    found += [f"the group name `{name}`: use lower-case letters, digits and `_`" for name in odd]
    found += _Walk(flags).sequence(tree.listed(parsed), _Place())
    return tuple(dict.fromkeys(found))


def _regex_problems(pattern: str, flags: str) -> Iterator[str]:
    import regex

    try:
        compile_pattern(pattern, flags)
    except regex.error as error:
        yield _not_compiled(error)


def _not_compiled(error: Exception) -> str:
    reason = str(error).replace(": ", ", ")
    return f"does not compile ({reason}): correct it"


def _source_problems(pattern: str) -> Iterator[str]:
    """What the tree no longer shows, or what `re` and `regex` read differently."""
    for at, character, in_class in tree.scan_source(pattern):
        if in_class:
            if character == "[":
                yield "`[` inside a class: write `\\[`"
        elif character == "{" and not _QUANTIFIER.match(pattern, at):
            yield "a `{` that is no repeat: write `\\{`"
        elif character == "(" and _INLINE.match(pattern, at):
            yield "inline flags: write them in `flags:`"
        elif character == "(" and pattern.startswith("(?#", at):
            yield "a comment inside the pattern: write it as a YAML comment"


class _Place(Value):
    """What surrounds a sequence of nodes."""

    after: int = 0  # characters that can follow it
    again: int = 0  # characters that can follow it while the loop around it goes on
    rounds: int = 1  # of the repeats around it
    look: bool = False  # in a lookaround


class _Walk:
    """One walk over the tree that yields what is refused."""

    def __init__(self, flags: str) -> None:
        self._flags = flags

    def sequence(self, nodes: Sequence[tuple[Any, Any]], place: _Place) -> Iterator[str]:
        for number, node in enumerate(nodes):
            if node[0] in _FINE:
                continue
            rest = nodes[number + 1 :]
            after = tree.first(rest, place.after, self._flags)
            again = tree.first(rest, place.again, self._flags)
            yield from self._node(node, _Place(after, again, place.rounds, place.look))

    def _node(self, node: tuple[Any, Any], place: _Place) -> Iterator[str]:
        code, value = node
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            yield from self._repeat(value, place)
        elif code is op.SUBPATTERN:
            yield from self._group(value, place)
        elif code is op.BRANCH:
            yield from self._branch([list(branch) for branch in value[1]], place)
        elif code in (op.ASSERT, op.ASSERT_NOT):
            yield from self.sequence(list(value[1]), _Place(after=place.after, look=True))
        elif code is op.AT and value is op.AT_NON_BOUNDARY:
            yield "`\\B` means something else in a browser: name the characters beside it"
        elif code in _REFUSED:
            yield _REFUSED[code]

    def _group(self, value: Any, place: _Place) -> Iterator[str]:
        number, added, removed, body = value
        if added or removed:
            yield "flags for a part of the pattern: write them in `flags:`, or spell the letters out (`[Ee]rror`)"
        if number is not None and place.look:
            yield "a group that captures inside a lookaround: write `(?:…)`"
        if number is not None and place.rounds > 1:
            yield "a group that captures inside a repeat: write `(?:…)`, or put the group around the repeat"
        yield from self.sequence(tree.listed(body), place)

    def _branch(self, branches: list[list[tuple[Any, Any]]], place: _Place) -> Iterator[str]:
        seen = 0
        for branch in branches:
            start = tree.first(branch, place.again, self._flags)
            if place.rounds > _MANY and seen & start:
                yield "alternatives that begin alike inside a long repeat (can take exponential time): put what they share before `(?:…|…)`"
            seen |= start
            yield from self.sequence(branch, place)

    def _repeat(self, value: Any, place: _Place) -> Iterator[str]:
        least, most, body = value
        most = sys.maxsize if most is op.MAXREPEAT else most
        nodes = list(body)
        if body.getwidth()[0] == 0:
            yield "a repeat of something that can be empty: let one of the two be optional, not both"
        if _LARGEST < most < sys.maxsize:
            yield f"a repeat of up to {most}: {_LARGEST} is the most"
        start = tree.first(nodes, 0, self._flags)
        if most == sys.maxsize and self._is_wide(nodes) and start & place.after:
            yield "an unbounded repeat that runs over what follows it (`.*x`, `\\S+x`): bound it, `.{0,200}`"
        if place.rounds >= _LOOP and most - least >= _FREEDOM and start & place.again:
            yield _NESTED
        more = start if most > 1 else 0
        # What follows a loop in no loop is met once only, so it makes no round ambiguous.
        again = more | (place.again if place.rounds > 1 else 0)
        inside = replace(place, after=place.after | more, again=again, rounds=max(place.rounds, most))
        yield from self.sequence(nodes, inside)

    def _is_wide(self, nodes: Sequence[tuple[Any, Any]]) -> bool:
        while len(nodes) == 1 and nodes[0][0] is op.SUBPATTERN:
            nodes = list(nodes[0][1][3])
        mask = tree.chars(nodes[0], self._flags) if len(nodes) == 1 else None
        return mask is not None and (mask & tree.ASCII).bit_count() >= _WIDE


_NESTED = (
    "nested repeats that can share their text in several ways (can take exponential time): bound the inner one, or separate the rounds"
)
_FINE = frozenset((op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN))  # nothing about one character is refused
_REFUSED = {
    op.GROUPREF: "a back-reference: name what repeats with a pattern of its own",
    op.GROUPREF_EXISTS: "a conditional: write two signatures",
    op.ATOMIC_GROUP: "an atomic group: write `(?:…)`",
    op.POSSESSIVE_REPEAT: "a possessive repeat: leave the second `+` out",
}
