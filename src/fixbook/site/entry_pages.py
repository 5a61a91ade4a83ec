"""The pages of an entry: its article in each language with the twins for programs, and the redirects from its old names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup
from packaging.version import InvalidVersion, Version

from .. import __version__
from ..conditions import describe
from ..decoding import decode
from ..escape import code_span, escaped, visible
from ..filling import Marked
from ..model import SECTIONS, Conditions, Entry, Lang, Level, Sample, Sibling, Status
from ..render import render_entry
from ..templates import label
from ..words import Words, values_of
from .addresses import LANGS, alias_page, entry_page, relative, versions_of
from .output import Output
from .press import Page, Press
from .volume import Item, Volume, digest

__all__ = ["EntryPages"]

_RELEASES = re.compile(r"(?P<package>[\w.-]+) (?P<first>\d[\w.]*)(?:-(?P<last>\d[\w.]*))?", re.ASCII)
_MOST_SAMPLES = 5
_MOST_LINES = 60
_MOST_CHARACTERS = 6000


@dataclass(frozen=True, slots=True)
class Shown:
    """A sample on a page."""

    level: Level
    text: str


class EntryPages:
    """Makes the pages of all entries of a volume. `code` is the key of the program, its templates and the settings."""

    def __init__(self, volume: Volume, press: Press, code: str) -> None:
        self._volume = volume
        self._press = press
        self._code = code
        self._titles = {item.id: item.card.title_html for item in volume.items}
        self._names = {id: component.name for id, component in volume.components.items()}
        self._shelf = _Shelf(volume)

    def outputs(self) -> Iterator[Output]:
        for item in self._volume.items:
            for lang in LANGS:
                yield from self._of(item, lang)

    def pages(self) -> Iterator[Page]:
        """Those that a sitemap may name."""
        return (self._page(item, lang) for item in self._volume.items for lang in LANGS)

    def _page(self, item: Item, lang: Lang) -> Page:
        id, card = item.id, item.card
        return Page(
            path=entry_page(lang, id),
            lang=lang,
            title=card.title.get(lang),
            description=card.summary.get(lang),
            versions=versions_of(entry_page(lang, id)),
            hidden=card.status is not Status.ACTIVE,
            date=card.reviewed,
            subject=id,
            twins=(("text/markdown", entry_page(lang, id, "md")), ("application/json", entry_page(lang, id, "json"))),
        )

    def _of(self, item: Item, lang: Lang) -> Iterator[Output]:
        card = item.card
        around = [(id, self._titles.get(id)) for id in (*card.siblings, *card.refines)]
        key = digest(self._code, item.key, item.file, around, self._component(card.component, lang), lang)
        yield Output(entry_page(lang, card.id), key, partial(self._article, item, lang))
        yield Output(entry_page(lang, card.id, "md"), key, partial(self._twin, item, "markdown", lang))
        yield Output(entry_page(lang, card.id, "json"), key, partial(self._twin, item, "json", lang))
        for alias in card.aliases:
            path = alias_page(lang, card.id, alias)
            yield Output(path, key, partial(self._moved, item, lang, path))

    def _component(self, id: str, lang: Lang) -> str:
        name = self._names.get(id)
        return name.get(lang) if name else id

    def _twin(self, item: Item, format: str, lang: Lang) -> bytes:
        return (render_entry(item.entry, format, lang, self._shelf) + "\n").encode("utf-8", "backslashreplace")

    def _moved(self, item: Item, lang: Lang, path: str) -> bytes:
        page = Page(path, lang, item.card.title.get(lang), item.card.summary.get(lang), hidden=True)
        target = entry_page(lang, item.id)
        link = f"[{escaped(item.card.title.get(lang))}]({relative(target, path)})"
        moved = self._press.surface.inline(Words(lang).say("site.moved-to", title=Marked(link)))
        return self._press.html(page, "redirect.html", target=target, moved=moved)

    def _article(self, item: Item, lang: Lang) -> bytes:
        entry, words = item.entry, Words(lang)
        page = self._page(item, lang)
        return self._press.html(
            page,
            "entry.html",
            entry=entry,
            card=item.card,
            component=self._component(entry.component, lang),
            sections=SECTIONS,
            contents=_contents(entry, words),
            siblings=[{**self._other(each.entry, page), "tell": self._tell(entry, each, words)} for each in entry.siblings],
            refines=[self._other(id, page) for id in entry.refines],
            samples=_samples(entry),
            needs=_conditions(entry.requires),
            excludes=_conditions(entry.rules_out),
            printed_by=_printed_by(entry),
            edit_url=self._press.settings.edit_url(_file(item)),
            issue_url=self._issue_url(entry, lang),
        )

    def _other(self, id: str, page: Page) -> dict[str, str]:
        """Title and address of another entry; an entry that is not in this book is named without a link."""
        title = self._titles.get(id)
        if title is None:
            return {"href": "", "title": self._press.surface.inline(code_span(id))}
        return {"href": relative(entry_page(page.lang, id), page.path), "title": Markup(title.get(page.lang))}

    def _tell(self, entry: Entry, sibling: Sibling, words: Words) -> str:
        return words.prose(sibling.tell.get(words.lang), values_of(entry, words.lang))

    def _issue_url(self, entry: Entry, lang: Lang) -> str:
        known = {"{id}": entry.id, "{version}": __version__}
        texts = [label(f"site.no-help-{part}", lang) for part in ("title", "body")]
        for name, value in known.items():
            texts = [text.replace(name, value) for text in texts]
        return self._press.settings.issue_url(*texts)


class _Shelf:
    """The titles of the other entries, for an article that names them."""

    def __init__(self, volume: Volume) -> None:
        self._items = {item.id: item for item in volume.items}

    def __getitem__(self, id: str) -> Entry:
        return self._items[id].entry


def _contents(entry: Entry, words: Words) -> list[tuple[str, str]]:
    """Anchors and headings, in the order of the page."""
    first = [name for name in ("quick_fix", "caveats") if entry.sections.get(name)]
    middle = [name for name, there in (("versions", entry.affects), ("siblings", entry.siblings or entry.refines)) if there]
    rest = [name for name in SECTIONS if entry.sections.get(name) and name not in first]
    said = [(name.replace("_", "-"), str(words.say(f"section.{name}"))) for name in (*first, *middle, *rest)]
    seen = [("seen", str(words.say("site.seen")))] if _samples(entry) else []
    return [*said, *seen, ("links", str(words.say("section.links")))]


def _samples(entry: Entry) -> list[Shown]:
    """Logs of this failure; the near misses are for the matcher."""
    found = []
    for sample in entry.samples:
        level = min(sample.expect.values(), default=Level.RULED_OUT)
        if level is not Level.RULED_OUT:
            found.append(Shown(level, _shortened(sample)))
    return found[:_MOST_SAMPLES]


def _shortened(sample: Sample) -> str:
    text = visible(sample.text if isinstance(sample.text, str) else decode(sample.text)).strip("\n")
    lines = text[:_MOST_CHARACTERS].split("\n")
    cut = len(lines) > _MOST_LINES or len(text) > _MOST_CHARACTERS
    return "\n".join(lines[:_MOST_LINES]) + ("\n…" if cut else "")


def _conditions(conditions: Conditions) -> list[Marked]:
    return [Marked(code_span(describe(condition))) for condition in conditions.facts]


def _printed_by(entry: Entry) -> list[Marked]:
    """For each package the releases whose source prints a wording, as one span; what is no such span stays as the author wrote it."""
    spans: dict[str, list[str]] = {}
    others: dict[str, None] = {}
    for release in (release for signature in entry.signatures for release in signature.seen_in):
        match = _RELEASES.fullmatch(release.split(" (", 1)[0])
        if match and _is_version(match["first"]) and _is_version(match["last"] or match["first"]):
            spans.setdefault(match["package"], []).extend((match["first"], match["last"] or match["first"]))
        else:
            others[release] = None
    said = [f"{package} {_span(sorted(set(ends), key=Version))}" for package, ends in spans.items()]
    return [Marked(code_span(release)) for release in (*said, *others)]


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _span(releases: list[str]) -> str:
    return releases[0] if len(releases) == 1 else f"{releases[0]}–{releases[-1]}"


def _file(item: Item) -> str:
    """The entry's file in the repository: a relative path is one from its root, where the site is built."""
    return f"kb/{item.id}.yaml" if item.file.startswith("/") or not item.file else item.file
