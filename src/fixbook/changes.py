"""The files of a book as they stand: equal as long as none is edited, added, taken away or replaced."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from operator import itemgetter

__all__ = ["RACY", "look", "newest"]

RACY = 2_000_000_000  # ns; a file that was changed so shortly before it was read may change again without a new time
_UNREADABLE = -1  # stands for the size of what cannot be read
_BY_HANDLE = os.scandir in os.supports_fd  # then the system finds each file from its folder, and not from the root

# Name, ns of the last change of the content, of the file itself (no program can set it), size. A file that takes the place of another
# with its size and its time is told by the third.
_File = tuple[str, int, int, int]


def look(folders: Sequence[str]) -> list[tuple[str, list[_File]]]:
    """All files under the folders (samples lie beside the entries), by folder. Plain values, to be compared and to be kept."""
    found: list[tuple[str, list[_File]]] = []
    pending = [*folders]
    walked: set[tuple[int, int]] = set()  # a link may lead back to a folder above
    while pending:
        folder = pending.pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in walked:
                continue
            walked.add((status.st_dev, status.st_ino))
            files, inner = _listed(folder)
        except OSError:  # may not be read: the loader says so
            files, inner = [("", 0, 0, _UNREADABLE)], []
        files.sort(key=itemgetter(0))
        found.append((folder, files))
        pending.extend(os.path.join(folder, name) for name in sorted(inner))
    return found


def newest(found: Iterable[tuple[str, Iterable[_File]]]) -> int:
    """The ns of the last change of any of the files; 0 where there is none."""
    return max((changed for _, files in found for _, *times, _ in files for changed in times), default=0)


def _listed(folder: str) -> tuple[list[_File], list[str]]:
    """The files in a folder, and the names of the folders in it. Raises OSError where it cannot be read."""
    files: list[_File] = []
    folders: list[str] = []
    handle = os.open(folder, os.O_RDONLY) if _BY_HANDLE else None
    try:
        with os.scandir(folder if handle is None else handle) as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        folders.append(entry.name)
                        continue
                    status = entry.stat()
                    files.append((entry.name, status.st_mtime_ns, status.st_ctime_ns, status.st_size))
                except OSError:  # a link that leads nowhere, or to itself
                    files.append((entry.name, entry.stat(follow_symlinks=False).st_mtime_ns, 0, _UNREADABLE))
    finally:
        if handle is not None:
            os.close(handle)
    return files, folders
