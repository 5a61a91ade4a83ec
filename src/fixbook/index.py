"""The index of a book: which fixed texts to look for, and which patterns they let through.

A paste is asked which patterns can match at all (`candidates`, plain Python, no engine); for a large log `rows.py` makes of the same needs
what the engine looks for.
"""

from __future__ import annotations

import marshal
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, chain
from math import log2

from .lexicon import Lexicon, as_bytes
from .parts import Parts
from .table import RUN, STRIDE, Runs, Texts, numbers_of, runs_of, to_bytes
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .background import Background

__all__ = ["Index", "Probe", "Role"]

_SPAN = RUN + STRIDE - 1  # bytes of a text in which some run is listed, wherever they stand
_MANY = 8  # signatures that a literal may bring into question
_SHORT = 20_000  # characters of a text that is searched before its words are listed
_SMALL = 50_000  # characters of a text in which a plain search costs less than to ask for the runs


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
_Columns = tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[int, ...]]
_PARTS = ("keys", "unfit", "literals", "owners", "runs", "folded", "short", "needs", "ends", "columns")


class Index:
    """Immutable; safe to share between threads. Made to be loaded fast: it stays in the parts of a book's file, and a paste unpacks little.

    The parts are: `keys`, one for each probe; `unfit`, the probes of signatures without a literal; `literals` by which signatures are
    found, and their `owners`, the probes that each brings into question; `runs` and `folded`, by which literals are found in a text, with
    case and without; `short`, how many literals are too short for that, with case and without, and which; `needs` of all probes, and
    where those of each end (`ends`); `columns`: patterns, roles and reaches, for large logs.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @classmethod
    def build(cls, probes: Iterable[Probe], background: Background | None = None) -> Index:
        """The index of all probes. `background` only says by which of its runs a literal is looked up."""
        return cls(Parts(Parts.dump(_made(tuple(probes), background))))

    def to_parts(self) -> dict[str, bytes]:
        """The parts of it, for a file that holds others, too."""
        return {name: bytes(self._parts.part(name)) for name in _PARTS}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The name of each probe."""
        return tuple(Texts(self._parts.part("keys")))

    @property
    def unfit(self) -> tuple[str, ...]:
        """The keys of signatures without a literal: they pass in every paste, and a sweep cannot see them."""
        keys = Texts(self._parts.part("keys"))
        return tuple(keys[number] for number in numbers_of(self._parts.part("unfit")))

    @cached_property
    def _columns(self) -> _Columns:
        columns: _Columns = marshal.loads(self._parts.part("columns"))
        return columns

    @property
    def patterns(self) -> tuple[tuple[str, str], ...]:
        """Pattern and flags of each probe."""
        return self._columns[0]

    @property
    def roles(self) -> tuple[str, ...]:
        return self._columns[1]

    @property
    def reaches(self) -> tuple[int, ...]:
        """How many characters a match of each probe spans at most."""
        return self._columns[2]

    def needs(self, number: int) -> tuple[bool, tuple[Need, ...]]:
        """Of a probe: whether case is folded, and its needs, the most selective first."""
        ends = numbers_of(self._parts.part("ends"))
        fold, needs = marshal.loads(self._parts.part("needs")[ends[number - 1] if number else 0 : ends[number]])
        return fold, needs

    def candidates(self, text: str) -> dict[str, int]:
        """The keys of signatures whose patterns can match somewhere in `text`, each with its number; no other one can."""
        part = self._parts.part
        keys, literals = Texts(part("keys")), Texts(part("literals"))
        found = {*numbers_of(part("unfit"))}
        owners = numbers_of(part("owners"))
        counts, short = numbers_of(part("short")[:8]), numbers_of(part("short")[8:])
        for fold in (False, True):
            runs = Runs(part("folded" if fold else "runs"))
            own = short[counts[0] :] if fold else short[: counts[0]]
            if not own and not len(runs):
                continue
            seen = _Seen(text.lower() if fold else text)
            for literal in {*runs.find(seen.runs), *own}:
                if seen.has(literals[literal]):
                    end = len(literals) + owners[literal]
                    start = len(literals) + owners[literal - 1] if literal else len(literals)
                    found.update(number for number in owners[start:end] if self._all_stand(number, seen))
        return {keys[number]: number for number in sorted(found)}

    def _all_stand(self, number: int, seen: _Seen) -> bool:
        """Whether of each need of a probe some literal stands in the text."""
        return all(any(map(seen.has, need)) for need in self.needs(number)[1])

    @property
    def content(self) -> tuple[tuple[str, ...], bytes, bytes]:
        """All that rows and engines are made of; equal for equal indexes."""
        return self.keys, bytes(self._parts.part("columns")), bytes(self._parts.part("needs"))


