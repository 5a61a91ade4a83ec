"""A report or an entry, in a language and a format, as one string.

Text is written by Python, `text_report.py` and `text_article.py`, and waits for no import that it does not need: on a terminal somebody
sits before it. Markdown and HTML are templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .errors import FixbookError
from .expressions import expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from .explain import Explanation
    from .model import Entry, Lang, Text
    from .render_html import HtmlSurface
    from .render_markdown import MarkdownSurface
    from .report import Report
    from .text_article import Sheet
    from .words import TitleOf

    class Titled(Protocol):
        @property
        def title(self) -> Text: ...

    class Shelf(Protocol):
        """A book, as far as an article needs it: the titles of the other entries that it names."""

        def __getitem__(self, id: str, /) -> Titled: ...


__all__ = ["FORMATS", "LANGS", "render", "render_entry", "render_explanation"]

FORMATS = ("text", "markdown", "html", "json")
LANGS = ("en", "zh", "both")

_ENDINGS = {"markdown": "md", "html": "html"}
_BETWEEN = {"markdown": "\n\n---\n\n", "html": "\n"}
_DEFAULT_WIDTH = 100
_GAPS = expression(r"\n{3,}")


def render(
    report: Report,
    format: str = "text",
    lang: str = "en",
    full: bool = False,
    *,
    width: int = _DEFAULT_WIDTH,
    color: bool = False,
    book: Shelf | None = None,
    base_url: str = "",
) -> str:
    """The report for people, as JSON, or as the card of a chat; ends without a newline.

    `full` gives the whole article of the first finding. `width` (columns) and `color` matter to text only. `book` gives the titles of
    entries that the report only names. `base_url` is where the site of the book is published: cards link to it.
    """
    if _checked(format, lang) == "text":
        from .text_report import report_parts

        return _text(lambda sheet: report_parts(sheet, report, full), lang, report.source, book, width, color)
    if format == "json":
        from .json_report import to_json

        return to_json(report)
    if format not in FORMATS:
        return _card(report, format, lang, base_url, full)
    return _filled("report", format, lang, report.source, book, {"report": report, "full": full})


def render_entry(
    entry: Entry,
    format: str = "text",
    lang: str = "en",
    book: Shelf | None = None,
    *,
    width: int = _DEFAULT_WIDTH,
    color: bool = False,
    base_url: str = "",
    full: bool = False,
) -> str:
    """The entry's article, with its own words where a log would give values; ends without a newline. `base_url`, `full`: of cards."""
    if _checked(format, lang) == "text":
        from .text_article import article_parts

        return _text(lambda sheet: article_parts(sheet, entry), lang, "", book, width, color)
    if format == "json":
        from .json_report import entry_to_json

        return entry_to_json(entry)
    if format not in FORMATS:
        return _card(entry, format, lang, base_url, full)
    return _filled("article", format, lang, "", book, {"entry": entry})


def render_explanation(explanation: Explanation, lang: Lang, *, width: int = _DEFAULT_WIDTH, color: bool = False) -> str:
    """Why one entry was found in a log, or was not, as text; ends without a newline."""
    from .text_report import explanation_parts

    return _text(lambda sheet: explanation_parts(sheet, explanation), lang, "", None, width, color)


def _checked(format: str, lang: str) -> str:
    if format not in FORMATS:
        from .cards import PLATFORMS

        if format not in PLATFORMS:
            raise FixbookError(f"unknown format {format!r}: one of {', '.join((*FORMATS, *PLATFORMS))}")
    if lang not in LANGS:
        raise FixbookError(f"unknown language {lang!r}: one of {', '.join(LANGS)}")
    return format


def _card(what: Report | Entry, platform: str, lang: str, base_url: str, full: bool) -> str:
    import json

    from .cards import card

    return json.dumps(card(what, platform, lang, base_url=base_url, full=full), ensure_ascii=False, indent=2)


def _titles(book: Shelf | None) -> TitleOf:
    def title_of(id: str) -> Text | None:
        if book is None:
            return None
        try:
            return book[id].title
        except KeyError:
            return None

    return title_of


def _langs(lang: str) -> tuple[Lang, ...]:
    return ("zh", "en") if lang == "both" else ("zh",) if lang == "zh" else ("en",)


def _text(parts: Callable[[Sheet], Iterable[str]], lang: str, source: str, book: Shelf | None, width: int, color: bool) -> str:
    """The parts in each language, a rule between the languages. `source` is the log that they speak of."""
    from .render_text import TextSurface
    from .report_words import ReportWords
    from .terminal import Painter
    from .text_article import Sheet

    surface = TextSurface(max(width, 20), Painter(color))
    sheets = (Sheet(surface, ReportWords(each, source), _titles(book)) for each in _langs(lang))
    rule = "─" * width
    return _thinned(f"\n\n{rule}\n\n".join("\n".join(parts(sheet)).strip("\n") for sheet in sheets))


def _filled(page: str, format: str, lang: str, source: str, book: Shelf | None, context: Mapping[str, Any]) -> str:
    """The page's template in each language."""
    from .templates import environment

    surface = _surface(format)
    template = environment(format == "html").get_template(f"{page}/{page}.{_ENDINGS[format]}")
    shared = {**context, **_globals(surface), "title_of": _titles(book)}
    texts = [template.render(**shared, **_worded(each, surface, source)).strip("\n") for each in _langs(lang)]
    whole = _BETWEEN[format].join(texts)
    return whole if format == "html" else _thinned(whole)


def _surface(format: str) -> MarkdownSurface | HtmlSurface:
    if format == "html":
        from .render_html import HtmlSurface

        return HtmlSurface()
    from .render_markdown import MarkdownSurface

    return MarkdownSurface()


def _globals(surface: MarkdownSurface | HtmlSurface) -> dict[str, Any]:
    from .model import SECTIONS
    from .proof import proof_rows
    from .seen import shown_texts
    from .words import values_of

    return {"s": surface, "rows": proof_rows, "shown_texts": shown_texts, "values_of": values_of, "sections": SECTIONS}


def _worded(lang: Lang, surface: MarkdownSurface | HtmlSurface, source: str) -> dict[str, Any]:
    """What a template says in one language."""
    from .report_words import ReportWords

    words = ReportWords(lang, source)
    tag = "zh-CN" if lang == "zh" else "en"
    return {"lang": lang, "tag": tag, "w": words, "heading": lambda name: surface.heading(words.say(f"section.{name}"))}


def _thinned(text: str) -> str:
    """An empty line stands before each part; a part that had nothing to say leaves two."""
    return _GAPS.sub("\n\n", text).strip("\n")
