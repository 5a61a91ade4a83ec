"""The pages that lead to entries: home, components, indexes by error text, version and fix release, what changed, not found."""

from collections.abc import Callable, Iterator
from functools import partial

from .. import __version__
from ..json_report import entries_to_json
from ..model import Lang
from ..templates import label
from ..words import Words
from .addresses import (
    CHANGES,
    ERRORS,
    FIXES,
    LANGS,
    NOT_FOUND,
    ROOT,
    TAGS,
    VERSIONS,
    component_page,
    home_page,
    versions_of,
)
from .card import plain
from .catalog import ErrorText, Letter, Shelf, commonest, days, errors, fix_releases, latest, pack, shelves, versions
from .output import Output
from .press import Page, Press
from .volume import Volume, digest

__all__ = ["ListPages"]

_TEXTS_A_PAGE = 1200
_NAMES = {"en": "English", "zh": "中文"}

_Groups = tuple[tuple[Letter, tuple[ErrorText, ...]], ...]


class ListPages:
    """Makes the lists of a volume. All share one key: they change with any entry, and are few."""

    def __init__(self, volume: Volume, press: Press, code: str) -> None:
        self._volume = volume
        self._press = press
        self._cards = volume.cards
        self._shelves = shelves(self._cards, volume.components)
        self._error_parts = pack(errors(self._cards), _TEXTS_A_PAGE)
        self._code = code
        self._key = digest(code, *(item.card_key for item in volume.items), *(shelf.name for shelf in self._shelves))

    @property
    def shelves(self) -> tuple[Shelf, ...]:
        return self._shelves

    def pages(self) -> tuple[Page, ...]:
        """Those that a sitemap names."""
        return tuple(page for lang in LANGS for page in self._pages(lang))

    def outputs(self) -> Iterator[Output]:
        yield Output(ROOT, digest(self._code), self._root)
        yield Output(NOT_FOUND, digest(self._code), self._not_found)
        for lang in LANGS:
            yield self._output(home_page(lang), partial(self._home, lang))
            yield self._output(f"{lang}/{VERSIONS}", partial(self._versions, lang))
            yield self._output(f"{lang}/{FIXES}", partial(self._fixes, lang))
            yield self._output(f"{lang}/{CHANGES}", partial(self._changes, lang))
            for number, groups in enumerate(self._error_parts):
                yield self._output(_errors_page(lang, number), partial(self._errors, lang, number, groups))
            for shelf in self._shelves:
                yield from self._component_outputs(shelf, lang)

    def _output(self, path: str, make: Callable[[], bytes]) -> Output:
        return Output(path, self._key, make)

    def _pages(self, lang: Lang) -> Iterator[Page]:
        yield self._home_page(lang)
        for number in range(len(self._error_parts)):
            yield self._page(_errors_page(lang, number), lang, "errors", "errors-says")
        yield self._page(f"{lang}/{VERSIONS}", lang, "versions", "versions-says")
        yield self._page(f"{lang}/{FIXES}", lang, "fixes", "fixes-says")
        yield self._page(f"{lang}/{CHANGES}", lang, "changes", "changes-says")
        for shelf in self._shelves:
            yield self._component_page(shelf, lang)

    def _page(self, path: str, lang: Lang, title: str, says: str) -> Page:
        words = Words(lang)
        return Page(path, lang, plain(words.say(f"site.{title}")), plain(words.say(f"site.{says}")), versions_of(path))

    def _home_page(self, lang: Lang) -> Page:
        words, path = Words(lang), home_page(lang)
        title, says = (plain(words.say(f"site.{key}")) for key in ("home-title", "about"))
        return Page(path, lang, title, says, versions_of(path, ROOT), whole_title=True)

    def _home(self, lang: Lang) -> bytes:
        page = self._home_page(lang)
        common = commonest(self._cards)
        reviewed = latest(self._cards, 1)
        return self._press.html(
            page,
            "home.html",
            common=common,
            components=self._shelves,
            total=sum(card.is_listed for card in self._cards),
            example=self._example(),
            version=__version__,
            reviewed=reviewed[0].reviewed if reviewed else "–",
        )

    def _example(self) -> str:
        """A log to try: the longest of the examples, which shows most."""
        return max((card.example for card in self._cards), key=lambda text: (len(text), text), default="")

    def _errors(self, lang: Lang, number: int, groups: _Groups) -> bytes:
        path = _errors_page(lang, number)
        letters = [
            (letter.name, ("" if part == number else _errors_page(lang, part).split("/", 1)[1]) + f"#{letter.anchor}")
            for part, others in enumerate(self._error_parts)
            for letter, _ in others
        ]
        return self._press.html(self._page(path, lang, "errors", "errors-says"), "errors.html", groups=groups, letters=letters)

    def _versions(self, lang: Lang) -> bytes:
        page = self._page(f"{lang}/{VERSIONS}", lang, "versions", "versions-says")
        return self._press.html(page, "versions.html", packages=versions(self._cards))

    def _fixes(self, lang: Lang) -> bytes:
        page = self._page(f"{lang}/{FIXES}", lang, "fixes", "fixes-says")
        return self._press.html(page, "fixes.html", packages=fix_releases(self._cards))

    def _changes(self, lang: Lang) -> bytes:
        page = self._page(f"{lang}/{CHANGES}", lang, "changes", "changes-says")
        return self._press.html(page, "changes.html", days=days(self._cards), names={shelf.id: shelf.name for shelf in self._shelves})

    def _component_page(self, shelf: Shelf, lang: Lang) -> Page:
        words = Words(lang)
        path = component_page(lang, shelf.id)
        title, says = (plain(words.say(f"site.component-{key}", name=shelf.name.get(lang))) for key in ("title", "says"))
        twins = (("text/markdown", component_page(lang, shelf.id, "md")), ("application/json", component_page(lang, shelf.id, "json")))
        return Page(path, lang, title, says, versions_of(path), twins=twins)

    def _component_outputs(self, shelf: Shelf, lang: Lang) -> Iterator[Output]:
        ids = {card.id for card in shelf.cards}
        items = [item for item in self._volume.items if item.id in ids]
        key = digest(self._code, shelf.name, shelf.url, *(item.card_key for item in items))
        page = self._component_page(shelf, lang)
        yield Output(page.path, key, lambda: self._press.html(page, "component.html", component=shelf))
        yield Output(component_page(lang, shelf.id, "md"), key, lambda: self._press.text("component.md", lang, component=shelf))
        yield Output(component_page(lang, shelf.id, "json"), key, lambda: (entries_to_json([item.entry for item in items]) + "\n").encode())

    def _root(self) -> bytes:
        made = versions_of(home_page("en"), ROOT)
        page = Page(ROOT, "en", label("site.home-title", "en"), label("site.about", "en"), made, whole_title=True)
        return self._press.html(page, "root.html", languages=_languages())

    def _not_found(self) -> bytes:
        page = Page(NOT_FOUND, "en", "404", label("site.lost", "en"), hidden=True, rooted=True)
        return self._press.html(page, "not_found.html", languages=_languages())


def _errors_page(lang: Lang, number: int) -> str:
    stem, ending = ERRORS.split(".")
    return f"{lang}/{stem}{f'-{number + 1}' if number else ''}.{ending}"


def _languages() -> list[dict[str, str]]:
    """What a page in both languages says in each."""
    return [
        {
            "tag": TAGS[lang],
            "name": _NAMES[lang],
            "home": home_page(lang),
            "tagline": label("site.tagline", lang),
            "lost": label("site.lost", lang),
            "says": label("site.lost-says", lang),
        }
        for lang in LANGS
    ]
