"""Which places of a large log are worth reading, and how much around them.

A literal may stand in a log a million times. Of each key the first and the last places are kept, with the facts and marks that were
stated last before them; how many were passed over is counted, and told.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from .index import Role
from .value import Value, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["REACH", "Anchor", "Piece", "Shelf", "merge", "stretch"]

REACH = 1 << 16  # bytes to either side of a place that a region may hold
MOST_TEXT = 1_000_000  # bytes of all regions together: as much as a paste may have
_LINES = 400  # of a traceback to either side; no statement is longer

# Lines before and behind a place, where no traceback goes on.
_AROUND = {Role.SIGNATURE: (10, 6), Role.MARK: (3, 6), Role.FACT: (1, 1)}
# Places of one key that are kept: the first, and the last.
_KEPT = {Role.SIGNATURE: (8, 16), Role.MARK: (3, 5), Role.FACT: (4, 4)}
# Places of one key that are looked at in the middle of a log; many prove to be none.
_TESTED = {Role.SIGNATURE: 1000, Role.MARK: 100, Role.FACT: 100}
_HEADER = b"Traceback (most recent call last)"
_FRAME = b'File "'
_NEAR = 1 << 13  # bytes in which the lines around a place mostly are
_EDGE = 5  # lines at the edge of a region in which a frame shows that a traceback goes on
_STEP = 8


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
        return start, _ahead(buffer, min(high, at + REACH), at, behind)
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


class _Place:
    """What is kept of one key."""

    def __init__(self, role: Role) -> None:
        self.room, most = _KEPT[role]
        self.first: list[Piece] = []
        self.last: deque[Piece] = deque(maxlen=most)
        self.tested = 0
        self.passed_over = 0

    def wants(self, left: int, role: Role, final: bool) -> bool:
        """Whether a place is worth a look, of which `left` more follow in the same chunk: it may be kept, or it may prove to be none.

        Of the last places one a chunk is enough until the log ends.
        """
        if left < ((self.last.maxlen or 0) if final else 1):
            return True
        return self.tested < _TESTED[role] and (role is Role.SIGNATURE or len(self.first) < self.room)

    def inwards(self) -> list[Piece]:
        """The first, the last, the second, the last but one …"""
        pieces = [*self.first, *self.last]
        pairs = zip_longest(pieces[: (len(pieces) + 1) // 2], reversed(pieces[(len(pieces) + 1) // 2 :]))
        return [piece for pair in pairs for piece in pair if piece is not None]

    def add(self, piece: Piece) -> None:
        if len(self.first) < self.room:
            self.first.append(piece)
            return
        self.passed_over += len(self.last) == self.last.maxlen
        self.last.append(piece)


class Shelf:
    """The pieces that are kept, by key. Memory does not grow with the log."""

    def __init__(self, roles: Sequence[str]) -> None:
        self._roles = tuple(map(Role, roles))
        self._places: dict[int, _Place] = {}
        self._latest: dict[int, Piece] = {}  # of facts and marks: what a failure that follows has to be read with

    def add(
        self, anchors: Sequence[Anchor], passes: Callable[[Anchor], bool], cut: Callable[[Anchor, Role], Piece], *, final: bool
    ) -> None:
        """Takes the anchors of one chunk, in order; `final` for the last one.

        `passes` says whether the probe can match there, `cut` gives the piece around a place; both are asked for those alone that may
        be kept.
        """
        waiting: dict[int, Anchor] = {}  # facts and marks since the last failure
        left = Counter(anchor.key for anchor in anchors)
        for anchor in anchors:
            role = self._roles[anchor.key]
            place = self._places.get(anchor.key) or self._places.setdefault(anchor.key, _Place(role))
            left[anchor.key] -= 1
            if role is not Role.SIGNATURE:
                waiting[anchor.key] = anchor
            if not place.wants(left[anchor.key], role, final):
                place.passed_over += 1
                continue
            place.tested += 1
            if not passes(anchor):
                continue
            if role is Role.SIGNATURE:
                self._remember(waiting, passes, cut)
                piece = cut(anchor, role)
                place.add(replace(piece, beside=(*self._latest.values(), *piece.beside)))
            else:
                place.add(cut(anchor, role))
        self._remember(waiting, passes, cut)

    def _remember(self, waiting: dict[int, Anchor], passes: Callable[[Anchor], bool], cut: Callable[[Anchor, Role], Piece]) -> None:
        self._latest.update((key, cut(anchor, Role.FACT)) for key, anchor in waiting.items() if passes(anchor))
        waiting.clear()

    def seen(self) -> set[int]:
        """The keys of which a place is kept."""
        return {key for key, place in self._places.items() if place.first}

    def pieces(self) -> Iterator[Piece]:
        """All that is kept, what matters most first: of each key the first and the last place, then the next ones. Signatures come first,
        each with what must be read with it, then marks, then facts."""
        for role in (Role.SIGNATURE, Role.MARK, Role.FACT):
            rows = [place.inwards() for key, place in sorted(self._places.items()) if self._roles[key] is role]
            for piece in chain.from_iterable(zip_longest(*rows)):
                if piece is not None:
                    yield piece
                    yield from piece.beside

    def passed_over(self) -> Mapping[int, int]:
        """How many places of each key were not kept; facts and marks are only repeated by theirs."""
        return {key: place.passed_over for key, place in self._places.items() if place.passed_over}


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
