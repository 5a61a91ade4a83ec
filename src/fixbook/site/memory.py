"""The book read once: what did not change since the last build is taken from the user's cache.

Reading an entry's YAML costs more than all the rest of a small change. So after a change only the changed files are read, as long as
nothing else can have changed with them; whatever is not as simple as that is read whole.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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

_Files = Mapping[str, str]  # path → key of the content


@dataclass(frozen=True, slots=True)
class _Memory:
    files: _Files
    volume: Volume


def read_volume(folders: Sequence[Path], cache: Cache | None = None) -> Volume:
    """The book in these folders, one over the other, as `kb.load` reads it."""
    cache = cache or Cache()
    # Paths are part of the problems' places, so they are part of the name, too.
    name = f"site-{digest(code_key(), *folders, *(folder.resolve() for folder in folders))}"
    known, files = _recalled(cache.get(name)), _files(folders)
    if known is not None and known.files == files:
        return known.volume
    volume = _patched(known, files) if known is not None else None
    if volume is None:
        volume = volume_of(load(folders, FACTS))
    cache.put(name, pickle.dumps(_Memory(files, volume), protocol=5))
    return volume


def _recalled(data: bytes | None) -> _Memory | None:
    """What was kept. Pickle trusts its input: the cache gives only what this user's own program wrote, as with compiled modules."""
    try:
        found = pickle.loads(data) if data else None
    except Exception:  # of an older program, whose classes are no longer there
        return None
    return found if isinstance(found, _Memory) else None


def _files(folders: Sequence[Path]) -> _Files:
    """Every file of the book with a key of its content: times are not looked at, a checkout changes them all."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.as_posix(): digest(path.read_bytes()) for path in paths}


def _patched(known: _Memory, files: _Files) -> Volume | None:
    """The book with its changed entries read again; None when more may have changed than the entries of the changed files."""
    if known.files.keys() != files.keys():
        return None
    changed = [path for path, key in files.items() if known.files[path] != key]
    if any(problem.where.file in changed for problem in known.volume.problems):
        return None
    by_file = {item.file: item for item in known.volume.items}
    patched: dict[str, Item] = {}
    for path in changed:
        old = by_file.get(path)
        entry = _reread(Path(path), old.entry) if old is not None else None
        if entry is None:
            return None
        patched[entry.id] = item_of(entry)
    items = tuple(patched.get(item.id, item) for item in known.volume.items)
    return replace(known.volume, items=items)


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
