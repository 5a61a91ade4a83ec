"""The book as the site takes it: each entry packed, with what lists and the matcher say of it, so that a small change costs little."""

import json
import marshal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from .. import __version__
from ..errors import Problem
from ..kb import Loaded
from ..model import Component, Entry, Status
from ..packing import pack, unpack
from ..report import BookInfo
from .addresses import LANGS
from .card import Card, card_of
from .matcher_data import entry_data
from .search_index import text_row

__all__ = ["Item", "Volume", "digest", "item_of", "volume_of"]

# Version 2 of marshal writes equal values as equal bytes, which later ones do not.
_MARSHAL = 2


def digest(*parts: object) -> str:
    """A short name for these values, the same in every run."""
    hashed = blake2b(digest_size=12)
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass"))
        hashed.update(b"\x00")
    return hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class Item:
    """An entry. `key` changes whenever anything of it does, `card_key` when lists have to say something else."""

    card: Card
    key: str
    card_key: str
    file: str  # of the book, as the loader was given its folder
    matcher: str  # what the matcher in the page knows of it, as JSON; "" when it is not matched
    rows: tuple[bytes, ...]  # what a search of the articles reads of it, in the order of LANGS
    packed: bytes

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def entry(self) -> Entry:
        """The entry, without the places of its parts in its file."""
        made: Entry = unpack(marshal.loads(self.packed))
        return made


@dataclass(frozen=True, slots=True)
class Volume:
    """`items` are ordered by id."""

    items: tuple[Item, ...]
    components: Mapping[str, Component]
    problems: tuple[Problem, ...] = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(item.card for item in self.items)

    @property
    def info(self) -> BookInfo:
        """The book's identity, as the program's own reports give it: the digest is that of all entries as one list."""
        hashed = blake2b(b"[" + len(self.items).to_bytes(4, "little"), digest_size=8)
        for item in self.items:
            hashed.update(item.packed)
        return BookInfo(__version__, hashed.hexdigest(), len(self.items))

    def published(self, drafts: bool) -> "Volume":
        """Without the drafts, unless they are wanted."""
        if drafts:
            return self
        return replace(self, items=tuple(item for item in self.items if item.card.status is not Status.DRAFT))

    def revised(self, items: Mapping[str, Item]) -> "Volume":
        """With these in place of the items of the same ids."""
        return replace(self, items=tuple(items.get(item.id, item) for item in self.items))


def item_of(entry: Entry) -> Item:
    card, packed = card_of(entry), marshal.dumps(pack(entry, places=False), _MARSHAL)
    rows = tuple(text_row(entry, lang) for lang in LANGS)
    matcher = _json(entry_data(entry)) if entry.status is Status.ACTIVE else ""
    return Item(card, digest(packed), digest(repr(card)), entry.where.file, matcher, rows, packed)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def volume_of(loaded: Loaded) -> Volume:
    """Everything of a book that was just loaded."""
    return Volume(tuple(map(item_of, loaded.entries)), loaded.components, loaded.problems)
