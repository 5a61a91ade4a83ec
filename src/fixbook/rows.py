"""Needs → rows: the short windows of bytes that the engine looks for in a raw log, and the whole literals they stand for.

A row opens nothing by itself: where its window is found, the literal around it is compared in place. So a window may be chosen for speed
alone, by how rare its parts are; which literal it belongs to must survive quoting and escaping, because raw bytes are searched.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from .background import GRAM, Background, Sample, level_of, shipped
from .index import Index, Role
from .literals import LONGEST, SHORTEST, Need, safe_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["LOUD", "WIDTH", "Row", "Target", "blind", "make_rows", "windows_of"]

WIDTH = 8  # bytes; the engine never looks at more of them at once, and is faster when none is shorter
_EVERYWHERE = 10.9  # level of a window that stands a hundred times in a megabyte
_LEVEL = 8.3  # that of one that stands twenty times, which is taken to stand on many lines when the table says so
LOUD = 8  # times a megabyte that a window stands which was seen to be on many lines
_SHORT = 4.0  # the cost of each byte that a window lacks
_SELECTS = 16.0  # the longer a literal is, the more seldom it stands around its window in vain
_SAME = 1e-9
_PRINTABLE = re.compile(r"[^\x00-\x20\x7f\"'\\<>&`]+")  # when nothing better is there: what at least no JSON or HTML escapes


class Target(NamedTuple):
    """A literal that a row stands for: whose, the whole of it, and where in it the window begins."""

    key: int  # place of the probe in the index
    literal: bytes
    offset: int


class Row(NamedTuple):
    """A window to look for. `fold`: ASCII letters match in either case; window and literals are in lower case then.

    `loud`: only facts and marks, and on so many lines that the engine tells but the first place in what it is given (loud.py).
    """

    window: bytes
    fold: bool
    targets: tuple[Target, ...]
    loud: bool = False

    @classmethod
    def of(cls, window: bytes, fold: bool, targets: Iterable[tuple[int, bytes, int]], loud: bool = False) -> Row:
        return cls(window, fold, tuple(Target(*target) for target in sorted(targets)), loud)


def make_rows(
    index: Index,
    background: Background | None = None,
    sample: Sample | None = None,
    only: Collection[int] | None = None,
) -> tuple[Row, ...]:
    """The rows by which no match of a probe in raw bytes is missed, except of those that are `blind`.

    `sample` is a piece of the log at hand, which knows better than the table; `only` are the probes to look for, when not all. Facts that
    the table says are everywhere are not looked for.
    """
    # One short window costs the engine half its speed (bench/RESULTS.md). So there is none; where that cannot be had, more of them do
    # no more harm, and the rarer word is the better one.
    table = background or shipped()
    dropped = frozenset() if sample else _common(index, table)
    looked_for = [number for number in (range(len(index.keys)) if only is None else sorted(only)) if number not in dropped]
    for cost in (_SHORT, _SHORT / 4):
        rows = _rows(index, [_Choice(table, fold, sample, cost) for fold in (False, True)], looked_for)
        if all(len(row.window) == WIDTH for row in rows):
            break
    return rows


def _rows(index: Index, choices: Sequence[_Choice], looked_for: Iterable[int]) -> tuple[Row, ...]:
    """`choices`: for patterns that look at the case, and for those that do not."""
    table: dict[tuple[bytes, bool], set[Target]] = defaultdict(set)
    for number in looked_for:
        if index.roles[number] == Role.PROGRESS:
            continue
        fold, needs = index.needs(number)
        for window, literal, offset in choices[fold].best(needs, _as_is(index, number)):
            table[window, fold].add(Target(number, literal, offset))
    return tuple(
        Row.of(window, fold, targets, not fold and choices[fold].is_loud(window) and is_beside(index, targets))
        for (window, fold), targets in sorted(table.items())
    )


def is_beside(index: Index, targets: Iterable[Target]) -> bool:
    """Whether only facts and marks are looked for, of which the places in between do not matter."""
    return not any(index.roles[target.key] == Role.SIGNATURE for target in targets)


def blind(index: Index, background: Background | None = None) -> tuple[str, ...]:
    """The keys that a sweep over raw bytes does not see: nothing that they need survives quoting, or a fact's words are everywhere."""
    common = _common(index, background or shipped())
    looked_for = (number for number, role in enumerate(index.roles) if role != Role.PROGRESS)
    unseen = (
        number for number in looked_for if number in common or next(_options(index.needs(number)[1], _as_is(index, number)), None) is None
    )
    return tuple(index.keys[number] for number in unseen)


def _common(index: Index, background: Background) -> frozenset[int]:
    """Facts whose best windows stand on every second line of any log. They are told by the regions around a failure all the same."""
    choice = _Choice(background)
    facts = (number for number, role in enumerate(index.roles) if role == Role.FACT)
    return frozenset(number for number in facts if choice.commonness(index.needs(number)[1]) > _EVERYWHERE)


