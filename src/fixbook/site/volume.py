"""The book as the site takes it: entries with their cards and keys."""

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from ..errors import Problem
from ..kb import Loaded
from ..model import Component, Entry, Status
from ..packing import pack
from .card import Card, card_of

__all__ = ["Item", "Volume", "digest", "item_of", "volume_of"]


def digest(*parts: object) -> str:
    """A short name for these values, the same in every run."""
    hashed = blake2b(digest_size=12)
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass"))
        hashed.update(b"\x00")
    return hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class Item:
    """An entry, what lists say about it, and a key that changes whenever its content does."""

    entry: Entry
    card: Card
    key: str


@dataclass(frozen=True, slots=True)
class Volume:
    """`items` are ordered by id."""

    items: tuple[Item, ...]
    components: Mapping[str, Component]
    problems: tuple[Problem, ...] = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(item.card for item in self.items)

    def published(self, drafts: bool) -> "Volume":
        """Without the drafts, unless they are wanted."""
        if drafts:
            return self
        return replace(self, items=tuple(item for item in self.items if item.entry.status is not Status.DRAFT))


def item_of(entry: Entry) -> Item:
    # Version 2 of marshal writes equal values as equal bytes, which later ones do not.
    return Item(entry, card_of(entry), digest(marshal.dumps(pack(entry, places=False), 2)))


def volume_of(loaded: Loaded) -> Volume:
    """Everything of a book that was just loaded."""
    return Volume(tuple(map(item_of, loaded.entries)), loaded.components, loaded.problems)
