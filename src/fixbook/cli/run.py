"""`fixbook run -- CMD …`: runs a command, and tells what is known when it fails."""

import argparse
import os
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FixbookError
from . import arguments, ending
from .arguments import Options
from .console import complain, language, lines, message_language, use_color, width

if TYPE_CHECKING:
    from ..api import Book, Report
    from ..doors.quiet import Look
    from ..doors.record import Kept
    from ..doors.runner import Ended
    from ..model import Lang

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook run -- vllm serve MODEL --tensor-parallel-size 2
  fixbook run --lang zh --on-fail-write report.md -- torchrun train.py
  fixbook run --silent-after 120 -- ./start.sh

The command sees the terminal as it would without `fixbook run`; its output passes through unchanged. When it fails, the
article goes to stderr. It comes while the command runs, when a fatal cause shows in its output and the command hangs.

exit codes:
  0  the command's own, whatever it is; 128 + n when signal n ended it
  2  trouble: arguments, a broken book
  126, 127  the command cannot be executed, is not there
"""
_LONGEST_NAME = 60
_MUCH = 10_000_000  # bytes from which they are told in MB
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".json": "json"}
# Without one of these words in what came last, a silent command is only idle.
_FAILURE = re.compile(rb"rror\b|[Ee]xception|Traceback|FATAL|fatal|CRITICAL|Killed|terminate called|NCCL WARN|Xid|assert|panic", re.ASCII)


def configure(parser: ArgumentParser) -> None:
    parser.usage = "fixbook run [options] -- CMD [ARGUMENT ...]"
    parser.description = "Runs a command and prints the article to stderr when it fails."
    parser.epilog = _EPILOG
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="CMD", help="the command and its arguments")
    parser.add_argument("--on-fail-write", metavar="FILE", help="write the report there, without secrets: .md, .html, .json or text")
    parser.add_argument(
        "--silent-after", type=arguments.seconds, default=30.0, metavar="SECONDS", help="when to look into a silent command; 0: never (30)"
    )
    parser.add_argument("--full", action="store_true", help="the whole article of the first finding")
    parser.add_argument("--fact", action="append", default=[], metavar="NAME=VALUE", help="state what the output does not say (repeatable)")
    parser.add_argument("-l", "--lang", choices=("en", "zh", "both"), help="default: FIXBOOK_LANG, else the locale")
    arguments.books(parser)
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal; NO_COLOR, FORCE_COLOR")
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """The exit code of the command."""
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise FixbookError("run: no command; write `fixbook run -- CMD …`")
    facts = _checked(options)
    _fill_streams()
    try:
        from ..doors.process import NotStartedError
        from ..doors.runner import die_interrupted
        from ..doors.runner import run as run_command
    except ImportError as error:  # no pseudo-terminals, no fork
        raise FixbookError("run: works on Linux and macOS only; elsewhere `CMD 2>&1 | fixbook`") from error
    teller = _Teller(options, command, facts)
    killed = ending.oom_kills()
    try:
        ended = run_command(command, teller.looked if options.silent_after else None, options.silent_after)
    except NotStartedError as error:
        complain(f"{command[0]}: {error}")
        return 127 if isinstance(_as_error(error.number), FileNotFoundError) else 126
    if ended.code:
        try:
            teller.failed(ended, ending.oom_kills() - killed)
        except (FixbookError, OSError) as error:  # whatever it is, the exit code stays the command's
            complain(str(error))
        die_interrupted(ended)
    elif ended.trouble:
        from ..filling import Marked

        complain(lines("run.lost", message_language(options.lang), trouble=Marked(ended.trouble)))
    return ended.code


def _fill_streams() -> None:
    """Opens what the caller has closed (`2>&-`): its number would be given to a pipe, and what goes there would be lost in it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number


def _checked(options: Options) -> Mapping[str, str]:
    """The stated facts; raises FixbookError for what would show only when the command has failed, perhaps hours later."""
    from .triage import stated_facts

    facts = stated_facts(options.fact)
    for folder in options.kb:
        if not Path(folder).is_dir():
            raise FixbookError(f"no book at {folder}: give a folder that holds <component>/<slug>.yaml files")
    if options.no_shipped and not options.kb:
        raise FixbookError("--no-shipped leaves no book: name one with --kb DIR")
    if options.on_fail_write:
        file = Path(options.on_fail_write).absolute()
        if file.is_dir() or not file.parent.is_dir():
            what = "is a folder" if file.is_dir() else "there is no such folder"
            raise FixbookError(f"{options.on_fail_write}: {what}; choose another file for --on-fail-write")
    return facts


