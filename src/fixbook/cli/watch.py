"""Does something again whenever files change."""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..errors import FixbookError
from .console import complain

__all__ = ["again_on_change", "snapshot"]

_PAUSE = 0.3  # seconds between two looks
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"

Snapshot = Mapping[Path, tuple[int, int]]


def again_on_change(paths: Iterable[Path], act: Callable[[], int], pause: Callable[[], None] = lambda: time.sleep(_PAUSE)) -> int:
    """Acts now and after each change under `paths`, until Ctrl-C; gives what the last act gave. What is wrong is told, and waited for."""
    watched = list(paths)
    code = 0
    try:
        while True:
            before = snapshot(watched)
            if sys.stdout.isatty():
                print(_CLEAR, end="")
            code = _act(act)
            complain(f"watching {', '.join(map(str, watched))}; Ctrl-C ends it")
            sys.stdout.flush()
            _await_change(watched, before, pause)
    except KeyboardInterrupt:
        return code


def _act(act: Callable[[], int]) -> int:
    try:
        return act()
    except FixbookError as error:
        complain(str(error))
        return 2


def _await_change(paths: Iterable[Path], before: Snapshot, pause: Callable[[], None]) -> None:
    """Comes back when something has changed and stays as it is: editors write in several steps."""
    now = before
    while True:
        last, now = now, snapshot(paths)
        if now == last and now != before:
            return
        pause()


def snapshot(paths: Iterable[Path]) -> Snapshot:
    """Time and size of each file under the paths."""
    seen: dict[Path, tuple[int, int]] = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else (path,):
            try:
                status = file.stat()
            except OSError:  # a link to nothing, a file just removed
                continue
            if file.is_file():
                seen[file] = (status.st_mtime_ns, status.st_size)
    return seen
