"""The published JSON of a report: `schema/report.schema.json` describes it. Keys are added, never renamed or removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .expressions import expression
from .json_text import dumps
from .model import Entry, Lang, Text
from .report import Ask, Fact, Finding, Hit, Missing, Reason, Report, Skipped, Unknown
from .value import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

__all__ = ["SCHEMA_VERSION", "entries_to_json", "entry_to_json", "reports_to_json", "to_dict", "to_json", "to_line"]

SCHEMA_VERSION = 1
_LONGEST_LINE = 10_000
# JSON escapes C0 only; these act on a terminal (C1, bidi, separators) or cannot be encoded (lone surrogates).
_UNSAFE = expression("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def to_json(report: Report) -> str:
    """What `fixbook --format json` prints for one log; ends without a newline."""
    return _dumps(to_dict(report))


def to_line(report: Report) -> str:
    """The same on one line."""
    import json  # not needed for one document

    return _safe(json.dumps(to_dict(report), ensure_ascii=False))


def reports_to_json(reports: Sequence[Report]) -> str:
    """Several logs as one document."""
    return _dumps({"schema_version": SCHEMA_VERSION, "reports": [to_dict(report) for report in reports]})


def entries_to_json(entries: Sequence[Entry]) -> str:
    """A list of entries: what they are, without their articles."""
    listed = [{**_identity(entry), "status": str(entry.status), "severity": str(entry.severity)} for entry in entries]
    return _dumps({"schema_version": SCHEMA_VERSION, "entries": listed})


def entry_to_json(entry: Entry) -> str:
    """An entry's article as data, placeholders unfilled."""
    sections = {name: [{**_text(block.text), "run": block.run} for block in blocks] for name, blocks in entry.sections.items()}
    return _dumps(
        {
            "schema_version": SCHEMA_VERSION,
            **_identity(entry),
            "status": str(entry.status),
            "severity": str(entry.severity),
            "affects": [{name: getattr(each, name) for name in fields(each)} for each in entry.affects],
            "fix_effect": str(entry.fix_effect) if entry.fix_effect else None,
            "sections": sections,
            "siblings": [{"id": sibling.entry, "tell": _text(sibling.tell)} for sibling in entry.siblings],
            "links": [{"url": link.url, "says": link.says} for link in entry.links],
            "evidence": str(entry.evidence),
            "reviewed": entry.reviewed,
        }
    )


def to_dict(report: Report) -> Json:
    """The report as dicts, lists, strings, numbers and None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "book": {"version": report.book.version, "digest": report.book.digest, "entries": report.book.entries},
        "source": report.source,
        "verdict": str(report.verdict),
        "findings": [_finding(finding) for finding in report.findings],
        "consequences": [_finding(finding) for finding in report.consequences],
        "ruled_out": [{**_finding(finding), "because": _because(finding)} for finding in report.ruled_out],
        "ask": [_ask(ask) for ask in report.ask],
        "unknown": [{**_unknown(unknown), "source": unknown.source or report.source} for unknown in report.unknown],
        "facts": [_fact(fact) for fact in report.facts],
        "missing": [{**_missing(missing), "source": missing.source or report.source} for missing in report.missing],
        "skipped": [_skipped(skipped) for skipped in report.skipped],
    }


def _dumps(value: Json) -> str:
    return _safe(dumps(value))


def _safe(text: str) -> str:
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _identity(entry: Entry) -> Json:
    return {
        "id": entry.id,
        "aliases": list(entry.aliases),
        "kind": str(entry.kind),
        "title": _text(entry.title),
        "summary": _text(entry.summary),
    }


def _finding(finding: Finding) -> Json:
    identity = _identity(finding.entry)
    return {
        **identity,
        **{key: _filled(finding, identity[key]) for key in ("title", "summary")},
        "level": str(finding.level),
        "version": str(finding.version),
        "affected_version": finding.affected_version,
        "rank": {name: _plain(value) for name, value in finding.rank._asdict().items()},
        "ranks": list(finding.ranks),
        "world": finding.world,
        "reasons": [_reason(reason) for reason in finding.reasons],
        "tell": dict(finding.tell),
        "hits": [_hit(hit) for hit in finding.hits],
    }


def _filled(finding: Finding, texts: Mapping[str, str]) -> dict[str, str]:
    """Title and summary as a card shows them: Markdown, with the values of the proving hit."""
    from .filling import fill, values_of

    langs: tuple[Lang, ...] = ("en", "zh")
    return {lang: fill(texts[lang], values_of(finding.entry, lang, finding)) for lang in langs}


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _hit(hit: Hit) -> Json:
    return {
        "signature": hit.signature,
        "source": hit.source,
        "line": hit.line,
        "column": hit.column,
        "text": _cut(hit.text, hit.column),
        "matched": hit.matched[:_LONGEST_LINE],
        "captures": dict(hit.captures),
        "place": str(hit.place),
        "process": hit.process,
        "rank": hit.rank,
        "repairs": list(hit.repairs),
    }


def _cut(line: str, column: int) -> str:
    """At most 10,000 characters of the line, round the match; `…` marks each cut."""
    if len(line) <= _LONGEST_LINE:
        return line
    start = max(min(column - 1 - _LONGEST_LINE // 2, len(line) - _LONGEST_LINE), 0)
    end = start + _LONGEST_LINE
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _reason(reason: Reason) -> Json:
    return {
        "condition": reason.condition,
        "fact": reason.fact,
        "holds": reason.holds,
        "value": reason.value,
        "line": reason.line,
        "rules_out": reason.rules_out,
        "source": reason.source,
    }


def _because(finding: Finding) -> list[Json]:
    """The reasons that decide against the entry."""
    return [_reason(reason) for reason in finding.reasons if reason.holds is not None and reason.holds == reason.rules_out]


def _ask(ask: Ask) -> Json:
    return {"fact": ask.fact, "decides_between": list(ask.decides_between), "command": ask.command}


def _unknown(unknown: Unknown) -> Json:
    return {
        "fingerprint": unknown.fingerprint,
        "exception": unknown.exception,
        "message": unknown.message,
        "line": unknown.line,
        "frames": list(unknown.frames),
        "nearest": [{"id": near.entry, "because": near.because} for near in unknown.nearest],
    }


def _fact(fact: Fact) -> Json:
    return {"name": fact.name, "value": fact.value, "stated": fact.stated, "source": fact.source, "line": fact.line}


def _missing(missing: Missing) -> Json:
    return {"what": missing.what, "line": missing.line, "command": missing.command}


def _skipped(skipped: Skipped) -> Json:
    return {"what": skipped.what, "reason": skipped.reason, "line": skipped.line}
