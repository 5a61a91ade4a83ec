"""`fixbook [FILE…]`: what failed in these logs, and how to mend it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from ..errors import FixbookError
from ..report import Verdict
from . import arguments
from .arguments import COMMANDS, EXIT_CODES, Options
from .console import language, lines, message_language, prepare, use_color, width
from .logs import Logs
from .shelf import open_book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from ..api import Book, Report
    from .usual import Parser

__all__ = ["Page", "configure", "exit_code", "run", "stated_facts"]

_EXAMPLES = """\
examples:
  kubectl logs POD | fixbook
  fixbook server.log
  fixbook logs/ --lang zh --full
  fixbook server.log --fact kv_cache_dtype=float16
  fixbook rank*.log --together --format json -o report.json
  fixbook --follow server.log
  kubectl logs -f POD | fixbook --follow --format json | jq '.findings[].id'
  fixbook ./show            a file that is named like a command
"""
_FOLLOW = "go on with a log that grows (one FILE, or a pipe): each failure once, as it comes; JSON as one document a line; Ctrl-C ends it"


def configure(parser: Parser) -> None:
    commands = "\n".join(f"  fixbook {name:8} {what}" for name, what in COMMANDS.items())
    parser.usage = "fixbook [FILE ...] [options]\n       fixbook COMMAND ... (fixbook COMMAND --help)"
    parser.description = "Reads error logs, recognises known failures and gives the fix, in English and Chinese."
    parser.epilog = f"commands:\n{commands}\n\n{_EXAMPLES}\n{EXIT_CODES}"
    parser.add_argument("files", nargs="*", metavar="FILE", help="logs, folders, globs, archives; - or a pipe for standard input")
    parser.add_argument("--full", action="store_true", help="the whole article of the first finding")
    parser.add_argument("--fact", action="append", default=[], metavar="NAME=VALUE", help="state what the log does not say (repeatable)")
    parser.add_argument("--together", action="store_true", help="the logs tell of one incident: one report")
    parser.add_argument("--follow", action="store_true", help=_FOLLOW)
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 also when nothing known was found")
    arguments.shared(parser, ("text", "markdown", "html", "json"))
    parser.add_argument("--version", action="version", version=_version())
    parser.set_defaults(run=run)


def _version() -> str:
    from .. import __version__

    return f"fixbook {__version__}"


def run(options: Options) -> int:
    """0 if any log has a known cause or its outer error, else 1; 2 if any log could not be read."""
    facts = stated_facts(options.fact)
    prepare(options.format != "text")
    if options.follow:
        from .following import follow

        return follow(options, facts)
    book = open_book(options)
    logs = Logs(options.files or ["-"], options)
    if options.together:
        from .together import together

        reports: Iterable[Report] = (together(book, texts, facts, logs.damage) for texts in (list(logs.texts()),) if texts)
    else:
        reports = logs.reports(book, facts)
    verdicts = _written(book, options, reports)
    return 2 if logs.troubled else exit_code(verdicts, options)


def _written(book: Book, options: Options, reports: Iterable[Report]) -> list[Verdict]:
    """Where the answers go is opened before the first log is read."""
    if options.output is None:
        return Page(book, options, sys.stdout).write(reports)
    from .writing import opened

    with opened(options.output) as stream:
        return Page(book, options, stream).write(reports)


def exit_code(verdicts: Iterable[Verdict], options: Options) -> int:
    """0 where anything known was found."""
    return 0 if options.exit_zero or any(verdict in (Verdict.KNOWN, Verdict.WRAPPER) for verdict in verdicts) else 1


def stated_facts(arguments: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` arguments as a mapping. Raises FixbookError for one that is not of that form, or that states no fact."""
    pairs = [argument.partition("=") for argument in arguments]
    for name, sign, value in pairs:
        if not sign or not name.strip() or not value.strip():
            raise FixbookError(f"--fact {name}{sign}{value}: write --fact NAME=VALUE, as in --fact kv_cache_dtype=float16")
    facts = {name.strip(): value.strip() for name, _, value in pairs}
    if facts:
        from ..api import check_facts

        check_facts(facts)  # once, and before anything is read: not for each log
    return facts


def _is_one(name: str) -> bool:
    """Whether it is the path of one log: a file, or a pipe as in `fixbook <(kubectl logs POD)`."""
    return os.path.exists(name) and not os.path.isdir(name)


class Page:
    """Writes reports: text as they come, with a heading each when there are several; JSON as one document, or as one a line."""

    def __init__(self, book: Book, options: Options, stream: TextIO) -> None:
        self._options = options
        self._stream = stream
        self._book = book
        self._width = width()
        # A folder or a glob gives a list also when it holds one log, so that a script meets one shape.
        self._several = len(options.files) > 1 or any(name != "-" and not _is_one(name) for name in options.files)

    def write(self, reports: Iterable[Report]) -> list[Verdict]:
        """Writes all and gives their verdicts."""
        return self._json(list(reports)) if self._options.format == "json" else self._documents(reports)

    def write_each(self, reports: Iterable[Report]) -> Iterator[Verdict]:
        """Writes what comes, one report after the other, and gives its verdict."""
        for number, report in enumerate(reports):
            if self._options.format == "json":
                from ..json_report import to_line

                print(to_line(report), file=self._stream, flush=True)
            else:
                print(("\n" if number else "") + self._rendered(report), file=self._stream, flush=True)
            yield report.verdict

    def _json(self, reports: list[Report]) -> list[Verdict]:
        from ..json_report import reports_to_json, to_json

        several = len(reports) > 1 or (self._several and not self._options.together)
        if several or reports:
            print(reports_to_json(reports) if several else to_json(reports[0]), file=self._stream)
        return [report.verdict for report in reports]

    def _documents(self, reports: Iterable[Report]) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for report in reports:
            if verdicts:
                print(file=self._stream)
            if self._options.format == "text" and self._several and not self._options.together:
                print(self._bar(report.source), file=self._stream)
            print(self._rendered(report), file=self._stream, flush=True)
            verdicts.append(report.verdict)
        if len(verdicts) > 1:
            print("\n" + self._summary(verdicts), file=self._stream)
        return verdicts

    def _rendered(self, report: Report) -> str:
        options = self._options
        color = use_color(options.color, options.output is not None)
        return report.render(
            options.format, lang=language(options.lang), full=options.full, width=self._width, color=color, book=self._book
        )

    def _bar(self, name: str) -> str:
        from ..escape import visible
        from ..terminal import cells

        bar = f"── {visible(name)} "
        return bar + "─" * max(self._width - cells(bar), 2)

    def _summary(self, verdicts: Sequence[Verdict]) -> str:
        """The last line: how many logs, and what they gave."""
        from ..words import Words

        words = Words(message_language(self._options.lang))
        counts = ((verdict, verdicts.count(verdict)) for verdict in Verdict)
        said = words.join(words.say(f"summary.{verdict}", n=count) for verdict, count in counts if count)
        line = lines("summary.logs", words.lang, n=len(verdicts), verdicts=said)
        return f"<p>{line}</p>" if self._options.format == "html" else line
