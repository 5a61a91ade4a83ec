"""`fixbook --follow`: the failures of a log that grows, each once, as they come."""

from __future__ import annotations

import signal
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import FixbookError
from ..filling import Marked
from ..stream import HEAD, packing
from .arguments import Options
from .console import complain, lines, message_language
from .shelf import open_book
from .triage import Page, exit_code

__all__ = ["follow"]


def follow(options: Options, facts: Mapping[str, str]) -> int:
    """Tells what comes until Ctrl-C, or until the end of a pipe: 0 if anything known was told, else 1."""
    _check(options)
    name = options.files[0] if options.files else "-"
    log = _log(name)
    book = open_book(options)
    if isinstance(log, Path) and not log.exists():
        complain(lines("cli.awaited", message_language(options.lang), name=Marked(name)))
    page = Page(book, options, sys.stdout)
    with _stopped_by_interrupt() as wait:
        reports = book.follow(log, facts, wait=wait, name="" if isinstance(log, Path) else ("stdin" if name == "-" else name))
        return exit_code(list(page.write_each(reports)), options)


def _check(options: Options) -> None:
    if len(options.files) > 1:
        raise FixbookError("--follow takes one log: run one `fixbook --follow` for each, or `tail -qF FILE … | fixbook --follow`")
    if options.together:
        raise FixbookError("--follow takes one log, --together several: leave out one of the two")
    if options.output is not None:
        raise FixbookError("--follow writes as it goes, -o when all is done: use `> FILE` instead of -o")


def _log(name: str) -> Path | BinaryIO:
    """What is followed. Raises FixbookError for what does not grow or cannot be read."""
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise FixbookError("--follow needs a log: give a FILE, or a pipe, as in `kubectl logs -f POD | fixbook --follow`")
        return sys.stdin.buffer
    path = Path(name)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if any(char in name for char in "*?["):
            raise FixbookError(f"{name}: --follow takes one log, not a pattern") from None
        return path
    except OSError as error:
        raise FixbookError(f"{name}: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        raise FixbookError(f"{name}: this is a folder, --follow takes one log: name the file that grows")
    try:
        return _opened(path, mode)
    except OSError as error:
        raise FixbookError(f"{name}: {error.strerror}") from error


def _opened(path: Path, mode: int) -> Path | BinaryIO:
    if not stat.S_ISREG(mode):  # a pipe with a name
        return path.open("rb", buffering=0)
    with path.open("rb") as file:
        kind = packing(file.read(HEAD))
    if kind:
        raise FixbookError(f"{path}: this is packed ({kind}) and does not grow: leave out --follow")
    return path


@contextmanager
def _stopped_by_interrupt() -> Iterator[_Wait]:
    """What waits between two looks, until Ctrl-C; then what has been written is still told. A second Ctrl-C ends at once."""
    wait = _Wait()
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: object) -> None:
        wait.going = False
        signal.signal(signal.SIGINT, before)

    if before is signal.SIG_IGN:  # `nohup`, a shell's `&`: whoever started this does not want it to end so
        yield wait
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield wait
    finally:
        signal.signal(signal.SIGINT, before)


class _Wait:
    going = True

    def __call__(self, seconds: float) -> bool:
        if self.going and seconds:
            time.sleep(seconds)
        return self.going
