"""Which places of a large log are worth reading.

A literal may stand in a log a million times. Of each key the first and the last places are kept, with the facts and marks that were
stated last before them; how many were passed over is counted, and told.
"""

from __future__ import annotations

import sys
from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from operator import attrgetter

from .cutting import Cutter, Part
from .index import Role
from .loud import TAIL
from .regions import REACH, Anchor, Piece
from .value import replace

__all__ = ["KEPT", "TESTED", "Shelf"]

# Places of one key that are kept: the first, and the last.
KEPT = {Role.SIGNATURE: (8, 16), Role.MARK: (3, 5), Role.FACT: (4, 4)}
# Places of one key that are looked at in the middle of a log; many prove to be none.
TESTED = {Role.SIGNATURE: 1000, Role.MARK: 100, Role.FACT: 100}
_PATIENCE = 64  # ends of chunks whose last facts and marks wait until somebody needs them


class _Place:
    """What is kept of one key."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self.room, self.most = KEPT[role]
        self.first: list[Piece] = []
        self.last: list[Piece] = []
        self.tested = 0
        self.passed_over = 0

    def wants(self, left: int, final: bool) -> bool:
        """Whether a place is worth a look, of which `left` more follow in the same chunk: it may be kept, or it may prove to be none.

        Of the last places one a chunk is enough until the log ends.
        """
        if left < (self.most if final else 1):
            return True
        return self.tested < TESTED[self.role] and (self.role is Role.SIGNATURE or len(self.first) < self.room)

    def inwards(self) -> list[Piece]:
        """The first, the last, the second, the last but one …"""
        pieces = [*self.first, *self.last]
        pairs = zip_longest(pieces[: (len(pieces) + 1) // 2], reversed(pieces[(len(pieces) + 1) // 2 :]))
        return [piece for pair in pairs for piece in pair if piece is not None]

    def add(self, piece: Piece) -> None:
        if len(self.first) < self.room:
            self.first.append(piece)
            return
        insort(self.last, piece, key=attrgetter("start"))
        if len(self.last) > self.most:
            self.passed_over += 1
            del self.last[0]

    def is_past(self, offset: int) -> bool:
        """Whether enough places behind this one are kept."""
        return len(self.last) == self.most and self.last[0].start > offset


class _Waiting:
    """A copy of the end of a chunk, in which some facts and marks stand. Most are never asked for: what is around a place is looked at when
    a failure follows, or when the log ends."""

    def __init__(self, part: Part, stop: int, cutter: Cutter, found: Mapping[int, int], heard: Mapping[int, Collection[bytes]]) -> None:
        """The last places before the absolute offset `stop`: of some keys they are `found`, of others only literals were `heard`."""
        self.stop = stop
        self.start = part.base
        self.keys = (*found, *heard)
        self._part = part
        self._cutter = cutter
        self._found = found
        self._heard = heard
        self._cut: dict[tuple[int, Role], Piece | None] = {}

    def cut(self, key: int, role: Role) -> Piece | None:
        """The piece around the last place of a key; None when its probe cannot match there."""
        if (key, role) not in self._cut:
            anchor = Anchor(self._last(key), key)
            passes = anchor.offset >= self.start and self._cutter.passes(self._part, anchor)
            self._cut[key, role] = self._cutter.cut(self._part, anchor, role) if passes else None
        return self._cut[key, role]

    def _last(self, key: int) -> int:
        known = self._found.get(key)
        if known is not None:
            return known
        return self.start + max(self._part.data.rfind(literal, 0, self.stop - self.start) for literal in self._heard[key])


class Shelf:
    """The pieces that are kept, by key. Memory does not grow with the log."""

    def __init__(self, roles: Sequence[str], cutter: Cutter) -> None:
        self._roles = tuple(map(Role, roles))
        self._cutter = cutter
        self._places: dict[int, _Place] = {}
        self._latest: dict[int, Piece] = {}  # of facts and marks: what a failure that follows has to be read with
        self._waiting: list[_Waiting] = []  # what may be later than that

    def wait(self, part: Part, stop: int, heard: Mapping[int, Collection[bytes]]) -> None:
        """Remembers that these literals of facts and marks stand in the last TAIL bytes before the absolute offset `stop`."""
        self._waiting.append(_Waiting(_tail(part, stop), stop, self._cutter, {}, heard))

    def add(self, anchors: Sequence[Anchor], part: Part, before: Callable[[int], Iterable[Anchor]], *, final: bool) -> None:
        """Takes the anchors of one chunk, in order, which stand in `part`; `final` for the last one.

        `before` knows of further facts and marks before an absolute offset. What is around a place is looked at only where it may be kept.
        """
        late: dict[int, Anchor] = {}  # facts and marks since the last failure
        left = Counter(anchor.key for anchor in anchors)
        failures = {
            anchor for anchor in anchors if self._roles[anchor.key] is Role.SIGNATURE and self._is_wanted(anchor, part, left, final)
        }
        edge = sys.maxsize if final or failures or not anchors else anchors[-1].offset - TAIL
        waiting: dict[int, int] = {}
        for anchor in anchors:
            place = self._place(anchor.key)
            if place.role is Role.SIGNATURE:
                if anchor in failures:
                    self._keep(place, anchor, part, late, before)
                continue
            if anchor.offset >= edge and left[anchor.key] == 1 and len(place.first) == place.room:
                waiting[anchor.key] = anchor.offset
                late.pop(anchor.key, None)
                continue
            late[anchor.key] = anchor
            if self._is_wanted(anchor, part, left, final):
                place.add(self._cutter.cut(part, anchor, place.role))
        self._remember(late, part)
        if waiting:
            stop = anchors[-1].offset + 1
            self._waiting.append(_Waiting(_tail(part, stop), stop, self._cutter, waiting, {}))
        if final or len(self._waiting) > _PATIENCE:
            self._settle()

    def _is_wanted(self, anchor: Anchor, part: Part, left: Counter[int], final: bool) -> bool:
        """Whether the place, of which there are so many in the chunk that were not asked for yet, is to be kept."""
        place = self._place(anchor.key)
        left[anchor.key] -= 1
        if not place.wants(left[anchor.key], final):
            place.passed_over += 1
            return False
        place.tested += 1
        return self._cutter.passes(part, anchor)

    def pass_over(self, counts: Mapping[int, int]) -> None:
        """Counts places of these keys that nobody has to look at."""
        for key, count in counts.items():
            self._place(key).passed_over += count

    def _place(self, key: int) -> _Place:
        return self._places.get(key) or self._places.setdefault(key, _Place(self._roles[key]))

    def _keep(self, place: _Place, anchor: Anchor, part: Part, late: dict[int, Anchor], before: Callable[[int], Iterable[Anchor]]) -> None:
        """Keeps the place of a failure, with what was stated before it."""
        for each in before(anchor.offset):
            late[each.key] = max(each, late.get(each.key, each))
        self._catch_up(anchor.offset)
        self._remember(late, part)
        late.clear()
        piece = self._cutter.cut(part, anchor, place.role)
        place.add(replace(piece, beside=(*self._latest.values(), *piece.beside)))

    def _remember(self, late: Mapping[int, Anchor], part: Part) -> None:
        for anchor in late.values():
            if self._cutter.passes(part, anchor):
                self._note(anchor.key, self._cutter.cut(part, anchor, Role.FACT))

    def _note(self, key: int, piece: Piece) -> None:
        self._latest[key] = max(piece, self._latest.get(key, piece), key=attrgetter("start"))

    def _catch_up(self, offset: int | None = None) -> None:
        """Takes account of what waits and stands before `offset`."""
        noted: dict[int, int] = {}
        for waiting in sorted(self._waiting, key=attrgetter("stop"), reverse=True):
            for key in waiting.keys:
                if noted.get(key, -1) >= waiting.stop:
                    continue  # stands behind all that waits here
                piece = waiting.cut(key, Role.FACT)
                if piece is not None and (offset is None or piece.start <= offset):
                    noted[key] = max(piece.start, noted.get(key, -1))
                    self._note(key, piece)

    def _settle(self) -> None:
        """Keeps of what waits the last places of each key."""
        self._catch_up()
        for waiting in sorted(self._waiting, key=attrgetter("stop"), reverse=True):
            for key in waiting.keys:
                place = self._place(key)
                piece = None if place.is_past(waiting.stop) else waiting.cut(key, place.role)
                if piece is not None:
                    place.add(piece)
        self._waiting.clear()

    def seen(self) -> set[int]:
        """The keys of which a place is kept."""
        return {key for key, place in self._places.items() if place.first}

    def pieces(self) -> Iterator[Piece]:
        """All that is kept, what matters most first: of each key the first and the last place, then the next ones. Signatures come first,
        each with what must be read with it, then marks, then facts."""
        for role in (Role.SIGNATURE, Role.MARK, Role.FACT):
            rows = [place.inwards() for _, place in sorted(self._places.items()) if place.role is role]
            for piece in chain.from_iterable(zip_longest(*rows)):
                if piece is not None:
                    yield piece
                    yield from piece.beside

    def passed_over(self) -> Mapping[int, int]:
        """How many places of each key were not kept; facts and marks are only repeated by theirs."""
        return {key: place.passed_over for key, place in self._places.items() if place.passed_over}


def _tail(part: Part, stop: int) -> Part:
    """A copy of the TAIL bytes before `stop`, and of what is read around places in them."""
    return part.copy(stop - TAIL - REACH, stop + 2 * REACH)
