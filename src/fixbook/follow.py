"""A log that grows: what is written to it is swept piece by piece, also when the log is rotated or cut back."""

import codecs
import io
import os
import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from .decoding import decode, encoding_of
from .lines import newlines
from .searcher import Searcher
from .stream import Source, Stream, once
from .sweep import Region, Regions, sweep
from .value import Value

__all__ = ["News", "follow", "follow_pipe"]

PAUSE = 0.25  # seconds between two looks
_QUIET = 2  # looks without anything new, after which what was written is taken for complete
_LATEST = 2.0  # seconds after which whole lines are told also while more is being written
_BATCH = 1 << 23  # bytes that are swept at once, complete or not
_WHOLE = 1 << 18  # bytes up to which what is new is read whole, as a paste is: a sweep sees less, and pays for more text only
_PIPE = 1 << 16
_KEPT = 256  # bytes that are compared before more is read: logs differ in their times at least
_TAIL = 1 << 15  # bytes before what is new that are read with it: a failure may have begun in them

Wait = Callable[[float], bool]  # waits so many seconds; whether to go on


class News(Value):
    """What a growing log has become. Hits in lines before `from_line` were told before; `rotated` says that lines count from 1 again.

    The regions begin some lines before what is new. What was stated long before is not in them: `Memory` (told.py) brings it along.
    """

    regions: Regions
    from_line: int
    rotated: bool = False


def follow(path: Path, searcher: Searcher, wait: Wait, *, from_end: bool = False) -> Iterator[News]:
    """What is written to the file at `path`, from its beginning or its end on, until `wait` says to stop.

    A file that is not there yet is waited for. One that was moved away is read to its end, then the new one of that name from its
    beginning.
    """
    reader = _Growing(path, from_end)
    digest = _Digest(str(path), searcher)
    going = True
    while going:
        data, rotated = reader.more()
        if rotated:
            yield from digest.flush()
            digest = _Digest(str(path), searcher, rotated=True)
        yield from digest.take(data)
        if not data:
            going = wait(PAUSE)
    yield from digest.flush()
    reader.close()


def follow_pipe(stream: BinaryIO, name: str, searcher: Searcher, going: Callable[[], bool] = lambda: True) -> Iterator[News]:
    """What comes through a pipe, until its end or until `going` says to stop.

    Where a pipe cannot be waited for (Windows), news come with the next text or the end.
    """
    digest = _Digest(name, searcher)
    handle = stream.fileno()
    while going():
        if os.name == "posix" and not select.select([handle], [], [], PAUSE)[0]:
            yield from digest.take(b"")
            continue
        data = os.read(handle, _PIPE)
        if not data:
            break
        yield from digest.take(data)
    yield from digest.flush()


class _Growing:
    """The bytes of a file that others write to."""

    def __init__(self, path: Path, from_end: bool) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._from_end = from_end
        self._last = b""  # what was read last, by which a file that was cut and has grown beyond its old size is told

    def more(self) -> tuple[bytes, bool]:
        """What is new, at most _BATCH bytes; and whether it is of another file, or of the same one written anew."""
        if self._file is None:
            return self._opened(), False
        at = self._file.tell()
        data = self._file.read(_BATCH)
        if data and self._goes_on(at):
            return self._read(data), False
        if data or os.fstat(self._file.fileno()).st_size < at:
            self._file.seek(0)
            self._last = b""
            return self._read(self._file.read(_BATCH)), True
        if self._was_replaced():
            self._file.close()
            self._file = None
            self._from_end = False
            self._last = b""
            return self._opened(), True
        return b"", False

    def _opened(self) -> bytes:
        try:
            self._file = self._path.open("rb", buffering=0)
        except OSError:
            return b""
        if self._from_end:
            self._file.seek(max(self._file.seek(0, os.SEEK_END) - _KEPT, 0))
            self._read(self._file.read(_KEPT))
        return self._read(self._file.read(_BATCH))

    def _read(self, data: bytes) -> bytes:
        self._last = (self._last + data[-_KEPT:])[-_KEPT:]
        return data

    def _goes_on(self, at: int) -> bool:
        """Whether before the place `at` there still stands what was read there."""
        assert self._file is not None
        end = self._file.tell()
        self._file.seek(at - len(self._last))
        same = self._file.read(len(self._last)) == self._last
        self._file.seek(end)
        return same

    def _was_replaced(self) -> bool:
        assert self._file is not None
        try:
            there = self._path.stat()
        except OSError:
            return False  # moved away, and nothing new yet
        here = os.fstat(self._file.fileno())
        return (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class _Digest:
    """Gathers what is written until it is complete, and gives what is worth reading of it."""

    def __init__(self, name: str, searcher: Searcher, rotated: bool = False) -> None:
        self._name = name
        self._searcher = searcher
        self._tail = b""  # told before
        self._line = 1  # number of the tail's first line
        self._new = bytearray()
        self._since = 0.0  # when the first byte of it came
        self._quiet = 0
        self._rotated = rotated
        self._plain: Callable[[bytes], bytes] | None = None

    def take(self, data: bytes) -> Iterator[News]:
        """Takes what was written since the last look; gives what is complete now."""
        now = time.monotonic()
        if data:
            self._plain = self._plain or _recoded(data)
            if not self._new:
                self._since = now
            self._new += self._plain(data)
        self._quiet = 0 if data else self._quiet + 1
        if len(self._new) >= _BATCH:
            yield from self._told(self._new.rfind(b"\n") + 1 or len(self._new))
        elif self._quiet == _QUIET:
            yield from self.flush()
        elif self._new and now - self._since >= _LATEST:
            self._since = now
            yield from self._told(self._new.rfind(b"\n") + 1)

    def flush(self) -> Iterator[News]:
        yield from self._told(len(self._new))

    def _told(self, size: int) -> Iterator[News]:
        if not size:
            return
        data = self._tail + bytes(self._new[:size])
        fresh = self._line + newlines(self._tail)
        regions = self._regions(data, size)
        parts = tuple(part for part in regions.parts if part.first_line + part.text.count("\n") >= fresh)
        if parts or regions.skipped:
            yield News(Regions(regions.name, parts, regions.keys, size, regions.skipped), fresh, self._rotated)
            self._rotated = False
        del self._new[:size]
        cut = _cut(data)
        self._line += newlines(data[:cut])
        self._tail = data[cut:]

    def _regions(self, data: bytes, size: int) -> Regions:
        if size <= _WHOLE:
            return Regions(self._name, (Region(decode(data), self._line),), frozenset(), size)
        regions = sweep(Source(self._name, opener=once(Stream(io.BytesIO(data)))), self._searcher)
        parts = tuple(Region(text, first + self._line - 1) for text, first in regions.parts)
        return Regions(regions.name, parts, regions.keys, size, regions.skipped)


def _cut(data: bytes) -> int:
    """Where the last _TAIL bytes begin, with a whole line where one begins in them."""
    at = len(data) - _TAIL
    return 0 if at <= 0 else (data.find(b"\n", at) + 1 or at)


def _recoded(head: bytes) -> Callable[[bytes], bytes]:
    """How pieces of a log that begins with `head` become text whose line ends have one byte: characters of two bytes may be torn."""
    encoding = encoding_of(head)
    if not encoding.startswith(("utf-16", "utf-32")):
        return bytes
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return lambda data: decoder.decode(data).removeprefix("\ufeff").encode("utf-8", "replace")
