"""A second look at a place in a large log: whether the other texts that a pattern needs stand near it, too.

One literal of a pattern opens a region; in a large log its words alone may stand in every second line. The comparison is made on letters
and digits only, in lower case, so that no quotes, escapes, wraps or colours come between.
"""

import re

from .index import Index

__all__ = ["Sieve"]

_SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
# How HTML and JSON write a character: its letters and digits are none of the text's.
_ESCAPED = re.compile(rb"&(?:#?\w{1,8});|\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt])")
_LOWER = bytes(range(256)).lower()
_OTHER = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))
# Bytes of a raw log in which one character of a message may stand: escapes, prefixes and colours on every line.
_WIDEST = 3
_MARGIN = 512
_MOST = 1 << 16
_BLOCK = 1 << 11  # bytes that are laid bare together
_REMEMBERED = 1024  # blocks


class Sieve:
    """Says of places in a log whether a probe can match there. What it knows of the index and of the log around is only remembered."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._reaches = index.reaches
        self._needs: dict[int, tuple[tuple[bytes, ...], ...]] = {}
        self._blocks: dict[int, bytes] = {}

    def passes(self, key: int, buffer: bytes | bytearray, base: int, at: int, filled: int) -> bool:
        """Whether each need of the probe has one of its literals as near to the place `at` of the buffer as a match can reach.

        The buffer begins at the absolute offset `base` of the log, and ends at `filled`.
        """
        needs = self._needs.get(key)
        if needs is None:
            needs = self._needs[key] = tuple(
                tuple(_bare(literal.encode("utf-8", "replace")) for literal in need) for need in self._others(key)
            )
        if not needs:
            return True
        reach = min(self._reaches[key] * _WIDEST + _MARGIN, _MOST)
        low, high = max(at - reach, 0), min(at + reach, filled)
        if _holds(self._around(buffer, base, low, high, filled), needs):
            return True
        if buffer.find(b"&", low, high) < 0 and buffer.find(b"\\", low, high) < 0:
            return False
        return _holds(_bare(_ESCAPED.sub(b"", bytes(memoryview(buffer)[low:high]))), needs)

    def _around(self, buffer: bytes | bytearray, base: int, low: int, high: int, filled: int) -> bytes:
        """At least `buffer[low:high]`, bare. Places of many probes lie side by side, so what stands there is laid bare once."""
        if buffer.find(b"\x1b", low, high) >= 0:
            return _bare(bytes(memoryview(buffer)[low:high]))
        return b"".join(
            self._block(number, buffer, number * _BLOCK - base, filled)
            for number in range((base + low) // _BLOCK, (base + high - 1) // _BLOCK + 1)
        )

    def _block(self, number: int, buffer: bytes | bytearray, start: int, filled: int) -> bytes:
        """A block of the log, bare, as far as it is at hand."""
        known = self._blocks.get(number)
        if known is not None:
            return known
        bare = _bare(bytes(memoryview(buffer)[max(start, 0) : min(start + _BLOCK, filled)]))
        if start >= 0 and start + _BLOCK <= filled:
            if len(self._blocks) >= _REMEMBERED:
                self._blocks.clear()
            self._blocks[number] = bare
        return bare

    def _others(self, key: int) -> tuple[tuple[str, ...], ...]:
        needs = self._index.needs(key)[1]
        return needs if len(needs) > 1 else ()


def _holds(text: bytes, needs: tuple[tuple[bytes, ...], ...]) -> bool:
    return all(any(literal in text for literal in need) for need in needs)


def _bare(data: bytes) -> bytes:
    if b"\x1b" in data:
        data = _SEQUENCE.sub(b"", data)
    return data.translate(_LOWER, _OTHER)
