"""Tables that are bytes: loaded by reading them, asked without unpacking them. The same on every platform."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

__all__ = ["Table", "numbers_of", "to_bytes"]

_WIDE: Literal["I"] = "I"  # 32 bits wherever Python runs; little-endian in the bytes


def to_bytes(numbers: Iterable[int]) -> bytes:
    """Numbers below 2^32 as bytes."""
    made = array(_WIDE, numbers)
    if sys.byteorder == "big":
        made.byteswap()
    return made.tobytes()


def numbers_of(data: bytes | memoryview) -> memoryview:
    """The inverse of `to_bytes`, without a copy where the machine has the same order of bytes."""
    if sys.byteorder == "big":
        made = array(_WIDE, bytes(data))
        made.byteswap()
        return memoryview(made)
    return memoryview(data).cast(_WIDE)


class Table:
    """Texts → numbers. It may give numbers of other texts, too; it leaves none out.

    The bytes are: the number of slots, a power of two; where the numbers of each slot end; all numbers by slot.
    """

    def __init__(self, data: bytes) -> None:
        numbers = numbers_of(data)
        slots = numbers[0]
        self._mask = slots - 1
        self._ends = numbers[1 : slots + 1]
        self._numbers = numbers[slots + 1 :]

    @classmethod
    def dump(cls, pairs: Iterable[tuple[str, int]]) -> bytes:
        """The table of these pairs; no bytes for none."""
        by_text = list(pairs)
        if not by_text:
            return b""
        slots = 1 << len(by_text).bit_length()
        held: list[set[int]] = [set() for _ in range(slots)]
        for text, number in by_text:
            held[_hash(text) & (slots - 1)].add(number)
        ends, total = [], 0
        for numbers in held:
            total += len(numbers)
            ends.append(total)
        return to_bytes([slots, *ends, *(number for numbers in held for number in sorted(numbers))])

    def find(self, texts: Iterable[str]) -> Iterator[int]:
        """The numbers of these texts, some of them more than once."""
        mask, ends, numbers = self._mask, self._ends, self._numbers
        for text in texts:
            slot = _hash(text) & mask
            end = ends[slot]
            at = ends[slot - 1] if slot else 0
            while at < end:
                yield numbers[at]
                at += 1


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