def windows_of(index: Index, number: int) -> Iterator[bytes]:
    """All windows that may be chosen for a probe."""
    for option in _options(index.needs(number)[1], _as_is(index, number)):
        for part in (part for parts in option for part in parts):
            literal = part.encode()
            yield from (literal[at : at + WIDTH] for at in range(max(len(literal) - WIDTH + 1, 1)))


def _as_is(index: Index, number: int) -> bool:
    """Whether a probe's literals are bytes of a raw log already: a mark may begin with a line end."""
    return index.roles[number] == Role.MARK


_Window = tuple[bytes, bytes, int]  # window, literal, offset of the one in the other


class _Choice:
    """Which windows to look for, by their cost."""

    def __init__(self, background: Background, fold: bool = False, sample: Sample | None = None, short: float = _SHORT) -> None:
        self._short = short
        self._background = background
        self._seen: Mapping[bytes, float] = sample.levels(fold) if sample else {}
        self._unseen = sample.unseen if sample else 0.0
        self._known: dict[bytes, tuple[float, _Window]] = {}

    def best(self, needs: tuple[Need, ...], as_is: bool = False) -> list[_Window]:
        """The cheapest windows such that every match contains one of their literals."""
        best: tuple[float, list[_Window]] = (0.0, [])
        for option in _options(needs, as_is):
            priced = [min(map(self._cheapest, _encoded(parts))) for parts in option]
            cost = max(price for price, _ in priced) + 0.5 * (len(priced) - 1)
            if not best[1] or cost < best[0]:
                best = cost, [window for parts in option for window in self._all(parts)]
        return best[1]

    def level(self, window: bytes) -> float:
        """How common a window is, at least: as was counted, or as its rarest run."""
        if self._unseen:
            return self._seen.get(window, 0.0)
        return min(self._background.levels(window) or [0.0])

    def is_loud(self, window: bytes) -> bool:
        return self.level(window) > (level_of(LOUD, 1 << 20) if self._unseen else _LEVEL)

    def commonness(self, needs: tuple[Need, ...]) -> float:
        """How common the best windows are, whatever their length."""
        return max((min(self._background.levels(window) or [0.0]) for window, _, _ in self.best(needs)), default=0.0)

    def _all(self, parts: tuple[str, ...]) -> Iterator[_Window]:
        """The window of the cheapest part, in each encoding in which it may stand."""
        part = min(parts, key=lambda part: self._cheapest(part.encode())[0])
        yield self._cheapest(part.encode())[1]
        if not part.isascii():
            yield self._cheapest(part.encode("gb18030"))[1]

    def _cheapest(self, literal: bytes) -> tuple[float, _Window]:
        known = self._known.get(literal)
        if known is None:
            known = self._known[literal] = self._search(literal)
        return known

    def _search(self, literal: bytes) -> tuple[float, _Window]:
        levels = self._background.levels(literal) or [24.0]
        span = min(WIDTH - GRAM + 1, len(levels))
        dear = self._short * max(WIDTH - len(literal), 0) + _SELECTS / len(literal)
        best, place = math.inf, 0
        guess = sum(levels[:span])
        for at in range(max(len(literal) - WIDTH + 1, 1)):
            if at:
                guess += levels[at + span - 1] - levels[at - 1]
            cost = self._seen.get(literal[at : at + WIDTH]) or guess / span * (self._unseen or 1.0)
            if cost < best + _SAME:  # of equals the later window: a name's end is rarer than its beginning
                best, place = cost, at
        return best + dear, (literal[place : place + WIDTH], literal, place)


def _encoded(parts: tuple[str, ...]) -> list[bytes]:
    return [part.encode() for part in parts]


def _options(needs: tuple[Need, ...], as_is: bool = False) -> Iterator[list[tuple[str, ...]]]:
    """Ways to see every match: for each a list, one place a literal of the need, with the parts of that literal to choose from."""
    if as_is:
        for need in needs:
            yield [(literal,) for literal in need]
        return
    found = False
    for need in needs:
        for literals in (need, _shared(need)):
            parts = [tuple(part[:LONGEST] for part in safe_parts(literal) if len(part) >= SHORTEST) for literal in literals]
            if parts and all(parts):
                found = True
                yield parts
    for need in () if found else needs:
        parts = [tuple(part[:LONGEST] for part in _PRINTABLE.findall(literal) if len(part.encode()) >= SHORTEST) for literal in need]
        if parts and all(parts):
            yield parts


def _shared(need: Need) -> Need:
    """The longer of what all literals of a need begin or end with, as a need of its own."""
    if len(need) < 2:
        return ()
    least, most = min(need), max(need)
    end_least, end_most = min(literal[::-1] for literal in need), max(literal[::-1] for literal in need)
    start, end = _begin(least, most), _begin(end_least, end_most)[::-1]
    return (max(start, end, key=len),)


def _begin(left: str, right: str) -> str:
    """What both begin with; of the least and the greatest of several, what all begin with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return "".join(pair[0] for pair in same)
