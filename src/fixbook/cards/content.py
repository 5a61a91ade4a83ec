"""What a card says about a report or an entry in one language, before any platform's markup."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ..filling import Marked
from ..model import SECTIONS, Entry, Lang
from ..proof import proof_rows
from ..report import Finding, Report, Verdict
from ..report_words import ReportWords, is_about_facts
from ..seen import shown_texts
from ..words import values_of
from .budget import Section
from .tree import Block, Span, code_block, parse, parse_line

__all__ = ["Card", "Style", "article_url", "book_url", "of_entry", "of_report"]

Style = str  # "good" | "warn" | "bad": what colour the card has
_STYLES = {Verdict.KNOWN: "warn", Verdict.WRAPPER: "warn", Verdict.UNKNOWN: "bad", Verdict.CLEAN: "good"}
_PROOF_WIDTH = 300
_MOST_OTHERS = 8  # lines in one list
_ARTICLE = tuple(name for name in SECTIONS if name != "quick_fix")

# The order in which sections are given up when a message is too small, the last first.
_SUMMARY, _FIX, _UNKNOWN, _PROOF, _WHY, _ASK, _OTHERS, _MISSING, _NEXT, _RULED_OUT, _CONSEQUENCES, _FACTS, _SKIPPED, _REST = range(14)


@dataclass(frozen=True, slots=True)
class Card:
    """The parts of a card. `footer` leads to the article or the book, and is always kept; `cut` says that something was left out."""

    lang: Lang
    style: Style
    title: tuple[Span, ...]
    subtitle: tuple[Span, ...]
    sections: tuple[Section, ...]
    article: tuple[Section, ...]  # the rest of the article: only where there is room for it
    footer: tuple[Span, ...]
    cut: tuple[Span, ...]
    url: str = ""


def article_url(base_url: str, id: str, lang: Lang) -> str:
    """Where the article of an entry is published; `base_url` is the root of the site, or an address with `{id}` and `{lang}` in it."""
    if "{id}" in base_url:
        return base_url.replace("{id}", quote(id)).replace("{lang}", lang)
    return f"{base_url.rstrip('/')}/{lang}/{quote(id)}.html"


def book_url(base_url: str, lang: Lang) -> str:
    """Where a site begins: there a person searches, or pastes more of the log."""
    return f"{base_url.rstrip('/')}/{lang}/index.html"


def of_report(report: Report, lang: Lang, base_url: str = "", full: bool = False) -> Card:
    """The answer to a log. `full` adds the rest of the first finding's article."""
    words = ReportWords(lang, report.source)
    first = words.lead(report)
    article = tuple(_article(words, first.entry, first)) if first else ()
    return _card(
        words,
        _STYLES[report.verdict],
        words.headline(report),
        first.entry if first else None,
        [*_of_report(words, report), *(article if full else ())],
        () if full else article,
        base_url,
    )


def of_entry(entry: Entry, lang: Lang, base_url: str = "", full: bool = False) -> Card:
    """An article of the book, without a log."""
    words = ReportWords(lang)
    sections = [Section(_SUMMARY, parse(words.summary(entry))), *_section(words, entry, "quick_fix", None, _FIX)]
    article = tuple(_article(words, entry, None))
    return _card(words, "warn", words.title(entry), entry, [*sections, *(article if full else ())], () if full else article, base_url)


def _card(
    words: ReportWords,
    style: Style,
    title: str,
    entry: Entry | None,
    sections: Sequence[Section],
    article: tuple[Section, ...],
    base_url: str,
) -> Card:
    url = article_url(base_url, entry.id, words.lang) if entry and base_url else ""
    footer: tuple[Span, ...] = ()
    if url:
        footer = (Span("link", inner=parse_line(words.say("card.article")), url=url),)
    elif entry:
        footer = parse_line(words.say("card.show", id=entry.id))
    elif base_url and "{id}" not in base_url:
        footer = (Span("link", inner=parse_line(words.say("card.book")), url=book_url(base_url, words.lang)),)
    return Card(
        lang=words.lang,
        style=style,
        title=parse_line(title),
        subtitle=parse_line(words.identity(entry)) if entry else (),
        sections=tuple(section for section in sections if section.blocks),
        article=article,
        footer=footer,
        cut=parse_line(words.say("card.cut")),
        url=url,
    )