class _Seen:
    """What stands in one text. Its runs are listed, and the words of a long one, which excludes nearly all that does not stand there."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.runs = runs_of(text.encode("utf-8", "surrogatepass"))
        self._lexicon = Lexicon(as_bytes(text)) if len(text) > _SHORT else None
        self._known: dict[str, bool] = {}

    def has(self, literal: str) -> bool:
        known = self._known.get(literal)
        if known is None:
            known = self._known[literal] = self._may_have(literal) and literal in self._text
        return known

    def _may_have(self, literal: str) -> bool:
        """Wherever the literal stands, the runs that it has at every STRIDE-th byte from one of the first are listed."""
        if self._lexicon is not None and not self._lexicon.may_have(literal):
            return False
        data = literal.encode("utf-8", "surrogatepass")
        if len(data) < _SPAN or len(self._text) < _SMALL:
            return True
        own = [int.from_bytes(data[at : at + RUN], "little") in self.runs for at in range(len(data) - RUN + 1)]
        return any(all(own[start::STRIDE]) for start in range(STRIDE))


def _needs(probe: Probe) -> tuple[bool, tuple[Need, ...]]:
    from .literals import derive

    if not probe.pattern or probe.role is Role.PROGRESS:
        return probe.role is Role.PROGRESS, (probe.literals,) if probe.literals else ()
    derived = derive(probe.pattern, probe.flags)
    if not probe.literals:
        return derived.fold, derived.needs
    own = tuple(literal.lower() for literal in probe.literals) if derived.fold else probe.literals
    return derived.fold, (*derived.needs, own)


def _made(probes: tuple[Probe, ...], background: Background | None) -> dict[str, bytes]:
    """The parts of the index of these probes."""
    from .background import shipped
    from .literals import derive

    needs = tuple(_needs(probe) for probe in probes)
    signatures = [(number, *needs[number]) for number, probe in enumerate(probes) if probe.role is Role.SIGNATURE]
    shared = Counter((literal, fold) for _, fold, own in signatures for need in own for literal in need)
    owners: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for number, fold, own in signatures:
        for literal in _told_by(own, fold, shared):
            owners[literal, fold].append(number)
    packed = [marshal.dumps(each, 2) for each in needs]  # version 2 writes equal values as equal bytes
    patterns = tuple((probe.pattern, probe.flags) for probe in probes)
    roles = tuple(str(probe.role) for probe in probes)
    reaches = tuple(derive(probe.pattern, probe.flags).reach if probe.pattern else 0 for probe in probes)
    runs, folded, short = _look_up(list(owners), background or shipped())
    return {
        "keys": Texts.dump([probe.key for probe in probes]),
        "unfit": to_bytes(number for number, _, own in signatures if not own),
        "literals": Texts.dump([literal for literal, _ in owners]),
        "owners": to_bytes([*accumulate(map(len, owners.values())), *chain.from_iterable(owners.values())]),
        "runs": runs,
        "folded": folded,
        "short": short,
        "needs": b"".join(packed),
        "ends": to_bytes(accumulate(map(len, packed))),
        "columns": marshal.dumps((patterns, roles, reaches), 2),
    }


def _told_by(needs: Sequence[Need], fold: bool, shared: Mapping[tuple[str, bool], int]) -> Need:
    """The need by which a signature is found in a text: the first, unless many share it and another is shared by fewer."""
    if not needs:
        return ()
    owners = [max(shared[literal, fold] for literal in need) for need in needs]
    return needs[0] if owners[0] <= _MANY else needs[owners.index(min(owners))]


def _look_up(literals: Sequence[tuple[str, bool]], background: Background) -> tuple[bytes, bytes, bytes]:
    """By which runs literals are found, with case and without; and those that are too short."""
    encoded = [literal.encode("utf-8", "surrogatepass") for literal, _ in literals]
    # A run of a phrase that many entries share would ask for all of them where one of them stands.
    shared = Counter(literal[at : at + RUN] for literal in encoded for at in range(len(literal) - RUN + 1))
    runs: tuple[list[tuple[bytes, int]], list[tuple[bytes, int]]] = ([], [])
    short: tuple[list[int], list[int]] = ([], [])
    for number, (literal, (_, fold)) in enumerate(zip(encoded, literals, strict=True)):
        if len(literal) < _SPAN:
            short[fold].append(number)
        runs[fold].extend((run, number) for run in _rarest(literal, shared, background))
    return Runs.dump(runs[0]), Runs.dump(runs[1]), to_bytes([len(short[0]), len(short[1]), *short[0], *short[1]])


def _rarest(literal: bytes, shared: Mapping[bytes, int], background: Background) -> list[bytes]:
    """STRIDE runs in a row by which a literal is looked up, where they are rarest; none when it is too short.

    Of STRIDE runs in a row one begins at a byte of the text that is listed, wherever the literal stands.
    """
    if len(literal) < _SPAN:
        return []
    levels = background.levels(literal)
    width = RUN - (len(literal) - len(levels))
    runs = [literal[at : at + RUN] for at in range(len(literal) - RUN + 1)]
    costs = [4 * log2(shared[run]) + max(levels[at : at + width]) for at, run in enumerate(runs)]
    at = min(range(len(runs) - STRIDE + 1), key=lambda at: sum(costs[at : at + STRIDE]))
    return runs[at : at + STRIDE]
