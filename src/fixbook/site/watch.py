"""Which files a served site depends on, and whether any of them changed."""

from collections.abc import Sequence
from pathlib import Path

from .. import templates

__all__ = ["Watched", "seen"]

Watched = dict[str, tuple[int, int]]  # path → time of the last change, size

_ASSETS = Path(__file__).resolve().parent / "assets"


def seen(folders: Sequence[Path]) -> Watched:
    """The state of the book's files, the templates and the assets. A look costs about 10 µs a file, so it can be taken twice a second."""
    found: Watched = {}
    for folder in (*folders, templates.root(), _ASSETS):
        for path in folder.rglob("*"):
            try:
                status = path.stat()
            except OSError:  # gone between the two looks: an editor replaces files
                continue
            if path.is_file():
                found[str(path)] = (status.st_mtime_ns, status.st_size)
    return found
