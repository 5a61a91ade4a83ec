"""The index of a book: which fixed texts to look for, and which patterns they let through.

A paste is asked which patterns can match at all (`candidates`, plain Python, no engine); for a large log `rows.py` makes of the same needs
what the engine looks for.
"""

from __future__ import annotations

import marshal
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from math import log2

from .lexicon import Lexicon, as_bytes
from .table import Table, numbers_of, to_bytes
from .value import Value, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .background import Background

__all__ = ["Index", "Probe", "Role"]

RUN = 8  # characters of a literal by which it is looked up in a text
STRIDE = 4
_SPAN = RUN + STRIDE - 1  # characters of a text of which some run is kept, wherever they stand
_FEW = 1000  # literals; a search for each takes no longer than to look up the runs of the text
_SHORT = 20_000  # characters of a text that is searched before its words are listed
_SMALL = 50_000  # characters of a text in which a plain search costs less than to ask for the runs
VERSION = 2


class Role(StrEnum):
    """What a found literal is good for, which says how many of its places in a large log are worth reading."""

    SIGNATURE = "signature"
    FACT = "fact"
    MARK = "mark"
    PROGRESS = "progress"  # not looked for by itself: what a program prints when it goes on after a failure; its literals in lower case


class Probe(Value):
    """One thing to look for. `literals` are texts of which every match contains one, beside those that the pattern shows."""

    key: str
    pattern: str = ""
    flags: str = ""
    role: Role = Role.SIGNATURE
    literals: tuple[str, ...] = ()


Need = tuple[str, ...]  # as in literals.py, which is only loaded where an index is built
_Places = int | tuple[int, ...]  # most are one, and 10,000 tuples take longer to load than as many numbers


class Index(Value):
    """Immutable; safe to share between threads. Made to be loaded fast: what a paste asks for seldom stays packed.

    `unfit` are the keys of signatures without a literal: they pass in every paste, and a sweep cannot see them.
    """

    keys: tuple[str, ...]  # one place for each probe
    unfit: tuple[str, ...]
    literals: tuple[str, ...]  # of signatures
    owners: tuple[_Places, ...]  # of each literal: the probes whose first need it is in
    tables: tuple[bytes, bytes]  # `Table`: run of a literal → its literals; with case, and folded
    short: tuple[tuple[int, ...], tuple[int, ...]]  # literals too short to be found by their runs
    packed: bytes  # the needs of all probes, one after the other
    ends: bytes  # where in `packed` those of each probe end
    rest: bytes  # patterns, roles and reaches: for large logs

    @classmethod
    def build(cls, probes: Iterable[Probe], background: Background | None = None) -> Index:
        """The index of all probes. `background` only says by which of its runs a literal is looked up."""
        from .background import shipped
        from .literals import derive

        probes = tuple(probes)
        needs = tuple(_needs(probe) for probe in probes)
        owners: dict[tuple[str, bool], list[int]] = defaultdict(list)
        unfit = []
        for number, (fold, own) in enumerate(needs):
            if probes[number].role is not Role.SIGNATURE:
                continue
            if not own:
                unfit.append(probes[number].key)
            for literal in own[0] if own else ():
                owners[literal, fold].append(number)
        tables, short = _look_up(list(owners), background or shipped())
        packed = [marshal.dumps(each, 2) for each in needs]  # version 2 writes equal values as equal bytes
        patterns = tuple((probe.pattern, probe.flags) for probe in probes)
        roles = tuple(str(probe.role) for probe in probes)
        reaches = tuple(derive(probe.pattern, probe.flags).reach if probe.pattern else 0 for probe in probes)
        return cls(
            keys=tuple(probe.key for probe in probes),
            unfit=tuple(unfit),
            literals=tuple(literal for literal, _ in owners),
            owners=tuple(_places(numbers) for numbers in owners.values()),
            tables=tables,
            short=short,
            packed=b"".join(packed),
            ends=to_bytes(accumulate(map(len, packed))),
            rest=marshal.dumps((patterns, roles, reaches), 2),
        )

    @property
    def patterns(self) -> tuple[tuple[str, str], ...]:
        """Pattern and flags of each probe."""
        return _columns(self.rest)[0]

    @property
    def roles(self) -> tuple[str, ...]:
        return _columns(self.rest)[1]

    @property
    def reaches(self) -> tuple[int, ...]:
        """How many characters a match of each probe spans at most."""
        return _columns(self.rest)[2]

    def needs(self, number: int) -> tuple[bool, tuple[Need, ...]]:
        """Of a probe: whether case is folded, and its needs, the most selective first."""
        ends = numbers_of(self.ends)
        data = self.packed[ends[number - 1] if number else 0 : ends[number]]
        fold, needs = marshal.loads(data)
        return fold, needs

    def candidates(self, text: str) -> set[str]:
        """The keys of signatures whose patterns can match somewhere in `text`; no other one can."""
        found = set(self.unfit)
        for fold in (False, True):
            if not self.tables[fold] and not self.short[fold]:
                continue
            seen = _Seen(text.lower() if fold else text, few=len(self.literals) <= _FEW)
            for literal in self._present(seen, fold):
                for number in _each(self.owners[literal]):
                    if all(any(map(seen.has, need)) for need in self.needs(number)[1][1:]):
                        found.add(self.keys[number])
        return found

    def _present(self, seen: _Seen, fold: bool) -> Iterator[int]:
        """The literals that stand in the text: STRIDE runs in a row are listed of each, so that one of them is a run of the text.

        Few literals are looked for one by one, whatever their case, which lets more of them pass.
        """
        if len(self.literals) <= _FEW:
            yield from (number for number, literal in enumerate(self.literals) if seen.has(literal))
            return
        asked = Table(self.tables[fold]).find(seen.runs) if self.tables[fold] else ()
        yield from (number for number in {*asked, *self.short[fold]} if seen.has(self.literals[number]))

    def to_data(self) -> dict[str, Any]:
        """Plain tuples, dicts and strings, for `marshal`."""
        return {"version": VERSION, **{name: getattr(self, name) for name in fields(self)}}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Index:
        """The inverse of `to_data`. Raises ValueError for another version."""
        if data.get("version") != VERSION:
            raise ValueError("an index of another version")
        return cls(**{name: data[name] for name in fields(cls)})


