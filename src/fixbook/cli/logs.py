"""The logs that the arguments mean, and their reports: one after the other, several large files with all cores."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from ..errors import FixbookError
from ..filling import Marked
from ..model import Lang
from ..value import Value
from .arguments import COMMANDS, Options
from .console import complain, lines, message_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..api import Book, Report
    from ..source import Head, Source, Stream

__all__ = ["Logs", "pasted"]

_PICTURE = "this is a picture, not text"
_REMEDIES = {
    "Permission denied": "cli.denied",
    "no log in this folder": "cli.no-log",
    "no such file or folder": "cli.pipe",
    _PICTURE: "cli.picture",
}
_SAID = {
    "no log in this folder": "cli.no-log-here",
    "no such file or folder": "cli.no-file",
    "no file matches": "cli.no-match",
    _PICTURE: "cli.is-picture",
}
_ALONE = 4_000_000  # bytes of several files that are read sooner than processes are started


def pasted(lang: Lang) -> bytes:
    """What is pasted into the terminal, up to the first Ctrl-D. Raises FixbookError where standard input is closed."""
    if sys.stdin is None:
        raise FixbookError(lines("cli.pipe", lang))
    complain(lines("cli.paste", lang))
    return sys.stdin.buffer.read()


class _Answer(Value):
    """What came of one log; travels between processes."""

    name: str
    report: Report | None = None
    problem: str = ""  # with a report: why it tells only of a part
    empty: bool = False


class Logs:
    """What cannot be read is named on stderr and remembered in `troubled`; the others follow all the same."""

    def __init__(self, paths: Sequence[str], options: Options) -> None:
        self._paths = paths
        self._lang = message_language(options.lang)
        self.troubled = False
        self.damage: dict[str, str] = {}  # why the end of a log is not there, by the log's name

    def reports(self, book: Book, facts: Mapping[str, str]) -> Iterator[Report]:
        """A report for each log that can be read, in order."""
        ask = partial(_asked, book, facts)
        for is_file, group in groupby(self._files(), key=_is_file):
            for answer in _in_parallel(ask, list(group)) if is_file else (answer for each in group for answer in _all_of(ask, each)):
                if answer.empty:
                    self._warn_empty(answer.name)
                if answer.problem:
                    self._trouble(answer.name, answer.problem)
                if answer.report is not None:
                    yield answer.report

    def texts(self) -> Iterator[tuple[str, str]]:
        """`(name, text)` of each log that can be read, whole; what is damaged up to there, and `damage` says why."""
        from ..decoding import decode
        from ..stream import FREE

        for source in self._sources():
            try:
                with source.open() as stream:
                    text = decode(stream.read(FREE))
            except FixbookError as error:
                self._trouble(source.name, _problem(source, error))
                continue
            if stream.problem:
                self._trouble(source.name, stream.problem)
                self.damage[source.name] = stream.problem
            elif not text.strip():
                self._warn_empty(source.name)
            if text.strip() or not stream.problem:
                yield source.name, text

    def _sources(self) -> Iterator[Source]:
        for file in self._files():
            yield from _opened(file)

    def _files(self) -> Iterator[str | Source]:
        """The files behind the arguments, archives not yet opened; what is no file as a source."""
        from ..source import Source, Stream, find_files
        from ..stream import once

        for path in self._paths:
            if path == "-" and (sys.stdin is None or (not sys.stdin.closed and sys.stdin.isatty())):
                yield Source("stdin", opener=once(Stream(io.BytesIO(pasted(self._lang)))))
            else:
                yield from find_files(path)

    def _warn_empty(self, name: str) -> None:
        complain(lines("cli.warning", self._lang) + lines("cli.empty", self._lang, name=name))

    def _trouble(self, name: str, problem: str) -> None:
        self.troubled = True
        if problem == "no such file or folder" and os.sep not in name and "." not in name:
            complain(lines("cli.neither", self._lang, word=Marked(name)) + self._meant(name))
            return
        remedy = _REMEDIES.get(problem)
        said = _SAID.get(problem)
        what = lines(said, self._lang, name=Marked(name)) if said else f"{name}: {problem}"
        complain(what + (f"\n    {lines(remedy, self._lang)}" if remedy else ""))

    def _meant(self, word: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(word, COMMANDS, n=1)
        return (
            lines("cli.but", self._lang) + lines("cli.meant", self._lang, command=near[0])
            if near
            else "\n    " + lines("cli.pipe", self._lang)
        )


def _asked(book: Book, facts: Mapping[str, str], source: Source) -> _Answer:
    from ..source import head_of
    from ..value import replace

    streams: list[Stream] = []  # they know at their end whether it was the end of the log

    def opened() -> Stream:
        streams.append(source.open())
        return streams[-1]

    watched = replace(source, opener=opened)
    try:
        head = head_of(watched)
        empty = head.data is not None and not head.data.strip()
        if empty and head.problem:
            return _Answer(source.name, problem=head.problem)
        report = book.diagnose_source(watched if head.data is None and source.plain else _again(head), facts)
    except FixbookError as error:
        return _Answer(source.name, problem=_problem(source, error))
    damage = next((stream.problem for stream in streams if stream.problem), "")
    return _Answer(source.name, report, damage, empty)


def _again(head: Head) -> Source:
    """A source that gives once more what was read of it."""
    if head.data is None:
        return head.source

    from ..source import Stream
    from ..stream import once
    from ..value import replace

    stream = Stream(io.BytesIO())
    stream.unread(head.data)
    stream.problem = head.problem
    return replace(head.source, opener=once(stream))


def _problem(source: Source, error: FixbookError) -> str:
    return str(error).removeprefix(f"{source.name}: ")


def _opened(file: str | Source) -> Iterator[Source]:
    """The logs in it: a file may be an archive."""
    from ..source import open_file

    yield from open_file(file) if isinstance(file, str) else (file,)


def _all_of(ask: Callable[[Source], _Answer], file: str | Source) -> Iterator[_Answer]:
    yield from map(ask, _opened(file))


def _is_file(file: str | Source) -> bool:
    """Whether it can be opened by another process: no pipe."""
    return isinstance(file, str) and os.path.isfile(file)


def _in_parallel(ask: partial[_Answer], paths: list[str | Source]) -> Iterator[_Answer]:
    """The files with all cores where that pays. A process gets the path: what a source holds open does not travel."""
    if len(paths) < 2 or sum(_size(path) for path in paths) < _ALONE:
        for path in paths:
            yield from _all_of(ask, path)
        return
    from ..parallel import in_order

    for answers in in_order(partial(_listed, ask), paths):
        yield from answers


def _listed(ask: partial[_Answer], path: str | Source) -> list[_Answer]:
    return list(_all_of(ask, path))


def _size(path: str | Source) -> int:
    try:
        return os.path.getsize(path) if isinstance(path, str) else 0
    except OSError:  # gone since it was listed: opening it says so
        return 0
