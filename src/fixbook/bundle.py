"""A book in one file: entries, index and what else a paste needs, ready without YAML. Made once, kept in the cache, made anew on change.

The file is the same on every platform: `marshal` (version 4) of strings, numbers, tuples and dicts. JSON would be safe against hostile
input, and three times as slow; the file is only ever read from the package itself or through `cache.py`, which sees to whose it is.
Each entry is packed by itself, so that only those that are asked for are unpacked.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from zlib import crc32

from .cache import Cache
from .digest import digest
from .errors import Problem
from .index import Index
from .model import Component, Entry, Status, Term
from .packing import pack, unpack
from .table import numbers_of, to_bytes
from .value import Value
from .vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .kb import Loaded

__all__ = ["Bundle", "Entries", "load_cached"]

VERSION = 3
_MARSHAL = 4
_RACY = 2_000_000_000  # ns; a file that was changed so shortly before it was read may change again without a new time


class Entries(Mapping[str, Entry]):
    """Entries by id, in the order of their ids; each is unpacked when it is first asked for. Safe to share between threads."""

    def __init__(self, ids: tuple[str, ...], packed: bytes, ends: bytes) -> None:
        self._ids = ids
        self._packed = packed
        self._ends = ends
        self._places: dict[str, int] | None = None
        self._known: dict[str, Entry] = {}

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Entries:
        packed = {entry.id: marshal.dumps(pack(entry), _MARSHAL) for entry in entries}
        return cls(tuple(packed), b"".join(packed.values()), to_bytes(accumulate(map(len, packed.values()))))

    def __getitem__(self, id: str) -> Entry:
        entry = self._known.get(id)
        if entry is None:
            number = self._place_of()[id]
            ends = numbers_of(self._ends)
            made: Entry = unpack(marshal.loads(self._packed[ends[number - 1] if number else 0 : ends[number]]))
            entry = self._known.setdefault(id, made)
        return entry

    def _place_of(self) -> dict[str, int]:
        if self._places is None:
            self._places = {id: number for number, id in enumerate(self._ids)}
        return self._places

    def __contains__(self, id: object) -> bool:
        return id in self._place_of()

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def to_data(self) -> tuple[tuple[str, ...], bytes, bytes]:
        return self._ids, self._packed, self._ends


class Bundle(Value):
    """A book that is ready to be asked.

    `active` are the ids that are matched; `aliases` map slugs and aliases to ids; `digest` names the content, wherever its files lie.
    """

    digest: str
    entries: Entries
    active: tuple[str, ...]
    aliases: Mapping[str, str]
    index: Index
    _vocabulary: bytes  # for failures that no entry explains
    _rest: bytes  # components, glossary, problems: nobody needs them for a paste

    @classmethod
    def of(cls, loaded: Loaded, index: Index) -> Bundle:
        """The bundle of a loaded book. `index` is over the signatures of its active entries, and whatever else the caller looks for."""
        bare = [pack(entry, places=False) for entry in loaded.entries]
        rest = pack((loaded.components, loaded.glossary, loaded.problems))
        return cls(
            digest=digest(marshal.dumps(bare, 2), 8),  # version 2 writes equal values as equal bytes
            entries=Entries.of(loaded.entries),
            active=tuple(entry.id for entry in loaded.entries if entry.status is Status.ACTIVE),
            aliases={alias: entry.id for entry in loaded.entries for alias in (entry.slug, *entry.aliases)},
            index=index,
            _vocabulary=Vocabulary.of(loaded.entries).dump(),
            _rest=marshal.dumps(rest, _MARSHAL),
        )

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the active entries' signatures."""
        return Vocabulary.load(self._vocabulary)

    @property
    def components(self) -> Mapping[str, Component]:
        return self._unpacked()[0]

    @property
    def glossary(self) -> tuple[Term, ...]:
        return self._unpacked()[1]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the book's files; the entries concerned are not in it."""
        return self._unpacked()[2]

    def _unpacked(self) -> tuple[Mapping[str, Component], tuple[Term, ...], tuple[Problem, ...]]:
        rest: tuple[Mapping[str, Component], tuple[Term, ...], tuple[Problem, ...]] = unpack(marshal.loads(self._rest))
        return rest

    def dump(self) -> bytes:
        """The file's content."""
        index, entries = self.index.to_data(), self.entries.to_data()
        parts: Any = (VERSION, self.digest, entries, self.active, self.aliases, index, self._vocabulary, self._rest)
        return marshal.dumps(parts, _MARSHAL)

    @classmethod
    def load(cls, data: bytes) -> Bundle:
        """The inverse of `dump`. Raises ValueError for the file of another version."""
        return cls._from_parts(marshal.loads(data))

    @classmethod
    def _from_parts(cls, parts: Any) -> Bundle:
        if parts[0] != VERSION:
            raise ValueError("a bundle of another version")
        _, digest, entries, active, aliases, index, vocabulary, rest = parts
        return cls(digest, Entries(*entries), active, aliases, Index.from_data(index), vocabulary, rest)


def load_cached(
    folders: Sequence[str], build: Callable[[], Bundle], *, version: str, cache: Cache | None = None, changing: bool = True
) -> Bundle:
    """The bundle of these folders: from the cache when no file under them has changed since, else from `build`, and kept.

    `version` names the code that built it. `changing=False` says that the files never change (an installed package) and need no look.
    """
    cache = cache or Cache()
    key = _key(folders, version)
    name = f"book-{crc32(key):08x}-{len(key)}"
    found = cache.get(name)
    files = _files(folders) if changing else ()
    if found is not None:
        try:
            whose, read, stamp, bundle = marshal.loads(found)
            if whose == key and read == files and (not changing or not _may_have_changed(files, stamp)):
                return Bundle._from_parts(bundle)
        except (ValueError, TypeError, EOFError):
            pass  # of another version
    stamp = time.time_ns()
    made = build()
    cache.put(name, marshal.dumps((key, files, stamp, marshal.loads(made.dump())), _MARSHAL))
    return made


def _key(folders: Sequence[str], version: str) -> bytes:
    """What the file is of: it stands in the file, so that two books whose names agree are told apart."""
    parts = [version, str(VERSION), sys.implementation.cache_tag or "", *map(os.path.realpath, folders)]
    return "\0".join(parts).encode("utf-8", "surrogateescape")


_File = tuple[str, int, int]  # path, ns of its last change, size
_UNREADABLE = -1  # stands for the size of what cannot be read


def _files(folders: Sequence[str]) -> tuple[_File, ...]:
    """All files under the folders; samples lie beside the entries."""
    found: list[_File] = []
    pending = [*folders]
    walked: set[tuple[int, int]] = set()  # a link may lead back to a folder above
    while pending:
        folder = pending.pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in walked:
                continue
            walked.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                for entry in entries:
                    if _is_folder(entry):
                        pending.append(entry.path)
                    else:
                        found.append(_file(entry))
        except OSError:  # may not be read: the loader says so
            found.append((folder, 0, _UNREADABLE))
    found.sort()
    return tuple(found)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _file(entry: os.DirEntry[str]) -> _File:
    try:
        status = entry.stat()
    except OSError:
        return entry.path, entry.stat(follow_symlinks=False).st_mtime_ns, _UNREADABLE
    return entry.path, status.st_mtime_ns, status.st_size


def _may_have_changed(files: Sequence[_File], stamp: int) -> bool:
    """Whether a file was changed so shortly before the bundle was made that a later change may have left the same time."""
    return any(changed > stamp - _RACY for _, changed, _ in files)
