"""A second look at a place in a large log: whether the other texts that a pattern needs stand near it, too.

One literal of a pattern opens a region; in a large log its words alone may stand in every second line. The comparison is made on letters
and digits only, in lower case, so that no quotes, escapes, wraps or colours come between.
"""

import re

from .index import Index

__all__ = ["Sieve"]

_SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_OTHER = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))


class Sieve:
    """Says of pieces of a log whether a probe can match in them. Immutable but for what it remembers of the index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._needs: dict[int, tuple[tuple[bytes, ...], ...]] = {}

    def passes(self, key: int, data: bytes) -> bool:
        """Whether each need of the probe has one of its literals in `data`."""
        needs = self._needs.get(key)
        if needs is None:
            needs = self._needs[key] = tuple(tuple(map(_bare, need)) for need in self._index.needs(key)[1])
        if len(needs) < 2:
            return True
        text = _bare_bytes(data)
        return all(any(literal in text for literal in need) for need in needs)


def _bare(literal: str) -> bytes:
    return _bare_bytes(literal.encode("utf-8", "replace"))


def _bare_bytes(data: bytes) -> bytes:
    if b"\x1b" in data:
        data = _SEQUENCE.sub(b"", data)
    return data.lower().translate(None, _OTHER)
