"""What a command printed, in bounded memory: the beginning, which tells the system, and the end, which tells the failure."""

from collections import deque
from typing import NamedTuple

__all__ = ["HEAD", "TAIL", "Kept", "Record"]

HEAD = 128 << 10  # bytes
TAIL = 512 << 10
_LONGEST_LINE = 64 << 10  # of an unfinished line that is held back, so that two streams do not mix within lines


class Kept(NamedTuple):
    """What is kept of an output. Behind the 1-based `line` of `data`, `omitted` more lines are left out than `data` shows.

    `lost` bytes of the output are not in `data`.
    """

    data: bytes
    line: int = 0
    omitted: int = 0
    lost: int = 0


class Record:
    """Takes the pieces of one or more streams as they come, and keeps the beginning and the end of the lines."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._limits = head, tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._kept = 0  # bytes in the tail
        self._unfinished: dict[int, bytearray] = {}  # of each stream
        self._dropped = 0
        self._dropped_lines = 0
        self.size = 0  # bytes that came, the dropped ones included

    def add(self, piece: bytes, stream: int = 0) -> None:
        """The next piece of a stream."""
        self.size += len(piece)
        unfinished = self._unfinished.setdefault(stream, bytearray())
        end = piece.rfind(b"\n") + 1
        if not end and len(unfinished) + len(piece) > _LONGEST_LINE:
            end = len(piece)
        if end and unfinished:
            self._keep(bytes(unfinished))
            unfinished.clear()
        if end:
            self._keep(piece[:end])
        unfinished += piece[end:]

    def _keep(self, data: bytes) -> None:
        room = self._limits[0] - len(self._head)
        if room > 0 and not self._tail:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._kept += len(data)
        while self._kept - len(self._tail[0]) >= self._limits[1]:
            gone = self._tail.popleft()
            self._kept -= len(gone)
            self._dropped += len(gone)
            self._dropped_lines += gone.count(b"\n")

    def kept(self) -> Kept:
        """What is kept now, a note standing where lines are left out."""
        tail = b"".join((*self._tail, *self._unfinished.values()))
        if not self._dropped:
            return Kept(bytes(self._head) + tail)
        head = bytes(self._head[: self._head.rfind(b"\n") + 1])
        cut = tail.find(b"\n") + 1
        omitted = self._dropped_lines + tail.count(b"\n", 0, cut)
        note = b"[... %d lines left out ...]\n" % omitted
        lost = self.size - len(head) - (len(tail) - cut)
        return Kept(head + note + tail[cut:], head.count(b"\n") + 1, omitted - 1, lost)
