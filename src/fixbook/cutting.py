"""Places of a large log → the pieces around them that are read as messages."""

from __future__ import annotations

from .index import Index, Role
from .lines import Lines
from .progress import Progress
from .regions import REACH, Anchor, Piece, stretch
from .sieve import Sieve
from .value import Value, replace

__all__ = ["Cutter", "Part"]


class Part(Value):
    """Bytes of the log at hand: the buffer that moves over it, or a copy of what stood there."""

    data: bytes | bytearray
    base: int  # absolute offset of the first byte
    filled: int  # how many bytes are the log's
    lines: Lines

    def line(self, at: int) -> int:
        """The number of the line in which `data[at]` stands."""
        return self.lines.line(self.data, self.base, at)

    def copy(self, low: int, high: int) -> Part:
        """What stands now from one absolute offset to another, as far as it is at hand."""
        start, stop = max(low - self.base, 0), min(high - self.base, self.filled)
        data = bytes(memoryview(self.data)[start:stop])
        return Part(data, self.base + start, len(data), self.lines.part(self.data, self.base, start, stop))


class Cutter:
    """Says whether a probe can match at a place, and cuts out what is to be read around it."""

    def __init__(self, index: Index) -> None:
        self._sieve = Sieve(index)
        self._progress = Progress(index)

    def passes(self, part: Part, anchor: Anchor) -> bool:
        return self._sieve.passes(anchor.key, part.data, part.base, anchor.offset - part.base, part.filled)

    def cut(self, part: Part, anchor: Anchor, role: Role) -> Piece:
        """The piece around a place of such a role; a failure is read with the signs of progress behind it."""
        start, end = stretch(part.data, 0, part.filled, anchor.offset - part.base, role)
        piece = _piece(part, start, end)
        if role is Role.FACT:
            return piece
        signs = self._progress.after(part.data, part.base, end, min(end + REACH, part.filled))
        return replace(piece, beside=tuple(_piece(part, *sign) for sign in signs))


def _piece(part: Part, start: int, end: int) -> Piece:
    return Piece(part.base + start, bytes(memoryview(part.data)[start:end]), part.line(start))
