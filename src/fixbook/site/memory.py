"""The book read once: what did not change since the last build is taken from the user's cache.

Reading an entry's YAML costs more than all the rest of a small change. So after a change only the changed files are read, as long as
nothing else can have changed with them; whatever is not as simple as that is read whole.
"""

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..cache import Cache
from ..entry_form import ENTRY
from ..errors import Problem
from ..facts import FACTS
from ..kb import load
from ..model import Entry, Status
from ..reading import Reading, RefusedError
from ..yaml_reader import parse
from .assets import code_key
from .volume import Item, Volume, digest, item_of, volume_of

__all__ = ["read_volume"]

_MOST_CHANGES = 50  # entries that may have changed until the whole is kept anew

_Files = Mapping[str, str]  # path → key of the content
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class _Memory:
    """A book as it was read. `items` are those that changed after it was kept as a whole, by id."""

    files: _Files
    volume: Volume
    items: Mapping[str, Item] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Changes:
    """What is kept after a small change, because the whole is large: the changes to the book whose files were `of`."""

    of: str
    files: _Files
    items: Mapping[str, Item]


def read_volume(folders: Sequence[Path], cache: Cache | None = None) -> Volume:
    """The book in these folders, one over the other, as `kb.load` reads it."""
    cache = cache or Cache()
    # Paths are part of the problems' places, so they are part of the name, too.
    name = f"site-{digest(code_key(), *folders, *(folder.resolve() for folder in folders))}"
    whole, files = _recalled(cache.get(name), _Memory), _files(folders)
    known = _later(whole, _recalled(cache.get(f"{name}-changes"), _Changes)) if whole is not None else None
    if known is not None and known.files == files:
        return known.volume
    items = _changed(known, files) if known is not None else None
    if whole is None or known is None or items is None:
        volume, items = volume_of(load(folders, FACTS)), {}
    else:
        volume, items = known.volume.revised(items), {**known.items, **items}
    if whole is None or not items or len(items) > _MOST_CHANGES:
        cache.put(name, pickle.dumps(_Memory(files, volume), protocol=5))
    else:
        changed = {path: key for path, key in files.items() if whole.files[path] != key}
        cache.put(f"{name}-changes", pickle.dumps(_Changes(_key(whole.files), changed, items), protocol=5))
    return volume


def _recalled(data: bytes | None, kind: type[_Kept]) -> _Kept | None:
    """What was kept. Pickle trusts its input: the cache gives only what this user's own program wrote, as with compiled modules."""
    try:
        found = pickle.loads(data) if data else None
    except Exception:  # of an older program, whose classes are no longer there
        return None
    return found if isinstance(found, kind) else None


def _later(whole: _Memory, changes: _Changes | None) -> _Memory:
    """The book with the changes since it was kept; with none, if they are those of another."""
    if changes is None or changes.of != _key(whole.files):
        return whole
    return _Memory({**whole.files, **changes.files}, whole.volume.revised(changes.items), changes.items)


def _key(files: _Files) -> str:
    return digest(*files, *files.values())


def _files(folders: Sequence[Path]) -> _Files:
    """Every file of the book with a key of its content: times are not looked at, a checkout changes them all."""
    paths = [path for folder in folders for path in sorted(_inside(folder))]
    return {path: digest(Path(path).read_bytes()) for path in paths}


def _inside(folder: Path) -> Iterator[str]:
    for at, _, names in os.walk(folder):
        under = Path(at).as_posix()
        yield from (f"{under}/{name}" for name in names)


def _changed(known: _Memory, files: _Files) -> Mapping[str, Item] | None:
    """The entries of the changed files, read again, by id; None when more may have changed than they."""
    if known.files.keys() != files.keys():
        return None
    changed = [path for path, key in files.items() if known.files[path] != key]
    if any(problem.where.file in changed for problem in known.volume.problems):
        return None
    by_file = {item.file: item for item in known.volume.items}
    items: dict[str, Item] = {}
    for path in changed:
        old = by_file.get(path)
        entry = _reread(Path(path), old.entry) if old is not None else None
        if entry is None:
            return None
        items[entry.id] = item_of(entry)
    return items


def _reread(path: Path, old: Entry) -> Entry | None:
    """The entry in a changed file, if it is fine by itself and what other entries or the loader check of it is as before."""
    problems: list[Problem] = []
    node = parse(path.read_bytes(), path.as_posix(), problems)
    if node is None or ("status" in node.fields and node.fields["status"].text == Status.WITHDRAWN):
        return None
    try:
        entry = ENTRY.read(node, Reading(path.parent, old.id, problems, FACTS))
    except RefusedError:
        return None
    return None if problems or _outward(entry) != _outward(old) else entry


def _outward(entry: Entry) -> tuple[object, ...]:
    """What the loader's checks across entries look at."""
    proofs = [(tuple(sample.expect.items()), bool(sample.why), sample.file) for sample in entry.samples]
    signatures = [signature.id for signature in entry.signatures]
    return entry.aliases, entry.refines, [sibling.entry for sibling in entry.siblings], proofs, signatures, entry.status