class _Seen:
    """What stands in one text. Every STRIDE-th run of it is kept, or its words, which excludes nearly all that does not stand there."""

    def __init__(self, text: str, few: bool) -> None:
        self._text = text
        self._few = few
        self.runs = set() if few else {text[at : at + RUN] for at in range(0, len(text) - RUN + 1, STRIDE)}
        self._lexicon = Lexicon(as_bytes(text)) if few and len(text) > _SHORT else None
        self._known: dict[str, bool] = {}

    def has(self, literal: str) -> bool:
        known = self._known.get(literal)
        if known is None:
            known = self._known[literal] = self._may_have(literal) and literal in self._text
        return known

    def _may_have(self, literal: str) -> bool:
        """Wherever the literal stands, the runs that it has at every STRIDE-th character from one of the first are kept."""
        if self._few:
            return self._lexicon is None or self._lexicon.may_have(literal)
        if len(literal) < _SPAN or len(self._text) < _SMALL:
            return True
        runs, last = self.runs, len(literal) - RUN + 1
        return any(all(literal[at : at + RUN] in runs for at in range(start, last, STRIDE)) for start in range(STRIDE))


def _needs(probe: Probe) -> tuple[bool, tuple[Need, ...]]:
    from .literals import derive

    if not probe.pattern or probe.role is Role.PROGRESS:
        return probe.role is Role.PROGRESS, (probe.literals,) if probe.literals else ()
    derived = derive(probe.pattern, probe.flags)
    if not probe.literals:
        return derived.fold, derived.needs
    own = tuple(literal.lower() for literal in probe.literals) if derived.fold else probe.literals
    return derived.fold, (*derived.needs, own)


@lru_cache(maxsize=4)
def _columns(rest: bytes) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[int, ...]]:
    columns: tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[int, ...]] = marshal.loads(rest)
    return columns


def _look_up(
    literals: Sequence[tuple[str, bool]], background: Background
) -> tuple[tuple[bytes, bytes], tuple[tuple[int, ...], tuple[int, ...]]]:
    # A run of a phrase that many entries share would ask for all of them where one of them stands.
    shared = Counter(literal[at : at + RUN] for literal, _ in literals for at in range(len(literal) - RUN + 1))
    runs: tuple[list[tuple[str, int]], list[tuple[str, int]]] = ([], [])
    short: tuple[list[int], list[int]] = ([], [])
    for number, (literal, fold) in enumerate(literals):
        if len(literal) < _SPAN:
            short[fold].append(number)
        runs[fold].extend((run, number) for run in _rarest(literal, shared, background))
    return (Table.dump(runs[0]), Table.dump(runs[1])), (tuple(short[0]), tuple(short[1]))


def _rarest(literal: str, shared: Mapping[str, int], background: Background) -> list[str]:
    """STRIDE runs in a row by which a literal is looked up, where they are rarest; none when it is too short."""
    if len(literal) < _SPAN:
        return []
    levels = background.levels(literal.encode("ascii", "replace"))
    width = RUN - (len(literal) - len(levels))
    runs = [literal[at : at + RUN] for at in range(len(literal) - RUN + 1)]
    costs = [4 * log2(shared[run]) + max(levels[at : at + width]) for at, run in enumerate(runs)]
    at = min(range(len(runs) - STRIDE + 1), key=lambda at: sum(costs[at : at + STRIDE]))
    return runs[at : at + STRIDE]


def _places(numbers: Sequence[int]) -> _Places:
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def _each(places: _Places) -> tuple[int, ...]:
    return (places,) if isinstance(places, int) else places
