"""Small values for the tests of triage: entries, and reports over a text, without files."""

from collections.abc import Mapping, Sequence
from typing import Any

from fixbook.facts import read_facts, stated_by_caller
from fixbook.log import read
from fixbook.model import (
    Affects,
    Block,
    Commonness,
    Condition,
    Conditions,
    Entry,
    Evidence,
    Kind,
    Place,
    Severity,
    Sibling,
    Signature,
    Status,
    Text,
)
from fixbook.report import BookInfo, Hit, Log, MessageStatus, Report
from fixbook.scan import scan
from fixbook.triage import triage

BOOK = BookInfo("0", "digest", 0)
ENGINE = (
    "INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v{version}) with config: model='m', dtype={dtype}, kv_cache_dtype={kv}"
)


def engine(kv: str = "auto", dtype: str = "torch.bfloat16", version: str = "0.31.0") -> str:
    """The configuration line of an engine."""
    return ENGINE.format(kv=kv, dtype=dtype, version=version)


def text(en: str = "words", zh: str = "文字") -> Text:
    return Text(en, zh)


def entry(id: str, pattern: str, **more: Any) -> Entry:
    """An entry with one signature, `pattern`; `shared`, `after_fix`, `place` and `with_` go to the signature."""
    of_signature = {name: more.pop(name) for name in ("shared", "after_fix", "place", "with_", "flags") if name in more}
    signatures = more.pop("signatures", (Signature("words", pattern, **of_signature),))
    values: dict[str, Any] = {
        "kind": Kind.CAUSE,
        "status": Status.ACTIVE,
        "title": text(id),
        "summary": text(),
        "severity": Severity.SERVICE_DOWN,
        "commonness": Commonness.USUAL,
        "samples": (),
        "sections": {"cause": (Block(text()),)},
        "links": (),
        "evidence": Evidence.INFERRED,
        "reviewed": "2026-12-01",
    }
    return Entry(id=id, signatures=signatures, **{**values, **more})


def facts(*conditions: Condition, frames: str | None = None, messages: str | None = None) -> Conditions:
    return Conditions(conditions, frames, messages)


def diagnose(log: str, *entries: Entry, stated: Mapping[str, str] | None = None) -> Report:
    """The report of a text over the entries, through the reader and the scan."""
    read_log = read(log)
    found = scan(read_log, {each.id: each for each in entries}, [each.id for each in entries])
    known = (*stated_by_caller(stated or {}), *read_facts(read_log))
    return triage({each.id: each for each in entries}, found.hits, known, read_log, BOOK, found.skipped)


def ids(findings: Sequence[Any]) -> list[str]:
    return [finding.entry.id for finding in findings]


def hit(log: Log, message: int, **more: Any) -> Hit:
    """A hit in a message of a log, as the scan would give it."""
    found = log.messages[message]
    values: dict[str, Any] = {
        "entry": "vllm/a",
        "signature": "words",
        "message": message,
        "source": log.name,
        "line": found.line,
        "column": 1,
        "text": found.text,
        "matched": found.text,
        "captures": {},
        "place": Place.MESSAGE,
        "status": MessageStatus.RAISED,
        "run": found.run,
        "episode": found.episode,
    }
    return Hit(**{**values, **more})


def affects(package: str = "vllm", **more: str) -> tuple[Affects, ...]:
    return (Affects(package, **more),)


def sibling(id: str, en: str = "look there", zh: str = "看那里") -> Sibling:
    return Sibling(id, Text(en, zh))
