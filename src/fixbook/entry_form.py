"""An entry's file as a form: its keys, in the order in which people write them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from .entry_check import check_entry
from .entry_conditions import ConditionsForm
from .entry_parts import AFFECTS, ID, LINK, NAMES, SAMPLE, SIBLING, SIGNATURE, SLUG, Section, bilingual
from .form import Items, Key, May, Must, OneOf, Shape, Values
from .model import SECTIONS, Block, Commonness, Conditions, Entry, Evidence, FixEffect, Kind, Severity, Status, Text
from .reading import Reading
from .yaml_reader import Node

__all__ = ["ENTRY", "SUMMARY_LIMIT", "VERSION"]

VERSION = "fixbook/1"
SUMMARY_LIMIT = 200


class _Version:
    """The version of the format."""

    def read(self, node: Node, reading: Reading) -> str:
        if node.text != VERSION:
            what = f"`{node.text}` is no version of the format that this program reads"
            raise reading.refuse(node.where, "schema", what, f"write `schema: {VERSION}`")
        return node.text

    def schema(self) -> dict[str, Any]:
        return {"const": VERSION}


class _Date:
    """A day, ISO 8601."""

    def read(self, node: Node, reading: Reading) -> str:
        try:
            return date.fromisoformat(node.text if len(node.text) == 10 else "").isoformat()
        except ValueError:
            raise reading.refuse(node.where, "date", f"`{node.text}` is not a date", "write it as 2026-12-01") from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}


_SECTION_DOCS = {
    "environment": "where it happens: versions, hardware, settings",
    "quick_fix": "the shortest way to a working system, exact commands and versions",
    "caveats": "what the fix costs, and popular advice that is wrong",
    "scenario": "what the user was doing when it happened",
    "cause": "why it happens, in the system's own terms",
    "checks": "commands that confirm the cause, and what each outcome means",
    "steps": "the full way, step by step",
    "verify": "how to see that it is mended: what the log then shows",
}
_NEEDED = frozenset({"quick_fix", "cause", "verify"})
_SECTIONS: dict[str, Key[tuple[Block, ...]]] = {
    name: Must(name, Section, _SECTION_DOCS[name]) if name in _NEEDED else May(name, Section, _SECTION_DOCS[name], ()) for name in SECTIONS
}

_SCHEMA = Must("schema", _Version(), f"the version of the format, `{VERSION}`")
_KIND = May("kind", OneOf(Kind), "cause; wrapper (a shell around another failure), cascade (what others do then), benign", Kind.CAUSE)
_STATUS = May("status", OneOf(Status), "active; draft (never matched by default); withdrawn (keeps its page)", Status.ACTIVE)
_TITLE = Must("title", bilingual(), "the failure and its cause in one line")
_SEVERITY = Must("severity", OneOf(Severity), "what the failure does to the user")
_COMMONNESS = May("commonness", OneOf(Commonness), "last tie-break of the order of findings", Commonness.USUAL)
_ALIASES = May("aliases", Items(SLUG), "other slugs under which the cause is known", ())
_AFFECTS = May("affects", Items(AFFECTS), "versions of a package that have the fault", ())
_FIX_EFFECT: May[FixEffect | None] = May("fix_effect", OneOf(FixEffect), "what the fixed release does about it", None)
_SIGNATURES = Must("signatures", Items(SIGNATURE), "the shapes of text by which the failure shows itself")
_REQUIRES = May("requires", ConditionsForm(), "conditions all of which must hold", Conditions())
_RULES_OUT = May("rules_out", ConditionsForm(), "conditions any of which speaks against the entry", Conditions())
_REFINES = May("refines", Items(ID), "ids of more general entries, which become consequences of this one", ())
_SIBLINGS = May("siblings", Items(SIBLING), "entries that are taken for this one, and how to tell them apart", ())
_SAMPLES = Must("samples", Items(SAMPLE), "logs with the answer that each must get")
_NAMES: May[Mapping[str, Text]] = May("names", NAMES, "the word to show for a placeholder where nothing was captured", {})
_SUMMARY = Must("summary", bilingual(SUMMARY_LIMIT), f"the cause and the first action, at most {SUMMARY_LIMIT} characters a language")
_LINKS = Must("links", Items(LINK), "what backs the article")
_EVIDENCE = Must("evidence", OneOf(Evidence), "how well cause and fix are known")
_REVIEWED = Must("reviewed", _Date(), "the day on which a person last checked the entry")


def _entry(values: Values, reading: Reading) -> Entry:
    sections = {name: values[key] for name, key in _SECTIONS.items() if values[key]}
    entry = Entry(
        id=reading.id,
        kind=values[_KIND],
        status=values[_STATUS],
        title=values[_TITLE],
        summary=values[_SUMMARY],
        severity=values[_SEVERITY],
        commonness=values[_COMMONNESS],
        signatures=values[_SIGNATURES],
        samples=values[_SAMPLES],
        sections=sections,
        links=values[_LINKS],
        evidence=values[_EVIDENCE],
        reviewed=values[_REVIEWED],
        aliases=values[_ALIASES],
        affects=values[_AFFECTS],
        fix_effect=values[_FIX_EFFECT],
        requires=values[_REQUIRES],
        rules_out=values[_RULES_OUT],
        refines=values[_REFINES],
        siblings=values[_SIBLINGS],
        names=values[_NAMES],
        where=values.node.where,
    )
    check_entry(entry, values.node, reading)
    return entry


_HEAD: tuple[Key[Any], ...] = (
    _SCHEMA,
    _KIND,
    _STATUS,
    _TITLE,
    _SEVERITY,
    _COMMONNESS,
    _ALIASES,
    _AFFECTS,
    _FIX_EFFECT,
    _SIGNATURES,
    _REQUIRES,
    _RULES_OUT,
    _REFINES,
    _SIBLINGS,
    _SAMPLES,
    _NAMES,
    _SUMMARY,
)
ENTRY = Shape((*_HEAD, *_SECTIONS.values(), _LINKS, _EVIDENCE, _REVIEWED), _entry)
