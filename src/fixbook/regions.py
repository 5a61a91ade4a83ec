"""How much of a large log is read around a place, and the places put together."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .index import Role
from .value import Value, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["REACH", "Anchor", "Piece", "merge", "stretch"]

REACH = 1 << 16  # bytes to either side of a place that a region may hold
MOST_TEXT = 1_000_000  # bytes of all regions together: as much as a paste may have
_LINES = 400  # of a traceback to either side; no statement is longer

# Lines before and behind a place, where no traceback goes on.
_AROUND = {Role.SIGNATURE: (10, 6), Role.MARK: (3, 6), Role.FACT: (1, 1)}
_HEADER = b"Traceback (most recent call last)"
_FRAME = b'File "'
_NEAR = 1 << 13  # bytes in which the lines around a place mostly are
_EDGE = 5  # lines at the edge of a region in which a frame shows that a traceback goes on
_STEP = 8
# How the records of common log writers begin, and so many bytes of them, in which place and time stand.
_RECORD = re.compile(
    rb"(?:\x1b\[[0-9;]*m)*(?:\[?20\d\d[-/]\d\d[-/]\d\d[T ]|(?:DEBUG|INFO|WARNING|ERROR)[ :]|\{\"|\(\w{1,40} pid=\d|[IWEF]\d{4} \d\d:"
    rb"|\d{1,3}(?:\.\d{1,3}){3} )"
)
_HEAD = 24


class Anchor(NamedTuple):
    """A literal of a probe, found in the log."""

    offset: int  # absolute
    key: int


class Piece(Value):
    """Whole lines of the log from an absolute offset on.

    `beside` are pieces that must be read with it: facts stated before a failure, signs of progress after it.
    """

    start: int
    data: bytes
    line: int = 0  # number of its first line
    beside: tuple[Piece, ...] = field(default=(), compare=False)

    @property
    def end(self) -> int:
        return self.start + len(self.data)


def stretch(buffer: bytes | bytearray, low: int, high: int, at: int, role: Role) -> tuple[int, int]:
    """The part of `buffer[low:high]` to read around `at`: whole lines, as far as a traceback goes on, at most REACH to either side."""
    before, behind = _AROUND[role]
    start = _back(buffer, max(low, at - REACH), at, before)
    if role is Role.FACT:
        return _record(buffer, start, at, _ahead(buffer, min(high, at + REACH), at, behind))
    lines = before
    while start > max(low, at - REACH) and lines < _LINES and _goes_on_before(buffer, start, at):
        start = _back(buffer, max(low, at - REACH), start - 1, _STEP)
        lines += _STEP
    end = _ahead(buffer, min(high, at + REACH), at, behind)
    lines = behind
    while end < min(high, at + REACH) and lines < _LINES and _goes_on_behind(buffer, at, end):
        end = _ahead(buffer, min(high, at + REACH), end, _STEP)
        lines += _STEP
    return start, end


def _record(buffer: bytes | bytearray, low: int, at: int, high: int) -> tuple[int, int]:
    """The line of `at`, with those of `buffer[low:high]` before and behind it of which it may be a part: a line that begins as a record
    begins is a statement of its own, unless it begins just like the other one, as the lines of one record may."""
    start = buffer.rfind(b"\n", low, at) + 1 or low
    end = buffer.find(b"\n", at, high) + 1 or high
    own = buffer[start : start + _HEAD]
    following = buffer[end : end + _HEAD]
    return (
        start if _RECORD.match(own) and buffer[low : low + _HEAD] != own else low,
        end if _RECORD.match(following) and following != own else high,
    )


def _back(buffer: bytes | bytearray, low: int, at: int, lines: int) -> int:
    """The beginning of the line that stands `lines` before the line of `at`."""
    for size in (_NEAR, at - low):
        data = buffer[max(low, at - size) : at]
        parts = data.rsplit(b"\n", lines + 1)
        if len(parts) == lines + 2:
            return at - len(data) + len(parts[0]) + 1
    return low


def _ahead(buffer: bytes | bytearray, high: int, at: int, lines: int) -> int:
    """The end of the line that stands `lines` behind the line of `at`."""
    for size in (_NEAR, high - at):
        data = buffer[at : min(high, at + size)]
        parts = data.split(b"\n", lines + 1)
        if len(parts) == lines + 2:
            return at + len(data) - len(parts[-1])
    return high


def _goes_on_before(buffer: bytes | bytearray, start: int, at: int) -> bool:
    """Whether the region begins inside a traceback: a frame near its beginning, and no header before that."""
    edge = _ahead(buffer, at, start, _EDGE)
    frame = buffer.find(_FRAME, start, edge)
    return frame >= 0 and buffer.find(_HEADER, start, frame) < 0


def _goes_on_behind(buffer: bytes | bytearray, at: int, end: int) -> bool:
    """Whether the region ends inside a traceback: a frame or a header near its end."""
    edge = _back(buffer, at, end, _EDGE)
    return buffer.find(_FRAME, edge, end) >= 0 or buffer.find(_HEADER, edge, end) >= 0


def merge(pieces: Iterable[Piece], most: int = MOST_TEXT) -> tuple[list[Piece], int]:
    """Pieces in the order of the log, those that touch joined; and how many did not fit into `most` bytes. Earlier ones come first."""
    kept: dict[int, Piece] = {}
    total = dropped = 0
    for piece in pieces:
        other = kept.get(piece.start)
        if other is not None and other.end >= piece.end:
            continue
        if total + len(piece.data) > most:
            dropped += 1
            continue
        total += len(piece.data)
        kept[piece.start] = piece
    joined: list[Piece] = []
    for start in sorted(kept):
        piece = kept[start]
        last = joined[-1] if joined else None
        if last is None or last.end < piece.start:
            joined.append(piece)
        elif piece.end > last.end:
            joined[-1] = replace(last, data=last.data + piece.data[last.end - piece.start :])
    return joined, dropped
