"""The logs that the arguments mean, and their reports: one after the other, several large files with all cores."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
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
    from ..source import Source

__all__ = ["Logs", "pasted"]

_REMEDIES = {"Permission denied": "cli.denied", "no log in this folder": "cli.no-log", "no such file or folder": "cli.pipe"}
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
    problem: str = ""
    empty: bool = False


class Logs:
    """What cannot be read is named on stderr and remembered in `troubled`; the others follow all the same."""

    def __init__(self, paths: Sequence[str], options: Options) -> None:
        self._paths = paths
        self._lang = message_language(options.lang)
        self.troubled = False

    def reports(self, book: Book, facts: Mapping[str, str]) -> Iterator[Report]:
        """A report for each log that can be read, in order."""
        ask = partial(_asked, book, facts)
        for plain, group in groupby(self._sources(), key=lambda source: source.plain and not source.problem):
            for answer in _in_parallel(ask, list(group)) if plain else map(ask, group):
                if answer.empty:
                    self._warn_empty(answer.name)
                if answer.report is None:
                    self._trouble(answer.name, answer.problem)
                else:
                    yield answer.report

    def texts(self) -> Iterator[tuple[str, str]]:
        """`(name, text)` of each log that can be read, whole."""
        for source in self._sources():
            try:
                text = source.text()
            except FixbookError as error:
                self._trouble(source.name, _problem(source, error))
                continue
            if not text.strip():
                self._warn_empty(source.name)
            yield source.name, text

    def _sources(self) -> Iterator[Source]:
        from ..source import Source, Stream, open_sources
        from ..stream import once

        for path in self._paths:
            if path == "-" and (sys.stdin is None or sys.stdin.isatty()):
                yield Source("stdin", opener=once(Stream(io.BytesIO(pasted(self._lang)))))
            else:
                yield from open_sources([path])

    def _warn_empty(self, name: str) -> None:
        complain(lines("cli.warning", self._lang) + lines("cli.empty", self._lang, name=os.path.basename(name)))

    def _trouble(self, name: str, problem: str) -> None:
        self.troubled = True
        if problem == "no such file or folder" and os.sep not in name and "." not in name:
            complain(lines("cli.neither", self._lang, word=Marked(name)) + self._meant(name))
            return
        remedy = _REMEDIES.get(problem)
        complain(f"{name}: {problem}" + (f"\n    {lines(remedy, self._lang)}" if remedy else ""))

    def _meant(self, word: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(word, COMMANDS, n=1)
        return "; " + lines("cli.meant", self._lang, command=near[0]) if near else "\n    " + lines("cli.pipe", self._lang)


def _asked(book: Book, facts: Mapping[str, str], source: Source) -> _Answer:
    from ..source import head_of

    try:
        head = head_of(source)
        report = book.diagnose_source(source if head.data is None and source.plain else _again(source, head.source, head.data), facts)
    except FixbookError as error:
        return _Answer(source.name, problem=_problem(source, error))
    return _Answer(source.name, report, empty=head.data is not None and not head.data.strip())


def _again(source: Source, rest: Source, data: bytes | None) -> Source:
    """A source that gives once more what was read of it."""
    if data is None:
        return rest

    from ..source import Stream
    from ..stream import once
    from ..value import replace

    return replace(source, opener=once(Stream(io.BytesIO(data))))


def _problem(source: Source, error: FixbookError) -> str:
    return str(error).removeprefix(f"{source.name}: ")


def _in_parallel(ask: partial[_Answer], sources: list[Source]) -> Iterator[_Answer]:
    """The files with all cores where that pays. A process gets the path: what a source holds open does not travel."""
    size = sum(source.size or 0 for source in sources)
    if len(sources) < 2 or size < _ALONE:
        yield from map(ask, sources)
        return
    from ..parallel import in_order

    yield from in_order(partial(_asked_by_path, ask), [source.path or source.name for source in sources])


def _asked_by_path(ask: partial[_Answer], path: str) -> _Answer:
    from ..source import open_file

    return ask(next(open_file(path)))
