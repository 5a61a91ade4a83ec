"""A buffer of raw bytes → the literals in it: the engine finds short windows, here the whole literal is compared around each.

Where terminal sequences or NULs stand in a chunk, it is made plain first, as a reader of messages would, and places are led back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import itemgetter

from .engine import Engine, Found
from .index import Role
from .literals import LONGEST, SHORTEST
from .loud import ENDS, TAIL, Loud
from .regions import Anchor
from .rows import WIDTH, Row
from .shelf import KEPT, TESTED
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["OVERLAP", "Finder"]

OVERLAP = 4096  # bytes before a chunk that are made plain again with it; no literal with its sequences is longer
_MANY = 64  # windows or literals in a chunk; fewer are not counted
_FIRST = 8  # chunks of which the first places of a fact or mark are told
_LAST = 4  # places of it that are told of each chunk: one would do, were it not for failures at the border
# Places of one signature in a chunk that are told when it stands there more often: as many as a shelf may ask for, and all that may be
# found once more with the next chunk, so that they are not counted twice.
_CROWD_FIRST, _CROWD_LAST = TESTED[Role.SIGNATURE], max(KEPT[Role.SIGNATURE][1], OVERLAP // SHORTEST)
_CONTROL = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")


class _Around(NamedTuple):
    """What is compared where a row was found. A row may stand for hundreds of literals: they are looked up, not tried one by one."""

    fold: bool
    reach: int  # how far the longest literal goes on behind the window
    literals: tuple[tuple[int, int, dict[bytes, tuple[int, ...]]], ...]  # begin, end from the window's end; literal → keys


class _Plain(Value):
    """A chunk without control sequences. `starts` are offsets into `data`, `raws` the places in the buffer where the same bytes stand."""

    data: bytes
    starts: list[int]
    raws: list[int]

    def raw(self, at: int) -> int:
        place = bisect_right(self.starts, at) - 1
        return self.raws[place] + at - self.starts[place]


class Finder:
    """Finds literals in a buffer that moves over a log. `find` is called once for each chunk, in order."""

    def __init__(self, rows: Sequence[Row], engine: Engine, roles: Sequence[str], back: int = 0) -> None:
        """`back`: so many bytes before the first chunk are searched, too; another finder may have left a literal there half seen."""
        self._engine = engine
        self._back = back
        self.noise: Counter[int] = Counter()  # how often each row was found
        self._rows = rows
        self._is_signature = signature = [role == Role.SIGNATURE for role in roles]
        self.signatures = frozenset(number for number, row in enumerate(rows) if any(signature[target.key] for target in row.targets))
        self._mixed = frozenset(number for number in self.signatures if not all(signature[target.key] for target in rows[number].targets))
        self.passed_over: Counter[int] = Counter()  # how many places of each key were only counted in this chunk
        self.loud = Loud(rows)
        self._told: Counter[int] = Counter()  # in how many chunks a row of facts or marks stood many times
        self._known: dict[int, _Around] = {}
        self._late: list[tuple[int, int]] = []  # row, absolute end of its window: what follows was not in the buffer

    def find(self, buffer: bytearray, base: int, start: int, filled: int, last: bool) -> list[Anchor]:
        """The literals that end in `buffer[start:filled]`, whose first byte has the absolute offset `base + start`.

        Those that may go on behind the buffer are told with the next chunk, unless this is the `last` one. Of what stands many times in a
        chunk only the places are told that can matter; those of a signature in between are counted in `passed_over`.
        """
        self.passed_over = Counter()
        late = self.left_over(base)
        start, self._back = max(start - self._back, 0), 0
        begin = max(start - OVERLAP, 0)
        if buffer.find(b"\x1b", begin, filled) >= 0 or buffer.find(b"\0", begin, filled) >= 0:
            return self._find_plain(buffer, base, begin, filled, last)
        begin = max(start - WIDTH + 1, 0)
        edge = max(filled - TAIL, begin)
        found = self._scan(buffer, begin, edge, filled)
        if len(found) > _MANY:
            self.noise.update(map(itemgetter(0), found))
        fit = self.loud.take([each for each in found if each[1] > start], buffer, edge, filled)
        if not last:
            fit = self._put_off(fit, filled, base)
        ends = [Anchor(base + at, key) for key, at in self.loud.ends(buffer, start, filled, last)]
        places = self._places(buffer, [*late, *fit], last)
        return [*(Anchor(base + at, key) for key, at in places), *ends]

    def _scan(self, buffer: bytearray, begin: int, edge: int, filled: int) -> Found:
        """The windows in `buffer[begin:filled]`, searched in two parts: of loud rows each tells its own first place."""
        view = memoryview(buffer)
        found = [(row, begin + end) for row, end in self._engine.scan(view[begin:edge])] if edge > begin else []
        start = max(edge - WIDTH + 1, begin)
        found += [(row, start + end) for row, end in self._engine.scan(view[start:filled]) if start + end > edge]
        return found

    def before(self, buffer: bytearray, base: int, at: int) -> list[Anchor]:
        """The last literals of loud rows before the place `at` of the buffer."""
        return [Anchor(base + place, key) for key, place in self.loud.before(buffer, at, base)]

    def left_over(self, base: int) -> Found:
        """The windows that wait for what follows them, by their places in the buffer; they are forgotten here."""
        late = [(row, end - base) for row, end in self._late]
        self._late = []
        return late

    def compare(self, buffer: bytearray, base: int, found: Found) -> list[Anchor]:
        """The literals that stand whole around these windows."""
        return [Anchor(base + at, key) for key, at in self._compare(buffer, found)]

    def _places(self, data: bytes | bytearray, found: Found, last: bool) -> list[tuple[int, int]]:
        """Key and place of the literals around these windows, but of what stands many times only those that can matter: the first ones and
        the last ones, of facts and marks the last one before each signature, too."""
        if len(found) <= _MANY:
            return list(self._compare(data, found))
        ends: dict[int, list[int]] = {}
        for row, end in found:
            known = ends.get(row)
            if known is None:
                ends[row] = [end]
            else:
                known.append(end)
        loud = [row for row in ends if len(ends[row]) > ENDS and row not in self.signatures]
        crowds = [row for row in ends if len(ends[row]) > _CROWD_FIRST + _CROWD_LAST and row in self.signatures]
        if not loud and not crowds:
            return list(self._compare(data, found))
        rest = [row for row in ends if row not in loud and row not in crowds]
        places = [place for row in rest for place in self._compare(data, [(row, end) for end in ends[row]])]
        for row in crowds:
            places.extend(self._crowd(data, row, ends[row]))
        signatures = sorted(at for key, at in places if self._is_signature[key])
        for row in loud:
            if len(signatures) > _MANY:
                places.extend(self._compare(data, [(row, end) for end in ends[row]]))
            else:
                self._told[row] += 1
                first, most = ENDS if self._told[row] <= _FIRST else 0, ENDS if last else _LAST
                places.extend(self._that_matter(data, row, ends[row], first, most, signatures))
        return places

    def _crowd(self, data: bytes | bytearray, row: int, ends: list[int]) -> list[tuple[int, int]]:
        """The places of one row without those of signatures between the first and the last ones of their keys, which are counted by their
        bytes: a log may be one literal a million times."""
        is_signature = self._is_signature
        places = sorted({place for place in self._that_matter(data, row, ends, _CROWD_FIRST, _CROWD_LAST) if is_signature[place[0]]})
        counted: dict[tuple[bytes, int, int], int] = {}
        for key, literal, _ in self._rows[row].targets:
            own = [at for each, at in places if each == key and self._is_at(data, row, literal, at)]
            if len(own) < _CROWD_FIRST + _CROWD_LAST or not is_signature[key]:
                continue
            gap = (literal, own[_CROWD_FIRST - 1] + 1, own[-_CROWD_LAST] + len(literal) - 1)
            if gap not in counted:
                between = data[gap[1] : gap[2]]
                counted[gap] = (between.lower() if self._rows[row].fold else between).count(literal)
            self.passed_over[key] += counted[gap]
        if row in self._mixed:  # of facts and marks the last one before each failure matters
            beside = self._that_matter(data, row, ends, ENDS, _LAST, sorted({at for _, at in places}))
            places += [place for place in beside if not is_signature[place[0]]]
        return places

    def _is_at(self, data: bytes | bytearray, row: int, literal: bytes, at: int) -> bool:
        text = data[at : at + len(literal)]
        return (text.lower() if self._rows[row].fold else text) == literal

    def _that_matter(
        self, data: bytes | bytearray, row: int, ends: list[int], first: int, last: int, signatures: Sequence[int] = ()
    ) -> Iterator[tuple[int, int]]:
        """Of one row, so many first and last places of each key, and the last one before each of the places `signatures`."""
        known: dict[int, list[tuple[int, int]]] = {}

        def whole(end: int) -> list[tuple[int, int]]:
            if end not in known:
                known[end] = list(self._compare(data, ((row, end),)))
            return known[end]

        keys = {target.key for target in self._rows[row].targets}
        before = (map(ends.__getitem__, range(bisect_right(ends, at) - 1, -1, -1)) for at in signatures)
        pruned = False
        for some, most in chain(((iter(ends), first), (reversed(ends), last)), zip(before, repeat(1))):
            left = dict.fromkeys(keys, most) if most else {}
            for end in some if left else ():
                for key, at in whole(end):
                    yield key, at
                    left[key] -= 1
                if not any(count > 0 for count in left.values()):
                    break
            if not pruned and len(known) == len(ends):
                keys.intersection_update(key for places in known.values() for key, _ in places)
                pruned = True

    def _put_off(self, found: Found, filled: int, base: int) -> Found:
        """What can be compared now; the rest, which stands at the end, waits for the next chunk."""
        edge = filled - 4 * LONGEST  # bytes of the longest literal
        sure = len(found)
        while sure and found[sure - 1][1] > edge:
            sure -= 1
        fit = found[:sure]
        for row, end in found[sure:]:
            if end + self._around(row).reach > filled:
                self._late.append((row, base + end))
            else:
                fit.append((row, end))
        return fit

    def _outermost(self, places: Iterable[tuple[int, int]]) -> set[int]:
        """The first and the last places of each signature."""
        own: dict[int, list[int]] = defaultdict(list)
        for key, at in places:
            if self._is_signature[key]:
                own[key].append(at)
        return {at for each in own.values() for at in (*each[:ENDS], *each[-2 * ENDS :])}

    def _compare(self, data: bytes | bytearray, found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Key and beginning of each literal that stands whole around a window."""
        for row, end in found:
            fold, _, literals = self._known.get(row) or self._around(row)
            for begin, stop, keys in literals:
                if end + begin < 0:
                    continue
                text = bytes(data[end + begin : end + stop])
                for key in keys.get(text.lower() if fold else text, ()):
                    yield key, end + begin

    def _around(self, row: int) -> _Around:
        known = self._known.get(row)
        if known is None:
            known = self._known[row] = _around(self._rows[row])
        return known

    def _find_plain(self, buffer: bytearray, base: int, begin: int, filled: int, last: bool) -> list[Anchor]:
        data = bytes(memoryview(buffer)[begin:filled])
        if data == bytes(len(data)):  # the hole of a file that was cut under its writer, gigabytes sometimes
            return []
        plain = _made_plain(data, begin)
        found = self.loud.take(list(self._engine.scan(memoryview(plain.data))), plain.data, len(plain.data), len(plain.data))
        for row, end in found:
            if not last and end + self._around(row).reach > len(plain.data):
                self._late.append((row, base + plain.raw(end - 1) + 1))
        # What ends in the chunk before was found with it; to say it twice is harmless.
        places = self._places(plain.data, found, last)
        # In the buffer itself sequences stand within the literals: so what is loud is looked up here, before every signature.
        places += [place for at in self._outermost(places) for place in self.loud.before(plain.data, at)]
        places += self.loud.ends(plain.data, 0, len(plain.data), last)
        return [Anchor(base + plain.raw(at), key) for key, at in places]


def _around(row: Row) -> _Around:
    table: dict[tuple[int, int], dict[bytes, tuple[int, ...]]] = {}
    for target in row.targets:
        begin = -len(row.window) - target.offset
        keys = table.setdefault((begin, begin + len(target.literal)), {})
        keys[target.literal] = (*keys.get(target.literal, ()), target.key)
    reach = max(stop for _, stop in table)
    return _Around(row.fold, reach, tuple((begin, stop, keys) for (begin, stop), keys in table.items()))


def _made_plain(data: bytes, place: int) -> _Plain:
    """`data` without control sequences; its first byte stands at `place` of the buffer."""
    parts, starts, raws = [], [], []
    at = size = 0
    for match in _CONTROL.finditer(data):
        if match.start() > at:
            parts.append(data[at : match.start()])
            starts.append(size)
            raws.append(place + at)
            size += match.start() - at
        at = match.end()
    parts.append(data[at:])
    starts.append(size)
    raws.append(place + at)
    return _Plain(b"".join(parts), starts, raws)
