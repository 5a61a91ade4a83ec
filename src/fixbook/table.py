"""Tables that are bytes: loaded by reading them, asked without unpacking them. The same on every platform."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

__all__ = ["RUN", "STRIDE", "Runs", "Texts", "longs_of", "numbers_of", "runs_of", "to_bytes"]

RUN = 8  # bytes of a text by which it is looked up: one number of 64 bits
STRIDE = 4  # bytes between two runs of a text
_WIDE: Literal["I"] = "I"  # 32 bits wherever Python runs; little-endian in the bytes
_LONG: Literal["Q"] = "Q"  # 64 bits
_THIN = 4  # places for each run of which a byte says whether there is any


def to_bytes(numbers: Iterable[int], kind: Literal["I", "Q"] = _WIDE) -> bytes:
    """Numbers below 2^32 as bytes; below 2^64 for the kind Q."""
    made = array(kind, numbers)
    if sys.byteorder == "big":
        made.byteswap()
    return made.tobytes()


def numbers_of(data: bytes | memoryview) -> memoryview:
    """The inverse of `to_bytes`, without a copy where the machine has the same order of bytes."""
    return _cast(data, _WIDE)


def longs_of(data: bytes | memoryview) -> memoryview:
    """The same of numbers below 2^64."""
    return _cast(data, _LONG)


def _cast(data: bytes | memoryview, kind: Literal["I", "Q"]) -> memoryview:
    if sys.byteorder == "big":
        made = array(kind, bytes(data))
        made.byteswap()
        return memoryview(made)
    return memoryview(data).cast(kind)


def runs_of(text: bytes) -> set[int]:
    """The runs of RUN bytes that begin at every STRIDE-th byte of a text, each as a number. No step of Python for each of them."""
    whole = memoryview(text)
    found: set[int] = set()
    for start in range(0, RUN, STRIDE):
        found.update(longs_of(whole[start : start + (len(text) - start) // RUN * RUN]) if len(text) - start >= RUN else ())
    return found


class Runs:
    """Runs → numbers.

    The bytes are: how many runs there are; the runs in order; the number of each; and, for a quick no, a byte for each place that a
    run can have, which is not 0 where there is one.
    """

    def __init__(self, data: bytes | memoryview) -> None:
        whole = memoryview(data)
        count = numbers_of(whole[:4])[0] if whole else 0
        ends = list(accumulate((RUN * count, 4 * count), initial=4))
        self._runs = longs_of(whole[ends[0] : ends[1]]) if count else memoryview(b"")
        self._numbers = numbers_of(whole[ends[1] : ends[2]]) if count else memoryview(b"")
        self._places = whole[ends[2] :]

    @classmethod
    def dump(cls, pairs: Iterable[tuple[bytes, int]]) -> bytes:
        """The table of these pairs of a run of RUN bytes and a number; no bytes for none."""
        rows = sorted({(int.from_bytes(run, "little"), number) for run, number in pairs})
        if not rows:
            return b""
        places = bytearray(_odd(_THIN * len(rows)))
        for run, _ in rows:
            places[run % len(places)] = 1
        runs, numbers = to_bytes((run for run, _ in rows), _LONG), to_bytes(number for _, number in rows)
        return b"".join((to_bytes([len(rows)]), runs, numbers, places))

    def __len__(self) -> int:
        return len(self._runs)

    def find(self, runs: Iterable[int]) -> Iterator[int]:
        """The numbers of these runs, as `runs_of` gives them; some of the numbers more than once."""
        places, size = self._places, len(self._places)
        if not size:
            return
        known, numbers, last = self._runs, self._numbers, len(self._runs)
        for run in [run for run in runs if places[run % size]]:
            at = bisect_left(known, run)
            while at < last and known[at] == run:
                yield numbers[at]
                at += 1


def _odd(least: int) -> int:
    """A number without small factors: texts, read as numbers, are spread over so many places."""
    number = least | 1
    while not all(number % factor for factor in (3, 5, 7, 11, 13, 17)):
        number += 2
    return number


class Texts(Sequence[str]):
    """Texts end to end, each decoded when it is asked for."""

    def __init__(self, data: memoryview) -> None:
        """`data` is what `dump` gave."""
        count = numbers_of(data[:4])[0]
        self._ends = numbers_of(data[4 : 4 + 4 * count]) if count else memoryview(b"")
        self._texts = data[4 + 4 * count :]

    @classmethod
    def dump(cls, texts: Sequence[str]) -> bytes:
        """The number of texts; where each ends; the texts as UTF-8."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        return b"".join((to_bytes([len(encoded), *accumulate(map(len, encoded))]), *encoded))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:  # type: ignore[override]
        """By number; there are no slices."""
        start = self._ends[number - 1] if number else 0
        return str(self._texts[start : self._ends[number]], "utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in self._ends:
            yield str(self._texts[start:end], "utf-8", "surrogatepass")
            start = end
