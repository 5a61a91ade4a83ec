"""What programs read of the site: Atom feeds, the sitemap, robots.txt, llms.txt, the search lists and the schema for editors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from uuid import NAMESPACE_URL, uuid5

from ..model import Lang, Status
from ..schema import text as schema_text
from ..templates import labels
from .addresses import FEED, LANGS, SEARCH
from .catalog import Shelf, latest
from .output import Output
from .press import Page, Press
from .search_index import PART_SIZE, search_list, search_text
from .volume import Item, Volume, digest

__all__ = ["Feeds"]

_FEED_LENGTH = 50


class Feeds:
    """Makes the files that are no pages. `pages` gives those that the sitemap names, which is seldom made."""

    def __init__(self, volume: Volume, press: Press, code: str, shelves: Iterable[Shelf], pages: Callable[[], Iterable[Page]]) -> None:
        self._items = tuple(item for item in volume.items if item.card.status is not Status.WITHDRAWN)
        self._press = press
        self._shelves = tuple(shelves)
        self._names = {shelf.id: shelf.name for shelf in self._shelves}
        self._pages = pages
        self._code = code
        self._key = digest(code, *(item.card_key for item in self._items), *self._names.values())

    def outputs(self) -> Iterator[Output]:
        yield Output("robots.txt", digest(self._code), lambda: self._press.text("robots.txt"))
        yield Output("llms.txt", self._key, self._llms)
        yield Output("schema/entry.json", digest(self._code), lambda: schema_text().encode())
        if self._press.settings.base_url:
            yield Output("sitemap.xml", self._key, self._sitemap)
        for lang in LANGS:
            yield Output(f"{lang}/{FEED}", self._key, partial(self._feed, lang))
            yield from self._search(lang)

    def _sitemap(self) -> bytes:
        return self._press.text("sitemap.xml", xml=True, pages=[page for page in self._pages() if not page.hidden])

    def _llms(self) -> bytes:
        settings = self._press.settings
        return self._press.text(
            "llms.txt",
            about=labels()["site.about"],
            components=self._shelves,
            address=lambda path: settings.absolute(path) or path,
        )

    def _feed(self, lang: Lang) -> bytes:
        cards = latest((item.card for item in self._items), _FEED_LENGTH)
        items = [{"card": card, "id": _feed_id(f"{lang}/{card.id}")} for card in cards]
        updated = f"{cards[0].reviewed if cards else '1970-01-01'}T00:00:00Z"
        return self._press.text("feed.xml", lang, xml=True, items=items, updated=updated, feed_id=_feed_id(lang))

    def _search(self, lang: Lang) -> Iterator[Output]:
        parts = [self._items[at : at + PART_SIZE] for at in range(0, len(self._items), PART_SIZE)]
        names = {id: name.get(lang) for id, name in self._names.items()}
        cards = [item.card for item in self._items]
        yield Output(f"assets/{SEARCH}.{lang}.js", self._key, lambda: search_list(cards, lang, names, len(parts)))
        for number, items in enumerate(parts):
            yield self._part(items, lang, number)

    def _part(self, items: Sequence[Item], lang: Lang, number: int) -> Output:
        key, at = digest(self._code, *(item.key for item in items)), LANGS.index(lang)
        return Output(f"assets/{SEARCH}.{lang}.{number}.js", key, lambda: search_text((item.rows[at] for item in items), lang, number))


def _feed_id(name: str) -> str:
    """The same wherever the site lies, so that a move does not make old entries new."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'fixbook:{name}')}"
