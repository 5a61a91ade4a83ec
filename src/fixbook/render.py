"""A report or an entry, in a language and a format, as one string."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from .cards import PLATFORMS
from .errors import FixbookError
from .expressions import expression
from .model import SECTIONS, Entry, Lang, Text
from .report import Report, Verdict
from .templates import environment
from .words import values_of

if TYPE_CHECKING:
    from .explain import Explanation
    from .render_html import HtmlSurface
    from .render_markdown import MarkdownSurface
    from .render_text import TextSurface

    Surface = TextSurface | MarkdownSurface | HtmlSurface

__all__ = ["FORMATS", "LANGS", "Format", "LangChoice", "Shelf", "render", "render_entry", "render_explanation"]

Format = Literal["text", "markdown", "html", "json"]
LangChoice = Literal["en", "zh", "both"]
FORMATS: tuple[Format, ...] = get_args(Format)
LANGS: tuple[LangChoice, ...] = get_args(LangChoice)

_ENDINGS = {"text": "txt", "markdown": "md", "html": "html"}
_BETWEEN = {"text": "\n\n{rule}\n\n", "markdown": "\n\n---\n\n", "html": "\n"}
_VERDICT_STYLES = {Verdict.KNOWN: "warn", Verdict.WRAPPER: "warn", Verdict.UNKNOWN: "bad", Verdict.CLEAN: "good"}
_DEFAULT_WIDTH = 100
_GAPS = expression(r"\n{3,}")


class Titled(Protocol):
    @property
    def title(self) -> Text: ...


class Shelf(Protocol):
    """A book, as far as an article needs it: the titles of the other entries that it names."""

    def __getitem__(self, id: str, /) -> Titled: ...


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
    if _checked(format, lang) == "json":
        from .json_report import to_json

        return to_json(report)
    if format in PLATFORMS:
        return _card(report, format, lang, base_url, full)
    context = {"report": report, "full": full, "style": _VERDICT_STYLES[report.verdict]}
    return _in_languages(f"report/report.{_ENDINGS[format]}", format, lang, context, _titles(book), width, color)


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
    if _checked(format, lang) == "json":
        from .json_report import entry_to_json

        return entry_to_json(entry)
    if format in PLATFORMS:
        return _card(entry, format, lang, base_url, full)
    return _in_languages(f"article/article.{_ENDINGS[format]}", format, lang, {"entry": entry}, _titles(book), width, color)


def render_explanation(explanation: "Explanation", lang: Lang, *, width: int = _DEFAULT_WIDTH, color: bool = False) -> str:
    """Why one entry was found in a log, or was not, as text; ends without a newline."""
    finding, others = explanation.finding, explanation.others
    context = {"entry": explanation.entry, "finding": finding, "others": others, "signatures": explanation.signatures}
    return _in_languages("report/explanation.txt", "text", lang, context, _titles(None), width, color)


def _checked(format: str, lang: str) -> str:
    if format not in FORMATS and format not in PLATFORMS:
        raise FixbookError(f"unknown format {format!r}: one of {', '.join((*FORMATS, *PLATFORMS))}")
    if lang not in LANGS:
        raise FixbookError(f"unknown language {lang!r}: one of {', '.join(LANGS)}")
    return format


def _card(what: Report | Entry, platform: str, lang: str, base_url: str, full: bool) -> str:
    import json

    from .cards import card

    return json.dumps(card(what, platform, lang, base_url=base_url, full=full), ensure_ascii=False, indent=2)


def _titles(book: Shelf | None) -> Callable[[str], Text | None]:
    def title_of(id: str) -> Text | None:
        if book is None:
            return None
        try:
            return book[id].title
        except KeyError:
            return None

    return title_of


def _in_languages(
    template: str, format: str, lang: str, context: Mapping[str, Any], title_of: Callable[[str], Text | None], width: int, color: bool
) -> str:
    langs: tuple[Lang, ...] = ("zh", "en") if lang == "both" else ("zh",) if lang == "zh" else ("en",)
    surface = _surface(format, width, color)
    page = environment(format == "html").get_template(template)
    shared = {**context, **_globals(surface), "title_of": title_of}
    source = context["report"].source if "report" in context else ""
    texts = [page.render(**shared, **_worded(each, surface, source)).strip("\n") for each in langs]
    return _thinned(_BETWEEN[format].format(rule="─" * width).join(texts), format)


def _surface(format: str, width: int, color: bool) -> "Surface":
    if format == "html":
        from .render_html import HtmlSurface

        return HtmlSurface()
    if format == "markdown":
        from .render_markdown import MarkdownSurface

        return MarkdownSurface()
    from .render_text import TextSurface
    from .terminal import Painter

    return TextSurface(max(width, 20), Painter(color))


def _globals(surface: "Surface") -> dict[str, Any]:
    from .proof import proof_rows
    from .seen import shown_texts

    return {"s": surface, "rows": proof_rows, "shown_texts": shown_texts, "values_of": values_of, "sections": SECTIONS}


def _worded(lang: Lang, surface: "Surface", source: str) -> dict[str, Any]:
    """What a template says in one language."""
    from .report_words import ReportWords

    words = ReportWords(lang, source)
    tag = "zh-CN" if lang == "zh" else "en"
    return {"lang": lang, "tag": tag, "w": words, "heading": lambda name: surface.heading(words.say(f"section.{name}"))}


def _thinned(text: str, format: str) -> str:
    """Text templates put an empty line before each part; a part that had nothing to say leaves two."""
    return text if format == "html" else _GAPS.sub("\n\n", text).strip("\n")
