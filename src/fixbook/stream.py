"""One log as bytes that are read once, front to back, within a budget."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from types import TracebackType

from .decoding import decode
from .errors import FixbookError
from .expressions import expression
from .value import Value, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Self

__all__ = ["Budget", "Source", "Stream", "explain", "is_log_name", "is_picture", "once", "packing"]

FREE = 1 << 30  # bytes that any archive may expand to
RATIO = 1000  # beyond that, how much larger than the archive
HEAD = 512  # bytes that tell a kind of archive

_SUFFIX = expression(
    r"\.(?:log|logs|txt|out|err|stdout|stderr|trace|traceback|jsonl|ndjson|json|md|plog|dmesg|\d{1,12}"
    r"|gz|tgz|zst|zstd|tzst|xz|txz|bz2|tbz2?|zip|tar)\Z",
    re.IGNORECASE,
)
_ROTATED = expression(r"\.log[-_.]", re.IGNORECASE)  # app.log-20261201, app.log.old
_MAGIC = ((b"\x1f\x8b\x08", "gzip"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip"))


class Budget:
    """How much an archive has been allowed to expand. `taken` are its own bytes, `given` what all its layers made of them."""

    def __init__(self) -> None:
        self.taken = 0
        self.given = 0

    def spend(self, count: int) -> None:
        """Counts `count` expanded bytes. Raises FixbookError when they are too many for the archive's size."""
        self.given += count
        if self.given > FREE and self.given > RATIO * self.taken:
            raise FixbookError(f"expands to more than {RATIO} times its size, the rest was not read")


class Stream:
    """Bytes of one log, once. Damage does not raise: the stream ends there, and `problem` says why."""

    def __init__(self, raw: IO[bytes] | io.IOBase, budget: Budget | None = None) -> None:
        """`budget` is that of the archive around; without one the stream is the outermost, and counts what is read from it."""
        self.raw = raw
        self._fill = getattr(raw, "readinto1", None) or raw.readinto  # type: ignore[union-attr]
        self._head = memoryview(b"")
        self._outermost = budget is None
        self.budget = budget or Budget()
        self.problem: str | None = None

    def readinto(self, buffer: memoryview | bytearray) -> int:
        """Fills the beginning of `buffer` with what is at hand, and says with how much; 0 at the end."""
        view = memoryview(buffer)
        if self._head:
            size = min(len(view), len(self._head))
            view[:size] = self._head[:size]
            self._head = self._head[size:]
            return size
        if self.problem or not len(view):
            return 0
        try:
            count = int(self._fill(view) or 0)
        except Exception as error:  # a damaged archive raises whatever its decoder happens to raise
            self.problem = explain(error)
            return 0
        if self._outermost:
            self.budget.taken += count
        return count

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        parts: list[bytes] = []
        left = size
        while left > 0:
            buffer = bytearray(min(left, 1 << 20))
            count = self.readinto(buffer)
            if not count:
                break
            parts.append(bytes(memoryview(buffer)[:count]))
            left -= count
        return b"".join(parts)

    def unread(self, data: bytes) -> None:
        """Puts `data` back in front of what is still to be read."""
        self._head = memoryview(data + bytes(self._head))

    def close(self) -> None:
        self.raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Source(Value):
    """One log that can be read, or the reason why it cannot.

    The source of a file can be opened again; standard input and the members of an archive can be read once, before the next source
    is taken. `path` is the file it comes from, the archive for a member.
    """

    name: str
    size: int | None = None  # of the bytes that `open` gives, where that is known beforehand
    problem: str | None = None
    path: str | None = None
    plain: bool = False  # a regular file as it is: can be read again at no cost
    opener: Callable[[], Stream] | None = field(default=None, compare=False)

    def open(self) -> Stream:
        """The bytes from the beginning. Raises FixbookError when the source has a problem."""
        if self.opener is None or self.problem:
            raise FixbookError(f"{self.name}: {self.problem or 'cannot be read'}")
        try:
            return self.opener()
        except OSError as error:
            raise FixbookError(f"{self.name}: {explain(error)}") from error

    def read(self, limit: int) -> bytes:
        """At most `limit` bytes from the beginning."""
        with self.open() as stream:
            return stream.read(limit)

    def text(self, limit: int = FREE) -> str:
        """The decoded text of at most `limit` bytes."""
        return decode(self.read(limit))


def once(stream: Stream) -> Callable[[], Stream]:
    """An opener of what can be read only once."""
    return lambda: stream


def explain(error: BaseException) -> str:
    """What went wrong with a file, for people, without its path: `Permission denied`."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def packing(head: bytes) -> str | None:
    """`gzip`, `bz2`, `xz`, `zstd`, `tar` or `zip`, told by the first HEAD bytes; None for a plain text."""
    if head[257:262] == b"ustar":
        return "tar"
    if head[:3] == b"BZh" and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return "bz2"
    if head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5:  # a frame without text, with which packers that use all cores begin
        return "zstd"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


# Screenshots and scans: what a person sees in them is no text for a program.
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"%PDF-")


def is_picture(head: bytes) -> bool:
    """Whether a file is a picture or a PDF, told by its first bytes."""
    return head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP") or head[4:12] in (b"ftypheic", b"ftypmif1")


def is_log_name(name: str) -> bool:
    """Whether a file found in a folder or archive is taken for a log, by its name: a log's suffix, a rotation, or no suffix."""
    base = name.rsplit("/", 1)[-1]
    if base.startswith("."):
        return False
    return "." not in base or bool(_SUFFIX.search(base) or _ROTATED.search(base))
