"""The answer to a log as text for a terminal, part by part, and why an entry was found in it or was not.

Parts are those of `text_article.py`: whole lines, "" for an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator

from .model import Status
from .proof import proof_rows
from .report import Finding, Report, Verdict
from .text_article import Sheet, prose_parts, tail_parts
from .words import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .explain import Explanation, SignatureTrace

__all__ = ["explanation_parts", "report_parts"]

_STYLES = {Verdict.KNOWN: "warn", Verdict.WRAPPER: "warn", Verdict.UNKNOWN: "bad", Verdict.CLEAN: "good"}
_MOST_HITS = 5  # of one signature in an explanation


def report_parts(sheet: Sheet, report: Report, full: bool) -> Iterator[str]:
    """The answer; `full` gives the whole article of the first finding."""
    para, words = sheet.surface.para, sheet.words
    first = words.lead(report)
    yield para(words.headline(report), hang=2, style=_STYLES[report.verdict])
    if first:
        yield from _proof(sheet, report, first, full)
        yield from _remedy(sheet, first, full)
    elif report.verdict == Verdict.CLEAN:
        yield ""
        yield para(words.clean_says(report), 2)
        yield para(words.say("clean.next"), 2)
    if report.verdict == Verdict.UNKNOWN:
        yield ""
        yield para(words.unknown_says(report), 2)
        yield from _unknown(sheet, report)
    yield from _beside(sheet, report)
    yield from _left(sheet, report, full)
    if first and full:
        yield from tail_parts(sheet, first.entry)
    elif first:
        yield ""
        yield para(words.say("more.article", id=first.entry.id), style="dim")


def _proof(sheet: Sheet, report: Report, first: Finding, full: bool) -> Iterator[str]:
    """The line that proves the finding, and what its level rests on."""
    para, words = sheet.surface.para, sheet.words
    yield para(words.identity(first.entry), style="dim")
    yield ""
    yield para(words.where(first), 2)
    yield sheet.surface.proof(proof_rows(first.hits[0]), 2)
    yield ""
    rank = words.rank(first) if full else ""
    said = (words.why(first, report.findings), words.version(first), rank, words.repairs(first))
    yield from (para(sentence, 2, 4) for sentence in said if sentence)
    if report.verdict == Verdict.WRAPPER:
        yield ""
        yield para(words.say("wrapper.says"), 2)


def _remedy(sheet: Sheet, first: Finding, full: bool) -> Iterator[str]:
    entry, words = first.entry, sheet.words
    yield from sheet.section("summary")
    yield sheet.surface.block(words.summary(entry, first), 2)
    if full:
        yield from prose_parts(sheet, entry, first)
    elif entry.sections.get("quick_fix"):
        yield from sheet.section("quick_fix")
        yield sheet.surface.block(words.section(entry, "quick_fix", first), 2)


def _unknown(sheet: Sheet, report: Report) -> Iterator[str]:
    """What failed without an entry for it: first where nothing else is known."""
    para, words = sheet.surface.para, sheet.words
    if report.unknown:
        yield from sheet.section("unknown")
    for unknown in report.unknown:
        yield sheet.item(words.unknown(unknown))
        yield para(words.unknown_about(unknown), 4)
        yield from (para(words.nearest(near), 4) for near in unknown.nearest)
    if report.verdict == Verdict.UNKNOWN:
        yield ""
        yield para(words.say("unknown.next"), 2)


def _beside(sheet: Sheet, report: Report) -> Iterator[str]:
    """What stands beside the first finding, one line each."""
    para, words = sheet.surface.para, sheet.words
    beside = words.beside(report)
    if beside:
        yield ""
        yield para(words.other_heading(report), style="heading")
    for other in beside:
        yield sheet.item(words.other(other))
        tell = other.tell.get(words.lang)
        if tell:
            yield para(words.prose(tell, values_of(other.entry, words.lang, other)), 4)
    yield from _ask(sheet, report)
    if report.ruled_out:
        yield from sheet.section("ruled_out")
        yield from (sheet.item(words.ruled_out(other)) for other in report.ruled_out)
    if report.consequences:
        yield from sheet.section("consequences")
        yield from (sheet.item(words.consequence(other)) for other in report.consequences)


def _ask(sheet: Sheet, report: Report) -> Iterator[str]:
    if not report.ask:
        return
    yield from sheet.section("ask")
    for ask in report.ask:
        yield sheet.item(sheet.words.ask(ask))
        if ask.command:
            yield sheet.surface.block(sheet.words.command(ask.command), 4)
    yield sheet.surface.para(sheet.words.say("ask.again"), 2)


def _left(sheet: Sheet, report: Report, full: bool) -> Iterator[str]:
    """What the log leaves open, and what it states."""
    words = sheet.words
    if report.verdict != Verdict.UNKNOWN:
        yield from _unknown(sheet, report)
    if report.missing:
        yield from sheet.section("missing")
    for missing in report.missing:
        yield sheet.item(words.missing(missing))
        if missing.command:
            yield sheet.surface.block(words.command(missing.command), 4)
    if report.facts and (full or report.verdict == Verdict.UNKNOWN):
        yield from sheet.section("facts")
        yield sheet.surface.para(words.facts(report.facts), 2)
    if report.skipped:
        yield from sheet.section("skipped")
        yield from map(sheet.item, words.left_out(report.skipped))


def explanation_parts(sheet: Sheet, explanation: Explanation) -> Iterator[str]:
    """Why one entry was found in a log, or was not."""
    para, words = sheet.surface.para, sheet.words
    entry, finding = explanation.entry, explanation.finding
    yield para(words.title(entry), style="title")
    yield para(words.identity(entry), style="dim")
    if finding:
        yield para(words.say("explain.found", level=words.level(finding)), 2, 4)
        why = words.why(finding, explanation.others, "why.shared")
        if why:
            yield para(why, 2, 4)
        yield from (sheet.item(words.reason(reason), 4) for reason in finding.reasons)
        yield para(words.rank(finding), 2, 4)
    else:
        yield para(words.say("explain.draft" if entry.status == Status.DRAFT else "explain.not-found"), 2, 4)
    for trace in explanation.signatures:
        yield from _trace(sheet, trace)


def _trace(sheet: Sheet, trace: SignatureTrace) -> Iterator[str]:
    """One signature: its hits, or how far it got."""
    words = sheet.words
    said = words.say("explain.signature", id=words.code(trace.signature.id), place=words.place(trace.signature))
    yield ""
    yield sheet.surface.para(said, 2, 4, style="heading")
    for hit in trace.hits[:_MOST_HITS]:
        yield sheet.item(words.hit(hit), 4)
        yield sheet.surface.proof(proof_rows(hit), 6)
    more = len(trace.hits) - _MOST_HITS
    if more > 0:
        yield sheet.item(words.say("explain.more", n=more), 4)
    if not trace.hits:
        yield from _no_hit(sheet, trace)


def _no_hit(sheet: Sheet, trace: SignatureTrace) -> Iterator[str]:
    words = sheet.words
    if trace.matched and trace.rest:
        yield sheet.item(words.say("explain.part", lines=words.numbers(trace.lines)), 4)
        yield sheet.surface.raw(trace.matched, 6)
        yield sheet.item(words.say("explain.rest"), 4)
        yield sheet.surface.raw(trace.rest, 6)
    elif trace.matched:
        yield sheet.item(words.say("explain.condition", lines=words.numbers(trace.lines)), 4)
    else:
        yield sheet.item(words.say("explain.nothing"), 4)
    if trace.elsewhere:
        yield sheet.item(words.say("explain.elsewhere", place=words.say(f"place.{trace.elsewhere}")), 4)
