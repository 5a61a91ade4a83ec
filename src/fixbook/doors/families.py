"""A process and the children that multiprocessing gave it: eight workers need not print the same article."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..digest import digest

__all__ = ["forget", "is_first"]


def is_first(family: str, id: str) -> bool:
    """Whether no other process of the family has told this entry. The first to make a file has it.

    The process that began the family removes the folder at its end; what one that was killed left is removed by the next that tells.
    """
    folder = _folder(family)
    with suppress(OSError):
        for left in _left_behind(folder.parent):
            shutil.rmtree(left, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / digest(id.encode(), 8)).touch(0o600, exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def forget(family: str) -> None:
    """Removes the folder, in the process that began the family; its children may still look into it."""
    if family.startswith(f"{os.getpid()}-") and _folder(family).is_dir():
        shutil.rmtree(_folder(family), ignore_errors=True)


def _folder(family: str) -> Path:
    return Path(tempfile.gettempdir(), f"fixbook-{family}")


def _left_behind(folder: Path) -> Iterator[Path]:
    """Folders of this user's families whose first process is no more."""
    for path in folder.glob("fixbook-*-*"):
        pid = path.name.split("-")[1]
        if pid.isdigit() and path.is_dir() and not path.is_symlink() and path.stat().st_uid == os.getuid():
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                yield path
            except OSError:
                continue
