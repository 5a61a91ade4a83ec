"""A log that is too large to be read whole: what to look for in it, and the messages of the regions where that stands.

index = Index.build(probes_for_large(entries))
log, skipped = read_large(source, Searcher(index, Cache().remember))
"""

from collections.abc import Iterable

from .events import DONE, PROGRESS
from .facts import EXTRACTORS
from .index import Probe, Role
from .log import MARKS, read_parts
from .model import Entry
from .report import Log, Skipped
from .scan import probes
from .searcher import Searcher
from .stream import Source
from .sweep import sweep

__all__ = ["probes_for_large", "read_large"]


def probes_for_large(entries: Iterable[Entry]) -> tuple[Probe, ...]:
    """The signatures of these entries and the messages that their conditions ask for, the wordings of facts, the marks of a failure, the
    signs that a program goes on. The keys of signatures are those of `scan.probes`, so that one index serves pastes, too."""
    entries = tuple(entries)
    return (
        *probes(entries),
        *_messages(entries),
        *(Probe(f"fact:{each.id}", each.pattern, role=Role.FACT, literals=each.literals) for each in EXTRACTORS),
        *(Probe(f"mark:{texts[0]}", role=Role.MARK, literals=texts) for texts in MARKS),
        Probe("progress", PROGRESS.pattern.pattern, "i", Role.PROGRESS, PROGRESS.words),
        Probe("done", DONE.pattern.pattern, "i", Role.PROGRESS, DONE.words),
    )


def _messages(entries: Iterable[Entry]) -> Iterable[Probe]:
    for entry in entries:
        for name, conditions in (("requires", entry.requires), ("rules_out", entry.rules_out)):
            if conditions.messages:
                yield Probe(f"messages:{entry.id}:{name}", conditions.messages, role=Role.FACT)


def read_large(source: Source, searcher: Searcher) -> tuple[Log, tuple[Skipped, ...]]:
    """The messages of a large log's regions, and what was not read of it. Raises FixbookError when it cannot be opened."""
    regions = sweep(source, searcher)
    return read_parts(regions.parts, source.name), regions.skipped
