"""The book on real reports: covered causes first, nothing wrong with confidence, nothing found where nothing is."""

from collections import Counter
from functools import cache

import fixbook
from field import field_logs, negative_logs
from fixbook.api import Book, Report
from fixbook.model import Kind, Level


@cache
def _book() -> Book:
    return fixbook.load()


def _names(report: Report) -> list[tuple[set[str], str, str]]:
    out = []
    for finding in report.findings:
        if finding.entry.kind is not Kind.BENIGN:
            names = {name.rsplit("/", 1)[-1] for name in (finding.entry.id, *finding.entry.aliases)}
            out.append((names, finding.entry.id, str(finding.level)))
    return out


def test_reports_of_covered_causes() -> None:
    covered = {name.rsplit("/", 1)[-1] for entry in _book().entries for name in (entry.id, *entry.aliases)}
    count: Counter[str] = Counter()
    misses = []
    for case in field_logs():
        found = _names(_book().diagnose("\n".join(case.lines)))
        if case.names & covered:
            first = bool(found) and bool(found[0][0] & case.names)
            count["first" if first else "missed"] += 1
            if first:
                count["sure" if found[0][2] in (Level.CONFIRMED, Level.LIKELY) else "possible"] += 1
            else:
                misses.append(f"{case.name}: {[row[1] for row in found[:3]]}")
        elif found and found[0][2] in (Level.CONFIRMED, Level.LIKELY) and _kind(found[0][1]) is Kind.CAUSE:
            count["wrong with confidence"] += 1
            misses.append(f"{case.name}: {found[0][1]} with confidence")
    assert count["first"] >= 0.97 * (count["first"] + count["missed"]), misses
    assert count["sure"] >= 0.8 * count["first"]
    assert count["wrong with confidence"] == 0, misses


def _kind(entry: str) -> Kind:
    return _book()[entry].kind


def test_negative_logs() -> None:
    wrong = []
    for kind, ambiguous, data in negative_logs():
        report = _book().diagnose(data)
        alarms = [finding.entry.id for finding in report.findings if finding.entry.kind is not Kind.BENIGN]
        wanted = "unknown" if kind == "unknown-app-error" else "clean"
        if not ambiguous and (alarms or report.verdict != wanted):
            wrong.append(f"{kind}: {report.verdict} {alarms}")
    assert not wrong
