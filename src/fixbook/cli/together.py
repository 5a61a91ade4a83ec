"""Several logs of one incident (the ranks of a job, the pods of a service) as one report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..model import Kind, Level
from ..report import Fact, Finding, Reason, Skipped, Verdict
from ..value import replace

if TYPE_CHECKING:
    from ..api import Book, Report

__all__ = ["together"]


def together(book: "Book", logs: Sequence[tuple[str, str]], facts: Mapping[str, str], damage: Mapping[str, str] | None = None) -> "Report":
    """One report over all logs: each is read on its own, with what the others state about the system.

    A fact that one log leaves open is taken from the others where they agree: the head of a cluster prints the engine's
    configuration, its worker the failure. `damage` says of a log, by its name, why its end is not there.
    """
    alone = [book.diagnose(text, facts, name=name) for name, text in logs]
    reports = []
    for before, (name, text) in zip(alone, logs, strict=True):
        lent = _lent(before, alone)
        values = {fact.name: fact.value for fact in lent.values()}
        reports.append(_told_by(book.diagnose(text, {**values, **facts}, name=name), lent, before.facts))
    lost = (Skipped(name, reason) for name, reason in (damage or {}).items())
    merged = _merged(reports)
    return replace(merged, skipped=(*lost, *merged.skipped))


def _lent(report: "Report", all_reports: Sequence["Report"]) -> dict[str, Fact]:
    """Facts that this log does not state and the others state alike."""
    own = {fact.name for fact in report.facts}
    stated: dict[str, list[Fact]] = {}
    for fact in (fact for other in all_reports for fact in other.facts if fact.name not in own):
        stated.setdefault(fact.name, []).append(fact)
    return {name: facts[0] for name, facts in stated.items() if len({fact.value for fact in facts}) == 1}


def _told_by(report: "Report", lent: Mapping[str, Fact], own: tuple[Fact, ...]) -> "Report":
    """The report with each lent fact told by the log that states it, not by the caller."""

    def retold(findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(replace(finding, reasons=tuple(map(with_source, finding.reasons))) for finding in findings)

    def with_source(reason: Reason) -> Reason:
        fact = lent.get(reason.fact)
        return replace(reason, line=fact.line, source=fact.source) if fact and reason.line is None and reason.value else reason

    return replace(
        report,
        facts=own,
        findings=retold(report.findings),
        consequences=retold(report.consequences),
        ruled_out=retold(report.ruled_out),
    )


def _merged(reports: Sequence["Report"]) -> "Report":
    findings = _by_entry(finding for report in reports for finding in report.findings)
    caused = any(finding.entry.kind == Kind.CAUSE for finding in findings)
    beside = [finding for finding in findings if caused and finding.entry.kind in (Kind.WRAPPER, Kind.CASCADE)]
    findings = [finding for finding in findings if finding not in beside]
    taken = {finding.entry.id for finding in findings}
    consequences = _by_entry([*(f for report in reports for f in report.consequences), *beside])
    unknown = tuple(replace(each, source=report.source) for report in reports for each in report.unknown)
    return replace(
        reports[0],
        source=" + ".join(report.source for report in reports),
        verdict=_verdict(findings, bool(unknown)),
        findings=tuple(findings),
        consequences=tuple(finding for finding in consequences if finding.entry.id not in taken),
        ruled_out=tuple(f for f in _by_entry(f for report in reports for f in report.ruled_out) if f.entry.id not in taken),
        ask=tuple({ask.fact: ask for report in reports for ask in report.ask}.values()),
        unknown=unknown,
        facts=_facts(reports),
        missing=() if caused else tuple(replace(part, source=report.source) for report in reports for part in report.missing),
        skipped=tuple(skipped for report in reports for skipped in report.skipped),
    )


def _by_entry(findings: Iterable[Finding]) -> list[Finding]:
    """One finding an entry: the best one, with the hits and ranks of all."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.entry.id, []).append(finding)
    return sorted(map(_united, groups.values()), key=lambda finding: (finding.rank, finding.entry.id))


def _united(findings: list[Finding]) -> Finding:
    best = min(findings, key=lambda finding: finding.rank)
    hits = (*best.hits, *(hit for finding in findings if finding is not best for hit in finding.hits))
    ranks = tuple(sorted({rank for finding in findings for rank in finding.ranks}))
    worlds = [finding.world for finding in findings if finding.world]
    return replace(best, hits=hits, ranks=ranks, world=max(worlds, default=None))


def _verdict(findings: Sequence[Finding], unexplained: bool) -> Verdict:
    if any(finding.entry.kind == Kind.CAUSE and finding.level != Level.RULED_OUT for finding in findings):
        return Verdict.KNOWN
    if unexplained:
        return Verdict.UNKNOWN
    return Verdict.WRAPPER if any(finding.entry.kind in (Kind.WRAPPER, Kind.CASCADE) for finding in findings) else Verdict.CLEAN


def _facts(reports: Sequence["Report"]) -> tuple[Fact, ...]:
    """What the caller said once, what the logs state each with its log."""
    return tuple(dict.fromkeys(fact for report in reports for fact in report.facts))