def _of_report(words: ReportWords, report: Report) -> Iterator[Section]:
    first = words.lead(report)
    if first is not None:
        yield from _of_finding(words, report, first)
    elif report.verdict == Verdict.CLEAN:
        yield Section(_SUMMARY, (*parse(words.clean_says(report)), *parse(words.say("clean.next"))))
    if report.verdict == Verdict.UNKNOWN:
        yield Section(_SUMMARY, parse(words.unknown_says(report)))
        yield _unknown(words, report)
    yield from _lists(words, report)
    if report.verdict == Verdict.UNKNOWN:
        yield Section(_NEXT, parse(words.say("unknown.next")))
        if report.facts:
            yield Section(_FACTS, parse(words.facts(report.facts)), parse_line(words.say("section.facts")))


def _of_finding(words: ReportWords, report: Report, first: Finding) -> Iterator[Section]:
    if report.verdict == Verdict.WRAPPER:
        yield Section(_SUMMARY, parse(words.say("wrapper.says")))
    yield Section(_SUMMARY, parse(words.summary(first.entry, first)))
    if first.hits:
        rows = proof_rows(first.hits[0], _PROOF_WIDTH)
        code = code_block("\n".join(row.text for row in rows), "text")
        yield Section(_PROOF, (Block(parse_line(words.where(first))), *((code,) if code.code else ())))
    why = [line for line in (words.why(first, report.findings), words.version(first)) if line]
    yield Section(_WHY, tuple(Block(parse_line(line), marker="•") for line in why))
    yield from _section(words, first.entry, "quick_fix", first, _FIX)


def _unknown(words: ReportWords, report: Report) -> Section:
    unknown = [(words.unknown(each), words.unknown_about(each)) for each in report.unknown]
    return _listed(unknown, _UNKNOWN, words.say("section.unknown"))


def _lists(words: ReportWords, report: Report) -> Iterator[Section]:
    """What stands beside the first finding, one line each."""
    others = words.beside(report)
    told = {other.entry.id: other.tell.get(words.lang) for other in others}
    rows = [(words.other(other), words.prose(told[other.entry.id] or "", values_of(other.entry, words.lang, other))) for other in others]
    yield _listed(rows, _OTHERS, words.other_heading(report))
    asked = [(words.ask(ask), words.command(ask.command) if ask.command else "") for ask in report.ask]
    yield _listed(asked, _ASK, words.say("section.ask"))
    ruled_out = [(words.ruled_out(other), "") for other in report.ruled_out]
    yield _listed(ruled_out, _RULED_OUT, words.say("section.ruled_out"))
    yield _listed([(words.consequence(other), "") for other in report.consequences], _CONSEQUENCES, words.say("section.consequences"))
    if report.verdict != Verdict.UNKNOWN:
        yield _unknown(words, report)
    missing = [(words.missing(each), words.command(each.command) if each.command else "") for each in report.missing]
    yield _listed(missing, _MISSING, words.say("section.missing"))
    skipped = words.left_out(each for each in report.skipped if not is_about_facts(each))
    yield _listed([(line, "") for line in skipped], _SKIPPED, words.say("section.skipped"))


def _listed(rows: Sequence[tuple[str, str]], keep: int, heading: str) -> Section:
    """A list of lines with what belongs to each below it; `+ 3` stands for those beyond the first eight."""
    blocks: list[Block] = []
    for line, below in rows[:_MOST_OTHERS]:
        blocks.append(Block(parse_line(line), marker="•"))
        blocks += (Block(block.spans, block.code, block.language, block.depth + 1, block.marker) for block in parse(below))
    if len(rows) > _MOST_OTHERS:
        blocks.append(Block((Span("text", f"+ {len(rows) - _MOST_OTHERS}"),), marker="•"))
    return Section(keep, tuple(blocks), parse_line(heading))


def _section(words: ReportWords, entry: Entry, name: str, finding: Finding | None, keep: int) -> Iterator[Section]:
    text = words.section(entry, name, finding)
    if text:
        yield Section(keep, parse(text), parse_line(words.say(f"section.{name}")))


def _article(words: ReportWords, entry: Entry, finding: Finding | None) -> Iterator[Section]:
    """The sections of the article that a short answer leaves out, in the order of the page."""
    for at, name in enumerate(_ARTICLE):
        yield from _section(words, entry, name, finding, _REST + at)
        if name == "scenario" and finding is None:
            texts = tuple(code_block(text, "text") for text in shown_texts(entry))
            yield Section(_REST + at, texts, parse_line(words.say("section.error")))
    affects = tuple(Block(parse_line(words.affects(each)), marker="•") for each in entry.affects)
    if affects:
        yield Section(_REST + len(_ARTICLE), affects, parse_line(words.say("section.versions")))
    links = tuple(Block(parse_line(words.link(link)), marker="•") for link in entry.links)
    last = Block(parse_line(Marked(words.evidence(entry))))
    yield Section(_REST + len(_ARTICLE) + 1, (*links, last), parse_line(words.say("section.links")))
