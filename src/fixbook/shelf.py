"""Which places of a large log are worth reading.

A literal may stand in a log a million times. Of each key the first and the last places are kept, with the facts and marks that were
stated last before them; how many were passed over is counted, and told.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from operator import attrgetter

from .cutting import Cutter, Part
from .index import Role
from .regions import Anchor, Piece
from .value import replace

__all__ = ["Shelf"]

# Places of one key that are kept: the first, and the last.
_KEPT = {Role.SIGNATURE: (8, 16), Role.MARK: (3, 5), Role.FACT: (4, 4)}
# Places of one key that are looked at in the middle of a log; many prove to be none.
_TESTED = {Role.SIGNATURE: 1000, Role.MARK: 100, Role.FACT: 100}
_PATIENCE = 32  # chunks whose last facts and marks wait until somebody needs them


class _Place:
    """What is kept of one key."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self.room, self.most = _KEPT[role]
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
        return self.tested < _TESTED[self.role] and (self.role is Role.SIGNATURE or len(self.first) < self.room)

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
    """A copy of the end of a chunk, in which some facts and marks are known to stand. Most are never asked for: a place is looked up when a
    failure follows, or when the log ends."""

    def __init__(self, part: Part, stop: int, literals: Mapping[int, Collection[bytes]], cutter: Cutter) -> None:
        self._part = part
        self._stop = stop - part.base
        self._cutter = cutter
        self._cut: dict[tuple[int, Role], Piece | None] = {}
        self.literals = literals
        self.start = part.base

    def cut(self, key: int, role: Role) -> Piece | None:
        """The piece around the last place of a key before the end of the chunk; None when its probe cannot match there."""
        if (key, role) not in self._cut:
            at = max(self._part.data.rfind(literal, 0, self._stop) for literal in self.literals[key])
            anchor = Anchor(self._part.base + at, key)
            passes = at >= 0 and self._cutter.passes(self._part, anchor)
            self._cut[key, role] = self._cutter.cut(self._part, anchor, role) if passes else None
        return self._cut[key, role]


class Shelf:
    """The pieces that are kept, by key. Memory does not grow with the log."""

    def __init__(self, roles: Sequence[str], cutter: Cutter) -> None:
        self._roles = tuple(map(Role, roles))
        self._cutter = cutter
        self._places: dict[int, _Place] = {}
        self._latest: dict[int, Piece] = {}  # of facts and marks: what a failure that follows has to be read with
        self._waiting: list[_Waiting] = []  # what may be later than that

    def wait(self, part: Part, stop: int, literals: Mapping[int, Collection[bytes]]) -> None:
        """Remembers that these literals of facts and marks stand in `part`, before the absolute offset `stop`."""
        self._waiting.append(_Waiting(part, stop, literals, self._cutter))

    def add(self, anchors: Sequence[Anchor], part: Part, before: Callable[[int], Iterable[Anchor]], *, final: bool) -> None:
        """Takes the anchors of one chunk, in order, which stand in `part`; `final` for the last one.

        `before` knows of further facts and marks before an absolute offset. What is around a place is looked at only where it may be kept.
        """
        late: dict[int, Anchor] = {}  # facts and marks since the last failure
        left = Counter(anchor.key for anchor in anchors)
        for anchor in anchors:
            place = self._place(anchor.key)
            left[anchor.key] -= 1
            if place.role is not Role.SIGNATURE:
                late[anchor.key] = anchor
            if not place.wants(left[anchor.key], final):
                place.passed_over += 1
            else:
                place.tested += 1
                if self._cutter.passes(part, anchor):
                    self._keep(place, anchor, part, late, before)
        self._remember(late, part)
        if final or len(self._waiting) > _PATIENCE:
            self._settle()

    def _place(self, key: int) -> _Place:
        return self._places.get(key) or self._places.setdefault(key, _Place(self._roles[key]))

    def _keep(self, place: _Place, anchor: Anchor, part: Part, late: dict[int, Anchor], before: Callable[[int], Iterable[Anchor]]) -> None:
        if place.role is not Role.SIGNATURE:
            place.add(self._cutter.cut(part, anchor, place.role))
            return
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
        done: set[int] = set()
        for waiting in reversed(self._waiting):
            for key in waiting.literals.keys() - done:
                piece = waiting.cut(key, Role.FACT)
                if piece is not None and (offset is None or piece.start <= offset):
                    done.add(key)
                    self._note(key, piece)

    def _settle(self) -> None:
        """Keeps of what waits the last places of each key."""
        self._catch_up()
        for waiting in reversed(self._waiting):
            for key in waiting.literals:
                place = self._place(key)
                piece = None if place.is_past(waiting.start) else waiting.cut(key, place.role)
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
