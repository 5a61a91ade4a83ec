"""The book arranged for its lists: by component, error text, version, fix release and day. Orders only; nothing is rendered here."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from packaging.version import InvalidVersion, Version

from ..model import Affects, Commonness, Component, Kind, Text
from .card import Card
from .wordings import Wording

__all__ = [
    "ErrorText",
    "Letter",
    "Line",
    "Package",
    "Release",
    "Shelf",
    "commonest",
    "days",
    "errors",
    "fix_releases",
    "latest",
    "pack",
    "shelves",
    "versions",
]

_SEVERITY_FIRST = 12  # entries on the home page
_NOT_A_NAME = re.compile(r"[^a-z0-9._+-]+")
# Where a text begins for a reader: behind brackets, quotes and paths' slashes.
_LEADING = re.compile(r"^[\W_]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A component with its entries, the commonest first."""

    id: str
    name: Text
    url: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ErrorText:
    wording: Wording
    card: Card


@dataclass(frozen=True, slots=True)
class Letter:
    name: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of `affects` of one entry."""

    affects: Affects
    card: Card


@dataclass(frozen=True, slots=True)
class Release:
    name: str
    anchor: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    anchor: str
    lines: tuple[Line, ...] = ()
    releases: tuple[Release, ...] = field(default=())


def shelves(cards: Iterable[Card], components: Mapping[str, Component]) -> tuple[Shelf, ...]:
    """The components that have entries, in the order of their English names."""
    by_component: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        if card.is_listed:
            by_component[card.component].append(card)
    made = (_shelf(id, found, components.get(id)) for id, found in by_component.items())
    return tuple(sorted(made, key=lambda shelf: (shelf.name.en.casefold(), shelf.id)))


def _shelf(id: str, cards: Iterable[Card], component: Component | None) -> Shelf:
    name = component.name if component else Text(id, id)
    url = component.url if component and component.url else ""
    return Shelf(id, name, url, tuple(sorted(cards, key=_by_weight)))


def _by_weight(card: Card) -> tuple[int, int, int, str]:
    return card.kind.order, card.commonness.order, card.severity.order, card.id


def commonest(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The causes that a newcomer most probably has: at most 12."""
    wanted = [card for card in cards if card.is_listed and card.kind is Kind.CAUSE and card.commonness is Commonness.COMMON]
    return tuple(sorted(wanted, key=_by_weight)[:_SEVERITY_FIRST])


def errors(cards: Iterable[Card]) -> tuple[tuple[Letter, tuple[ErrorText, ...]], ...]:
    """All wordings under their first letters, in the order of the alphabet; what begins with none stands last."""
    texts = [ErrorText(wording, card) for card in cards if card.is_listed for wording in card.wordings]
    ordered = sorted(texts, key=lambda text: (*_sort_key(text.wording.text), text.card.id))
    return tuple((_letter(name), tuple(group)) for name, group in groupby(ordered, key=lambda text: _initial(text.wording.text)))


def _sort_key(text: str) -> tuple[bool, str, str]:
    initial = _initial(text)
    return initial == "#", initial, _LEADING.sub("", text).casefold()


def _initial(text: str) -> str:
    first = _LEADING.sub("", text)[:1].upper()
    return first if "A" <= first <= "Z" else "#"


def _letter(name: str) -> Letter:
    return Letter(name, "other" if name == "#" else name.lower())


def pack(groups: Sequence[tuple[Letter, tuple[ErrorText, ...]]], size: int) -> tuple[tuple[tuple[Letter, tuple[ErrorText, ...]], ...], ...]:
    """The groups on as few pages as hold about `size` texts each; no letter is torn apart."""
    pages: list[list[tuple[Letter, tuple[ErrorText, ...]]]] = [[]]
    room = size
    for letter, texts in groups:
        if pages[-1] and len(texts) > room:
            pages.append([])
            room = size
        pages[-1].append((letter, texts))
        room -= len(texts)
    return tuple(tuple(page) for page in pages)


def versions(cards: Iterable[Card]) -> tuple[Package, ...]:
    """Every package that an entry names, with the failures of its versions: those without a fix first, then the latest fix."""
    made = []
    for name, lines in _lines(cards).items():
        ordered = sorted(lines, key=lambda line: line.card.id)
        ordered.sort(key=lambda line: (line.affects.fixed is None, _version(_release(line.affects))), reverse=True)
        made.append(Package(name, _anchor(name), tuple(ordered)))
    return tuple(sorted(made, key=lambda package: package.name))


def fix_releases(cards: Iterable[Card]) -> tuple[Package, ...]:
    """Every package with the releases that fixed something, the latest first."""
    made = []
    for name, lines in sorted(_lines(cards).items()):
        by_release: dict[str, list[Line]] = defaultdict(list)
        for line in lines:
            if line.affects.fixed:
                by_release[_release(line.affects)].append(line)
        latest_first = sorted(by_release, key=_version, reverse=True)
        releases = tuple(_release_of(name, release, by_release[release]) for release in latest_first)
        if releases:
            made.append(Package(name, _anchor(name), releases=releases))
    return tuple(made)


def _release_of(package: str, release: str, lines: Iterable[Line]) -> Release:
    return Release(release, f"{_anchor(package)}-{_anchor(release)}", tuple(sorted(lines, key=lambda line: line.card.id)))


def _lines(cards: Iterable[Card]) -> Mapping[str, list[Line]]:
    by_package: dict[str, list[Line]] = defaultdict(list)
    for card in cards:
        for affects in card.affects if card.is_listed else ():
            by_package[affects.package].append(Line(affects, card))
    return by_package


def _release(affects: Affects) -> str:
    """The release that a user installs: the first final one with the fix."""
    return affects.first_release or affects.fixed or ""


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:  # "" where nothing is fixed, or a foreign scheme
        return Version("0")


def _anchor(text: str) -> str:
    return "p-" + _NOT_A_NAME.sub("-", text.casefold()).strip("-")


def days(cards: Iterable[Card]) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    """The entries by the day of their last review, the latest day first."""
    ordered = sorted((card for card in cards if card.is_listed), key=lambda card: card.id)
    ordered.sort(key=lambda card: card.reviewed, reverse=True)
    return tuple((day, tuple(group)) for day, group in groupby(ordered, key=lambda card: card.reviewed))


def latest(cards: Iterable[Card], most: int) -> tuple[Card, ...]:
    """The entries that were reviewed last."""
    return tuple(card for _, group in days(cards) for card in group)[:most]
