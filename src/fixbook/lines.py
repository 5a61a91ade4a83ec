"""Line numbers of places in a large log, counted only as far as they are asked for."""

from collections.abc import Iterable

from .decoding import decode
from .source import Source
from .stream import Stream

__all__ = ["LineCounter", "Utf8", "newlines", "numbers"]

_PIECE = 1 << 18


def newlines(data: bytes | bytearray) -> int:
    """How many line ends `data` has. `replace` finds them with the C library's search, two to three times as fast as `count` does."""
    return len(data) - len(data.replace(b"\n", b""))


def numbers(source: Source, offsets: Iterable[int]) -> list[int]:
    """The 1-based numbers of the lines in which these ascending offsets of a plain file stand, in one more pass up to the last of them."""
    found: list[int] = []
    buffer = bytearray(_PIECE)
    view = memoryview(buffer)
    at, line = 0, 1
    with source.open() as stream:
        for offset in offsets:
            while at < offset:
                size = stream.readinto(view[: min(_PIECE, offset - at)])
                if not size:  # cut short while it was read
                    break
                line += newlines(buffer if size == _PIECE else bytes(view[:size]))
                at += size
            found.append(line)
    return found


class LineCounter:
    """Counts the lines of a stream that is seen once, through a buffer that moves over it."""

    def __init__(self) -> None:
        self._at_base = 1
        self._from = 0  # a place in the buffer, and the number of its line: places are asked for mostly in ascending order
        self._line = 1

    def move(self, dropped: bytes | bytearray) -> None:
        """The buffer gives up these bytes at its beginning."""
        self._at_base += newlines(dropped)
        self._from, self._line = 0, self._at_base

    def line(self, buffer: bytearray, at: int) -> int:
        """The number of the line in which the byte at this place of the buffer stands."""
        if at < self._from:
            self._from, self._line = 0, self._at_base
        self._line += newlines(buffer[self._from : at])
        self._from = at
        return self._line


class Utf8:
    """A stream of UTF-16 or UTF-32 as UTF-8."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._rest = b""  # of a character whose other bytes are not yet read
        self._ready = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        while not self._ready:
            data = self._rest + self._stream.read(_PIECE)
            if len(data) == len(self._rest):
                return 0
            whole = len(data) - len(data) % 4  # surrogate pairs have four bytes, but need not begin at a multiple of four
            if self._encoding.startswith("utf-16") and _is_high(data[whole - 2 : whole], self._encoding):
                whole -= 2
            if len(data) < 4:
                whole = len(data)
            self._rest = data[whole:]
            self._ready = memoryview(decode(data[:whole], self._encoding).encode("utf-8", "replace"))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


def _is_high(pair: bytes, encoding: str) -> bool:
    """Whether the two bytes are the first half of a surrogate pair."""
    return 0xD8 <= (pair[1] if encoding.endswith("le") else pair[0]) <= 0xDB