def _as_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@dataclass(slots=True)
class _Teller:
    """Says on stderr what is known about the output of a command."""

    options: Options
    command: list[str]
    facts: Mapping[str, str]
    _book: "Book | None" = None
    _told: frozenset[str] = frozenset()  # entries told while the command ran
    _suspect: str = ""  # the entry that the last look showed while output came

    def looked(self, look: "Look") -> str | None:
        """The article, where a fatal cause is known and was not told before; else "".

        While output comes, the program may be about to tell more, or to help itself: then the cause has to show twice.
        """
        suspect, self._suspect = self._suspect, ""
        if not _FAILURE.search(look.kept.data[-look.new :]):
            return ""
        report = self._diagnose(look.kept)
        first = report.findings[0] if report.findings else None
        if first is None or first.entry.id in self._told or not _is_fatal(report):
            return ""
        if not look.silent and first.entry.id != suspect:
            self._suspect = first.entry.id
            return None
        self._told |= {first.entry.id}
        head = self._line("run.silent" if look.silent else "run.chatter", seconds=round(self.options.silent_after))
        return self._page(report, f"fixbook: {head}")

    def failed(self, ended: "Ended", oom_killed: int) -> None:
        """Prints the article, and writes it to a file when that is wanted."""
        kept = ended.record.kept()
        report = self._diagnose(kept)
        silent = report.verdict == "clean"
        if ended.signal and report.verdict != "known":
            kept, report = self._with_last_words(ended, report)
        if ended.asked and report.verdict != "known":
            return  # somebody stopped it
        head = "\n".join(f"fixbook: {each}" for each in self._head(ended, oom_killed, report, silent, kept.lost))
        told = bool(report.findings) and report.findings[0].entry.id in self._told
        print(f"\n{head}\n" if told or (silent and report.verdict != "known") else self._page(report, head), end="", file=sys.stderr)
        if self.options.on_fail_write:
            self._write(report, kept.data)

    def _with_last_words(self, ended: "Ended", report: "Report") -> "tuple[Kept, Report]":
        """What a shell would say to the end counts where an entry knows it, or where nothing else failed."""
        kept = ending.with_last_words(ended, self.command)
        other = self._diagnose(kept)
        return (kept, other) if report.verdict == "clean" or other.verdict == "known" else (ended.record.kept(), report)

    def _head(self, ended: "Ended", oom_killed: int, report: "Report", silent: bool, lost: int) -> Iterator[str]:
        from ..filling import Marked

        key, name = "run.signal" if ended.signal else "run.code", Marked(ending.signal_name(ended.signal))
        yield self._line(key, code=ended.code, signal=ended.signal or 0, name=name)
        if ended.trouble:
            yield lines("run.lost", self._lang, trouble=Marked(ended.trouble))
        if oom_killed > 0:
            yield lines("run.oom", self._lang, n=oom_killed)
        if report.verdict != "known":
            if silent:
                yield lines("run.nothing_kept" if lost else "run.nothing", self._lang, size=Marked(_size(lost)))
            yield from ending.advice(ended, oom_killed, self._lang)
        elif report.findings[0].entry.id in self._told:
            yield lines("run.told", self._lang, id=report.findings[0].entry.id)

    @property
    def _lang(self) -> "Lang":
        return message_language(self.options.lang)

    def _line(self, key: str, **values: object) -> str:
        name = shlex.join(self.command)
        shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        return lines(key, self._lang, command=shown, **values)

    def _diagnose(self, kept: "Kept") -> "Report":
        from ..doors.renumber import renumbered
        from .shelf import open_book

        if self._book is None:
            self._book = open_book(self.options)
        report = self._book.diagnose(kept.data, self.facts, name="output")
        return _without_middle(renumbered(report, kept.line, kept.omitted), kept.lost)

    def _page(self, report: "Report", head: str) -> str:
        color = use_color(self.options.color, False, sys.stderr)
        body = report.render(
            "text", lang=language(self.options.lang), full=self.options.full, width=width(sys.stderr), color=color, book=self._book
        )
        return f"\n{head}\n\n{body.rstrip()}\n"

    def _write(self, report: "Report", log: bytes) -> None:
        from ..masked import masked
        from .writing import opened

        path = self.options.on_fail_write
        format = _FORMATS.get(Path(path).suffix.lower(), "text")
        with opened(path, "--on-fail-write") as stream:
            shown = masked(report, log=log).render(format, lang=language(self.options.lang), full=True, book=self._book)
            print(shown, file=stream)


def _without_middle(report: "Report", lost: int) -> "Report":
    """The report with what was not kept of the output, which is not the same as a middle without a failure."""
    from ..report import Skipped
    from ..value import replace

    if not lost:
        return report
    return replace(report, skipped=(Skipped("output", f"{_size(lost)} in the middle were not kept"), *report.skipped))


def _size(count: int) -> str:
    """A number of bytes, with a whole number: reasons of what was skipped have one number at most."""
    return f"{-(-count // 1000)} kB" if count < _MUCH else f"{round(count / 1e6)} MB"


def _is_fatal(report: "Report") -> bool:
    """Whether a cause that takes the service down is known well enough to speak up while the command still runs."""
    first = report.findings[0]
    return first.entry.kind == "cause" and first.level in ("confirmed", "likely") and first.entry.severity == "service-down"
