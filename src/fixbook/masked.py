"""A report without the secrets of its log: for every door through which an answer leaves the machine."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from .decoding import decode
from .redact import Redactor
from .report import Ask, Fact, Finding, Hit, Missing, Reason, Report, Skipped, Unknown
from .value import replace

__all__ = ["masked"]

AnyReport = TypeVar("AnyReport", bound=Report)
Mask = Callable[[str], str]


def masked(report: AnyReport, *, log: str | bytes = "", hosts: bool = False) -> AnyReport:
    """The report with what the log says masked, each value the same way everywhere; verdict, entries, levels and lines stay.

    `log`, where it is at hand, tells what is secret by words that stand in another line than the one that the report quotes.
    `hosts` masks names and addresses of machines, too. What the book says is left as it is.
    """
    redactor = Redactor(hosts)
    if log:
        redactor.feed(log if isinstance(log, str) else decode(log))
    mask: Mask = lambda text: redactor.feed(text) if text else text  # noqa: E731
    # A secret is known by the words before it. Whole lines come first, so that a capture, which stands alone, is known by then.
    for finding in (*report.findings, *report.consequences, *report.ruled_out):
        for hit in finding.hits:
            mask(hit.text)
    return replace(
        report,
        source=mask(report.source),
        findings=tuple(_finding(finding, mask) for finding in report.findings),
        consequences=tuple(_finding(finding, mask) for finding in report.consequences),
        ruled_out=tuple(_finding(finding, mask) for finding in report.ruled_out),
        ask=tuple(_ask(ask, mask) for ask in report.ask),
        unknown=tuple(_unknown(unknown, mask) for unknown in report.unknown),
        facts=tuple(_fact(fact, mask) for fact in report.facts),
        missing=tuple(_missing(missing, mask) for missing in report.missing),
        skipped=tuple(_skipped(skipped, mask) for skipped in report.skipped),
    )


def _finding(finding: Finding, mask: Mask) -> Finding:
    return replace(
        finding,
        hits=tuple(_hit(hit, mask) for hit in finding.hits),
        reasons=tuple(_reason(reason, mask) for reason in finding.reasons),
        facts=_values(finding.facts, mask),
    )


def _hit(hit: Hit, mask: Mask) -> Hit:
    text, matched = mask(hit.text), mask(hit.matched)
    # The column is a promise about the raw line, which the caller may have: it stays.
    return replace(
        hit, source=mask(hit.source), text=text, matched=matched, captures=_values(hit.captures, mask), process=mask(hit.process)
    )


def _values(values: Mapping[str, str], mask: Mask) -> dict[str, str]:
    return {name: mask(value) for name, value in values.items()}


def _reason(reason: Reason, mask: Mask) -> Reason:
    return replace(reason, value=mask(reason.value)) if reason.value else reason


def _ask(ask: Ask, mask: Mask) -> Ask:
    return replace(ask, command=mask(ask.command))


def _unknown(unknown: Unknown, mask: Mask) -> Unknown:
    return replace(
        unknown,
        exception=mask(unknown.exception),
        message=mask(unknown.message),
        frames=tuple(map(mask, unknown.frames)),
        nearest=tuple(replace(near, because=mask(near.because)) for near in unknown.nearest),
        source=mask(unknown.source),
    )


def _fact(fact: Fact, mask: Mask) -> Fact:
    return replace(fact, value=mask(fact.value), stated=mask(fact.stated), source=mask(fact.source))


def _missing(missing: Missing, mask: Mask) -> Missing:
    return replace(missing, command=mask(missing.command), source=mask(missing.source))


def _skipped(skipped: Skipped, mask: Mask) -> Skipped:
    return replace(skipped, what=mask(skipped.what))
