"""A book in one file: entries, index and what else a paste needs, ready without YAML. Made once, kept in the cache, made anew on change.

The file is the same on every platform: parts (`parts.py`) of `marshal` of strings, numbers, tuples and dicts. JSON would be safe against
hostile input, and three times as slow; the file is only ever read from the package itself or through `cache.py`, which sees to whose
it is. Of 10,000 signatures a paste touches a few: only their entries, and the tables by which they are found, are checked and unpacked.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from zlib import crc32

from .cache import Cache
from .changes import RACY, look, newest
from .digest import digest
from .errors import Problem
from .index import Index
from .model import Component, Entry, Status, Term
from .packing import pack, unpack
from .parts import Parts
from .table import Texts, to_bytes
from .vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .kb import Loaded

__all__ = ["Bundle", "Entries", "load_cached"]

VERSION = 5
_MARSHAL = 4
_ENTRIES = "entries"  # rows, in the order of the ids


class Entries(Mapping[str, Entry]):
    """Entries by id, in the order of their ids; each is unpacked when it is first asked for. Safe to share between threads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ids = Texts(parts.part("ids"))
        self._known: dict[str, Entry] = {}

    def __getitem__(self, id: str) -> Entry:
        entry = self._known.get(id)
        if entry is None:
            number = self._number(id)
            if number is None:
                raise KeyError(id)
            made: Entry = unpack(marshal.loads(self._parts.row(_ENTRIES, number)))
            entry = self._known.setdefault(id, made)
        return entry

    def _number(self, id: str) -> int | None:
        at = bisect_left(self._ids, id)
        return at if at < len(self._ids) and self._ids[at] == id else None

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._number(id) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class Bundle:
    """A book that is ready to be asked. Immutable; safe to share between threads."""

    def __init__(self, parts: Parts) -> None:
        """The book in these parts. Raises ValueError for those of another version."""
        version, _, name = str(parts.part("name"), "ascii").partition(" ")
        if version != str(VERSION):
            raise ValueError("a bundle of another version")
        self._parts = parts
        self.digest = name  # of the content, wherever its files lie
        self.entries = Entries(parts)
        self.index = Index(parts)

    @classmethod
    def of(cls, loaded: Loaded, index: Index) -> Bundle:
        """The bundle of a loaded book. `index` is over the signatures of its active entries, and whatever else the caller looks for."""
        entries = sorted(loaded.entries, key=lambda entry: entry.id)
        bare = [pack(entry, places=False) for entry in loaded.entries]
        aliases = {alias: entry.id for entry in loaded.entries for alias in (entry.slug, *entry.aliases)}
        name = digest(marshal.dumps(bare, 2), 8)  # version 2 writes equal values as equal bytes
        parts = {
            "name": f"{VERSION} {name}".encode("ascii"),
            "ids": Texts.dump([entry.id for entry in entries]),
            **index.to_parts(),
            "active": marshal.dumps(tuple(entry.id for entry in entries if entry.status is Status.ACTIVE), _MARSHAL),
            "aliases": marshal.dumps(aliases, _MARSHAL),
            "vocabulary": Vocabulary.of(loaded.entries).dump(),
            "rest": marshal.dumps(pack((loaded.components, loaded.glossary)), _MARSHAL),
            "problems": marshal.dumps(pack(loaded.problems), _MARSHAL),
        }
        return cls(Parts(Parts.dump(parts, {_ENTRIES: [marshal.dumps(pack(entry), _MARSHAL) for entry in entries]})))

    @property
    def active(self) -> tuple[str, ...]:
        """The ids that are matched."""
        ids: tuple[str, ...] = marshal.loads(self._parts.part("active"))
        return ids

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Slugs and aliases → ids."""
        aliases: dict[str, str] = marshal.loads(self._parts.part("aliases"))
        return aliases

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the active entries' signatures, for failures that no entry explains."""
        return Vocabulary.load(self._parts.part("vocabulary"))

    @property
    def components(self) -> Mapping[str, Component]:
        return self._rest[0]

    @property
    def glossary(self) -> tuple[Term, ...]:
        return self._rest[1]

    @property
    def _rest(self) -> tuple[Mapping[str, Component], tuple[Term, ...]]:
        rest: tuple[Mapping[str, Component], tuple[Term, ...]] = unpack(marshal.loads(self._parts.part("rest")))
        return rest

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the book's files; the entries concerned are not in it."""
        problems: tuple[Problem, ...] = unpack(marshal.loads(self._parts.part("problems")))
        return problems

    def dump(self) -> bytes:
        """The file's content, checked."""
        return self._parts.whole()

    @classmethod
    def load(cls, data: bytes) -> Bundle:
        """The inverse of `dump`. Raises ValueError for the file of another version."""
        return cls(Parts(data))


def load_cached(
    folders: Sequence[str], build: Callable[[], Bundle], *, version: str, cache: Cache | None = None, changing: bool = True
) -> Bundle:
    """The bundle of these folders: from the cache when no file under them has changed since, else from `build`, and kept.

    `version` names the code that built it. `changing=False` says that the files never change (an installed package) and need no look.
    """
    cache = cache or Cache()
    key = _key(folders, version)
    name = f"book-{crc32(key):08x}-{len(key)}"
    files = look(folders) if changing else []
    listed = marshal.dumps(files, 2)  # version 2 writes equal values as equal bytes

    def made() -> Bundle:
        settled = newest(files) <= time.time_ns() - RACY  # else a later change may leave the same time
        bundle = build()
        cache.put(name, _with_head(key, listed if settled else _UNSETTLED, bundle.dump()))
        return bundle

    found = cache.read(name)
    if found is not None:
        try:
            head, body = _taken_apart(found)
            if head.part("key") == key and head.part("files") == listed:
                return Bundle(Parts(body, lambda: made()._parts))
        except (ValueError, TypeError, EOFError):
            pass  # damaged, or of another version
    return made()


_UNSETTLED = b"?"  # what no look gives


def _with_head(key: bytes, files: bytes, bundle: bytes) -> bytes:
    """A cached book: what it was made of stands in front of it."""
    head = Parts.dump({"key": key, "files": files})
    return b"".join((to_bytes([len(head)]), head, bundle))


def _taken_apart(data: memoryview) -> tuple[Parts, memoryview]:
    size = int.from_bytes(data[:4], "little")
    return Parts(data[4 : 4 + size]), data[4 + size :]


def _key(folders: Sequence[str], version: str) -> bytes:
    """What the file is of: it stands in the file, so that two books whose names agree are told apart."""
    parts = [version, str(VERSION), sys.implementation.cache_tag or "", *map(os.path.realpath, folders)]
    return "\0".join(parts).encode("utf-8", "surrogateescape")
