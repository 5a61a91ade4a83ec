"""Being written: the smallest thing that keeps the package importable."""

from collections.abc import Mapping, Sequence

from .model import Entry
from .report import BookInfo, Fact, Hit, Log, Report, Skipped, Verdict

__all__ = ["triage"]


def triage(entries: Mapping[str, Entry], hits: Sequence[Hit], facts: Sequence[Fact], log: Log, book: BookInfo, skipped: Sequence[Skipped]) -> Report:
    return Report(book, log.name, Verdict.CLEAN, facts=tuple(facts), skipped=tuple(skipped))
