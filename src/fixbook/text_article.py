"""An entry's article as text for a terminal, part by part.

A part is one or more whole lines; "" is an empty line. Before each part that stands apart there is an empty one, and the caller thins
them out, so that a part with nothing to say leaves no gap.
"""

from __future__ import annotations

from collections.abc import Iterator

from .model import SECTIONS, Entry, Status
from .render_text import TextSurface
from .report_words import ReportWords
from .value import Value
from .words import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .report import Finding
    from .words import TitleOf

__all__ = ["Sheet", "article_parts", "prose_parts", "tail_parts"]


class Sheet(Value):
    """What a text is written with: the surface, the words of one language, and the titles of other entries."""

    surface: TextSurface
    words: ReportWords
    title_of: TitleOf

    def section(self, name: str) -> Iterator[str]:
        """An empty line and the heading of a section."""
        yield ""
        yield self.surface.heading(self.words.say(f"section.{name}"))

    def item(self, markdown: str, indent: int = 2) -> str:
        """One item of a list; its lines hang behind the dash."""
        return self.surface.para(f"- {markdown}", indent, indent + 2)


def article_parts(sheet: Sheet, entry: Entry) -> Iterator[str]:
    """The whole article, with the entry's own words where a log would give values."""
    para, words = sheet.surface.para, sheet.words
    yield para(words.title(entry), style="title")
    yield para(words.identity(entry), style="dim")
    if entry.aliases:
        yield para(words.aliases(entry), style="dim")
    if entry.status != Status.ACTIVE:
        yield para(words.say(f"status.{entry.status}"), style="warn")
    yield from sheet.section("summary")
    yield sheet.surface.block(words.summary(entry), 2)
    yield from prose_parts(sheet, entry)
    yield from tail_parts(sheet, entry)


def prose_parts(sheet: Sheet, entry: Entry, finding: Finding | None = None) -> Iterator[str]:
    """The prose of an entry below its summary, filled by `finding`; the text of the error stands before the cause."""
    for name in SECTIONS:
        if name == "cause":
            yield from _error(sheet, entry)
        if entry.sections.get(name):
            yield from sheet.section(name)
            yield sheet.surface.block(sheet.words.section(entry, name, finding), 2)


def _error(sheet: Sheet, entry: Entry) -> Iterator[str]:
    from .seen import shown_texts  # a short answer shows the log's own text

    yield from sheet.section("error")
    for text in shown_texts(entry):
        yield sheet.surface.raw(text, 2)
        yield ""


def tail_parts(sheet: Sheet, entry: Entry) -> Iterator[str]:
    """What stands below the prose of an entry: versions, what it is confused with, sources."""
    words = sheet.words
    if entry.affects:
        yield from sheet.section("versions")
        yield from (sheet.item(words.affects(affects)) for affects in entry.affects)
        if entry.fix_effect:
            yield sheet.item(words.say(f"effect.{entry.fix_effect}"))
    if entry.siblings:
        yield from sheet.section("siblings")
        for sibling in entry.siblings:
            yield sheet.item(words.sibling(sibling, sheet.title_of))
            yield sheet.surface.para(words.prose(sibling.tell.get(words.lang), values_of(entry, words.lang)), 4)
    yield from sheet.section("links")
    yield from (sheet.item(words.link(link)) for link in entry.links)
    yield ""
    yield sheet.surface.para(words.evidence(entry), 2)
