"""Whether the files of the book have changed."""

from collections.abc import Sequence
from pathlib import Path

__all__ = ["fingerprint", "watched"]

Fingerprint = frozenset[tuple[str, int, int]]


def watched(kb: Sequence[str], shipped: bool) -> tuple[Path, ...]:
    """The folders that a book is read from."""
    from ...shipped import shipped_root

    return tuple(map(Path, kb)) + ((shipped_root() / "kb",) if shipped else ())


def fingerprint(folders: Sequence[Path]) -> Fingerprint:
    """Name, time and size of every file; a file that goes away meanwhile is not there."""
    found = set()
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                status = path.stat()
            except OSError:
                continue
            if not path.name.startswith(".") and path.is_file():
                found.add((str(path), status.st_mtime_ns, status.st_size))
    return frozenset(found)
