"""Facts and marks that stand on every other line of a log: where they stand first, last, and last before a failure.

To be told of each place, to compare it and to cut out its line takes longer than to search the log. So the engine tells of them but once
in a chunk that they are there, and the places that matter are looked up: what stands on every other line is found in no time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .rows import Row

__all__ = ["ENDS", "TAIL", "Loud"]

ENDS = 8  # places of one key at either end
TAIL = 1 << 17  # bytes of the end of a chunk that are kept until what stands last in them is asked for
_NEAR = 1 << 18  # bytes in which one of them stands, when it is as loud as was thought


class Loud:
    """What is heard of the loud rows while a buffer moves over a log."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._literals = {
            number: tuple((target.key, target.literal) for target in row.targets) for number, row in enumerate(rows) if row.loud
        }
        self._heard: dict[int, None] = {}  # rows of this chunk and of the one before
        self._fresh: dict[int, None] = {}  # of this chunk
        self._told: Counter[int] = Counter()
        self._asked: dict[bytes, tuple[int, int]] = {}  # up to where a literal was looked for last, and where it stood, absolute
        self.missed: Counter[bytes] = Counter()  # literals, and how often one had to be looked for far away
        self.tail: dict[int, set[bytes]] = {}  # keys that stand in the last TAIL bytes of the chunk, and their literals that do

    def take(self, found: list[tuple[int, int]], data: bytes | bytearray, edge: int, stop: int) -> list[tuple[int, int]]:
        """The windows of a chunk, which ends at `data[stop]`, without those of loud rows. These are remembered; `edge` is where its tail
        begins."""
        if not self._literals:
            return found
        self._heard, self._fresh, self.tail = self._fresh, {}, {}
        rest = []
        for row, end in found:
            if row not in self._literals:
                rest.append((row, end))
                continue
            self._fresh[row] = None
            if end > edge:
                for key, literal in self._whole(row, data, end, stop):
                    self.tail.setdefault(key, set()).add(literal)
        self._heard = {**self._heard, **self._fresh}
        return rest

    def _whole(self, row: int, data: bytes | bytearray, end: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Key and literal of those that stand whole around the window of a row."""
        for key, literal, offset in self._rows[row].targets:
            start = end - len(self._rows[row].window) - offset
            if 0 <= start <= stop - len(literal) and data.startswith(literal, start):
                yield key, literal

    def heard(self) -> frozenset[bytes]:
        """The literals of the rows that stand in this chunk or stood in the one before."""
        return frozenset(literal for row in self._heard for _, literal in self._literals[row])

    def ends(self, data: bytes | bytearray, start: int, stop: int, last: bool) -> Iterator[tuple[int, int]]:
        """Key and place of literals that end in `data[start:stop]`: the first ones of the log, the last one of the chunk unless it stands
        in the tail, or of the log the last ones."""
        for row in self._heard:
            for key, literal in self._literals[row]:
                at = low = max(start - len(literal) + 1, 0)
                while self._told[key] < ENDS and (at := data.find(literal, at, stop)) >= 0:
                    self._told[key] += 1
                    yield key, at
                    at += 1
                if key in self.tail and not last:
                    continue  # to be looked up when it is asked for
                at = self._last(data, literal, low, stop)
                for _ in range(ENDS if last else 1):
                    if at < 0:
                        break
                    yield key, at
                    at = data.rfind(literal, low, at + len(literal) - 1)

    def before(self, data: bytes | bytearray, at: int, base: int | None = None) -> Iterator[tuple[int, int]]:
        """Key and place of the last literals before the place `at`, as far as the chunk before reaches.

        With the absolute offset of `data` only what stands behind the place that was asked for last is searched: failures come in order.
        """
        for row in self._heard:
            for key, literal in self._literals[row]:
                place = self._last(data, literal, 0, at) if base is None else self._latest(data, literal, at, base)
                if place >= 0:
                    yield key, place

    def _latest(self, data: bytes | bytearray, literal: bytes, at: int, base: int) -> int:
        asked, known = self._asked.get(literal, (-1, -1))
        if not base <= asked <= base + at:
            asked = known = -1
        place = self._last(data, literal, max(asked - base - len(literal) + 1, 0), at)
        found = base + place if place >= 0 else known
        self._asked[literal] = base + at, found
        return found - base if found >= base else -1

    def _last(self, data: bytes | bytearray, literal: bytes, low: int, stop: int) -> int:
        at = data.rfind(literal, max(low, stop - _NEAR), stop)
        if at < 0 and low < stop - _NEAR:
            self.missed[literal] += 1
            at = data.rfind(literal, low, stop - _NEAR + len(literal) - 1)
        return at
