"""What lists say about an entry: worked out once for each entry, kept as long as the entry does not change."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..decoding import decode
from ..model import SECTIONS, Affects, Commonness, Entry, Kind, Level, Severity, Status, Text
from ..prose import code_spans
from ..render_html import HtmlSurface
from ..render_text import TextSurface
from ..terminal import Painter
from ..words import Words
from .wordings import Wording, wordings

__all__ = ["Card", "card_of", "plain"]

_WIDE = 1_000_000
_LONGEST_EXAMPLE = 4000
_FLAGS = re.compile(r"(?<![\w-])--[a-z][\w-]+|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b")


class _PlainSurface(TextSurface):
    """Markdown as text that shows no marks: for titles, descriptions and attributes."""

    __slots__ = ()

    def code(self, body: str) -> str:
        return super().code(body).strip("`")


_PLAIN = _PlainSurface(_WIDE, Painter(False))
_HTML = HtmlSurface()


def plain(markdown: str) -> str:
    """Inline Markdown as one line of plain text."""
    return " ".join(_PLAIN.inline(markdown).split())


@dataclass(frozen=True, slots=True)
class Card:
    """An entry as lists show it. `title` and `summary` are plain text, with `_html` they are markup."""

    id: str
    aliases: tuple[str, ...]
    kind: Kind
    status: Status
    severity: Severity
    commonness: Commonness
    reviewed: str
    affects: tuple[Affects, ...]
    title: Text
    title_html: Text
    summary: Text
    summary_html: Text
    wordings: tuple[Wording, ...]
    terms: tuple[str, ...]  # code of its prose and flags: what is searched for besides words
    length: int  # characters of its articles, both languages together, in whole thousands
    siblings: tuple[str, ...]  # ids
    refines: tuple[str, ...]
    example: str  # a log that shows it beyond doubt; "" for all but the common causes

    @property
    def component(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def slug(self) -> str:
        return self.id.split("/", 1)[1]

    @property
    def is_listed(self) -> bool:
        return self.status is not Status.WITHDRAWN


def card_of(entry: Entry) -> Card:
    en, zh = Words("en"), Words("zh")
    title = (en.title(entry), zh.title(entry))
    summary = (en.summary(entry), zh.summary(entry))
    return Card(
        id=entry.id,
        aliases=entry.aliases,
        kind=entry.kind,
        status=entry.status,
        severity=entry.severity,
        commonness=entry.commonness,
        reviewed=entry.reviewed,
        affects=entry.affects,
        title=_both(plain, title),
        title_html=_both(_HTML.inline, title),
        summary=_both(plain, summary),
        summary_html=_both(_HTML.inline, summary),
        wordings=wordings(entry),
        terms=_terms(entry),
        length=_length(entry),
        siblings=tuple(sibling.entry for sibling in entry.siblings),
        refines=entry.refines,
        example=_example(entry),
    )


def _example(entry: Entry) -> str:
    """The longest short sample that proves the cause without anything that a caller would have to say."""
    if entry.kind is not Kind.CAUSE or entry.commonness is not Commonness.COMMON:
        return ""
    proofs = (sample for sample in entry.samples if Level.CONFIRMED in sample.expect.values() and not sample.facts)
    texts = (sample.text if isinstance(sample.text, str) else decode(sample.text) for sample in proofs)
    return max((text for text in texts if len(text) <= _LONGEST_EXAMPLE), key=len, default="")


def _length(entry: Entry) -> int:
    """Roughly, so that a changed word does not change every list."""
    return round(sum(len(text) for blocks in entry.sections.values() for block in blocks for text in (block.text.en, block.text.zh)), -3)


def _both(make: Callable[[str], str], texts: tuple[str, str]) -> Text:
    return Text(en=str(make(texts[0])), zh=str(make(texts[1])))


def _terms(entry: Entry) -> tuple[str, ...]:
    """Short code spans, flags and environment variables of the article, each once."""
    found: dict[str, None] = {}
    for name in SECTIONS:
        for block in entry.sections.get(name, ()):
            spans = code_spans(block.text.en)
            for text in (*spans, block.run or ""):
                found.update(dict.fromkeys(_FLAGS.findall(text)))
            found.update({span: None for span in spans if len(span) <= 60 and "\n" not in span and "{" not in span})
    return tuple(found)
