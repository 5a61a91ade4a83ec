"""What a log states about its system, with the line it was read from, and which statement holds for a hit."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from .errors import FixbookError
from .expressions import expression
from .fact_kinds import FACTS, FactKind, ValueKind, kind_of
from .fact_values import normalise
from .facts_system import MACHINE, STATE
from .facts_table import ARGUMENTS, PACKAGE_NAMES, SETTINGS, VALUE_FLAGS, VERSIONS, Extractor
from .lexicon import Lexicon, as_bytes
from .report import Fact, Hit, Log, Message
from .settings import Setting, flags, pairs
from .strand import Strand

__all__ = [
    "EXTRACTORS",
    "FACTS",
    "Extractor",
    "FactKind",
    "Lookup",
    "ValueKind",
    "kind_of",
    "lookup_for",
    "normalise",
    "read_facts",
    "stated_by_caller",
    "value_for",
]

Lookup = Callable[[str], Fact | None]  # the fact of a name that holds for one hit

EXTRACTORS: tuple[Extractor, ...] = (*SETTINGS, *VERSIONS, *MACHINE, *STATE)
_MOST_MATCHES = 20  # of one extractor in one message
# A variable's name in source code says nothing: `dtype=dtype`.
_LITERAL = expression(r"['\"].*['\"]|[-\d.]+|True|False|torch\.\w+")


def read_facts(log: Log, extractors: Iterable[Extractor] = EXTRACTORS) -> tuple[Fact, ...]:
    """What the log states, in the order in which it is stated; a repetition of the same value in the same run is left out.

    An extractor looks only into messages that contain one of its literals, in the message's text and in its readings.
    """
    pieces = _Pieces(log)
    found: list[tuple[int, int, Fact]] = []
    for extractor in extractors:
        for message, strands in pieces.that_contain(extractor.literals):
            if _may_look(extractor, message):
                found.extend((fact.index, at, fact) for at, fact in _plainest(extractor, message, strands, log))
    found.sort(key=lambda each: each[:2])
    return tuple(_without_repetitions(fact for _, _, fact in found))


def stated_by_caller(facts: Mapping[str, str]) -> tuple[Fact, ...]:
    """Facts from `--fact name=value`. What states nothing (`auto`) is left out; an unknown name raises FixbookError."""
    stated = []
    for name, text in facts.items():
        if kind_of(name) is None:
            raise FixbookError(f"no fact is called {name!r}; a package's version is `<package>_version`")
        value = normalise(name, text)
        if value is not None:
            stated.append(Fact(name, value, text, source="caller", line=0))
    return tuple(stated)


def value_for(facts: Sequence[Fact], name: str, message: int, run: int, captures: Mapping[str, str]) -> Fact | None:
    """The statement of a fact that holds for a hit in the message of that index and run.

    First a capture of that name; then the caller; then what was stated last before the hit in its run; then the next after it in its
    run. What another run states is unknown for this one, except of the machine and its installed packages (`FactKind.lasting`).
    """
    kind = kind_of(name)
    captured = normalise(name, captures[name]) if kind and captures.get(name) else None
    if captured is not None:
        return Fact(name, captured, captures[name], source="capture", line=0, run=run, index=message)
    before: Fact | None = None
    after: Fact | None = None
    other: Fact | None = None
    for fact in facts:
        if fact.name != name:
            continue
        if fact.source == "caller":
            return fact
        if fact.run != run:
            other = fact if other is None or fact.index <= message else other
        elif fact.index <= message:
            before = fact
        elif after is None:
            after = fact
    return before or after or (other if kind and kind.lasting else None)


def lookup_for(hit: Hit, facts: Sequence[Fact]) -> Lookup:
    """`value_for` of one hit, by the name alone."""
    known: dict[str, Fact | None] = {}

    def look(name: str) -> Fact | None:
        if name not in known:
            fact = value_for(facts, name, hit.message, hit.run, hit.captures)
            if fact is not None and fact.source == "capture":
                fact = Fact(fact.name, fact.value, fact.stated, "capture", hit.line, hit.run, hit.message)
            known[name] = fact
        return known[name]

    return look


# --- the text of a log, searched once for each literal -----------------------------------------------------------------------------


class _Pieces:
    """All texts of a log end to end, so that a literal that occurs nowhere costs one search and not one a message."""

    def __init__(self, log: Log) -> None:
        self._parts: list[tuple[Message, Strand]] = [(message, strand) for message in log.messages for strand in _texts(message)]
        self._starts: list[int] = []
        at = 0
        for _, strand in self._parts:
            self._starts.append(at)
            at += len(strand.text) + 1
        self._text = as_bytes("\0".join(strand.text for _, strand in self._parts))
        self._lexicon = Lexicon(self._text)

    def that_contain(self, literals: Iterable[str]) -> Iterator[tuple[Message, Sequence[Strand]]]:
        """The messages that contain one of the literals, with those of their texts that do, the plainest first."""
        found: set[int] = set()
        for literal in literals:
            wanted = as_bytes(literal)
            at = self._text.find(wanted) if self._lexicon.may_have(literal) else -1
            while at >= 0:
                part = bisect_right(self._starts, at) - 1
                found.add(part)
                if part + 1 == len(self._starts):
                    break
                at = self._text.find(wanted, self._starts[part + 1])
        by_message: dict[int, tuple[Message, list[Strand]]] = {}
        for part in sorted(found):
            message, strand = self._parts[part]
            by_message.setdefault(message.index, (message, []))[1].append(strand)
        yield from by_message.values()


def _texts(message: Message) -> Iterator[Strand]:
    """The message, what was peeled off in front of it, and its readings."""
    text = message.strand.text
    yield message.strand
    for _, strand in message.readings:
        # A reading that only has the prefix back would be searched twice.
        yield strand.cut(0, len(strand) - len(text)) if strand.text.endswith(text) else strand


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # `re` and not `regex`: the patterns are ours and bounded, and a quiet paste should not pay for a second engine.
    return expression(pattern, re.ASCII)


def _may_look(extractor: Extractor, message: Message) -> bool:
    if message.place not in extractor.places:
        return False
    return not (extractor.typed and message.severity)


def _plainest(extractor: Extractor, message: Message, strands: Sequence[Strand], log: Log) -> Iterator[tuple[int, Fact]]:
    """What one extractor finds in a message: of each fact what the first text says that states it.

    A later reading has what a hard wrap tore apart, `kv_cache_dtype=floa` and `t16`.
    """
    named: set[str] = set()
    for strand in strands:
        facts = list(_facts_of(extractor, message, strand, log))
        yield from ((at, fact) for at, fact in facts if fact.name not in named)
        named.update(fact.name for _, fact in facts)


def _facts_of(extractor: Extractor, message: Message, strand: Strand, log: Log) -> Iterator[tuple[int, Fact]]:
    """`(offset in the text, fact)` of what one extractor finds in one text."""
    text = strand.text
    for count, match in enumerate(_compiled(extractor.pattern).finditer(text)):
        if count == _MOST_MATCHES:
            return
        for name, stated, at in _statements(extractor, match, text):
            value = normalise(name, stated)
            if value is not None and kind_of(name) is not None:
                line = log.locate(strand.raw(at))[0] if log.line_starts else message.line
                yield at, Fact(name, value, stated, log.name, line, message.run, message.index)
        if extractor.then == "flags":
            return  # the flags up to the end of the message are read


def _statements(extractor: Extractor, match: re.Match[str], text: str) -> Iterator[tuple[str, str, int]]:
    """`(name of the fact, what is stated, offset)` of one match."""
    groups = {name: value for name, value in match.groupdict().items() if value}
    for name, value in extractor.states.items():
        yield name, value, match.start()
    package = groups.pop("package", "")
    if package:
        yield _version_name(package), groups.pop("version"), match.start("version")
    for name, value in groups.items():
        yield name, value, match.start(name)
    if extractor.then == "pairs":
        for setting in pairs(text, match.end()):
            if not extractor.code or _LITERAL.fullmatch(setting.value):
                yield from _setting(setting)
    elif extractor.then == "flags" and not text.lstrip().startswith("usage:"):
        for setting in flags(text, match.start()):
            yield from _setting(setting)


def _version_name(package: str) -> str:
    name = package.lower().replace("-", "_")
    return f"{PACKAGE_NAMES.get(name, name)}_version"


def _is_switch(name: str) -> bool:
    kind = kind_of(name)
    return kind is not None and kind.value is ValueKind.FLAG


def _setting(setting: Setting) -> Iterator[tuple[str, str, int]]:
    key = f"{setting.owner}.{setting.name}" if setting.owner else setting.name
    if key in ARGUMENTS:
        if setting.value != "true" or _is_switch(ARGUMENTS[key]):  # else a flag whose value stands on the next line
            yield ARGUMENTS[key], setting.value, setting.at
    elif key in VALUE_FLAGS and normalise("enforce_eager", setting.value) == "true":
        name, value = VALUE_FLAGS[key]
        yield name, value, setting.at
    elif key == "speculative_config":
        # on a command line it is JSON in quotes
        for inner in pairs(setting.value.strip("'\"")):
            if inner.name == "method":
                yield "speculative_method", inner.value, setting.at


def _without_repetitions(facts: Iterable[Fact]) -> Iterator[Fact]:
    last: dict[tuple[str, int], str] = {}
    seen: set[tuple[str, str, int]] = set()  # a second reading of the same line says nothing new
    for fact in facts:
        key = (fact.name, fact.value, fact.line)
        if last.get((fact.name, fact.run)) != fact.value and key not in seen:
            last[fact.name, fact.run] = fact.value
            seen.add(key)
            yield fact
