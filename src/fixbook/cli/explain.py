"""`fixbook explain FILE [--id ID]`: why entries were found in a log, or were not."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import FixbookError
from . import arguments
from .arguments import Options
from .console import lines, message_language, prepare, use_color, width
from .shelf import open_book
from .writing import opened

if TYPE_CHECKING:
    from ..api import Book, Report
    from ..explain import Explanation

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook explain server.log
  fixbook explain server.log --id vllm/kv-cache-dtype-differs-from-model
  kubectl logs POD | fixbook explain -

Without --id: the entries that were found or ruled out, and the nearest ones to what is unexplained.

exit codes:
  0  an entry explained was found in the log
  1  none was
  2  trouble
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Tells for each signature where it was found, or how far it got, and which fact decided."
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="a log; - for standard input")
    parser.add_argument("--id", metavar="ID", help="only this entry")
    parser.add_argument("--fact", action="append", default=[], metavar="NAME=VALUE", help="state what the log does not say (repeatable)")
    arguments.shared(parser, ("text",))
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """0 when an entry explained was found, else 1."""
    from .triage import stated_facts

    prepare(False)
    book = open_book(options)
    facts = stated_facts(options.fact)
    name, text = _read(options)
    report = book.diagnose(text, facts, name=name)
    try:
        ids = [book[options.id].id] if options.id else list(_worth_explaining(report))
    except KeyError as error:
        raise FixbookError(str(error.args[0])) from error
    told = [each for id in ids for each in book.explain(text, id, facts, name=name)]
    with opened(options.output) as stream:
        print("\n\n".join(_told(told, options, book)) or lines("explain.none", message_language(options.lang)), file=stream)
    return 0 if any(each.finding is not None for each in told) else 1


def _read(options: Options) -> tuple[str, str]:
    from ..source import open_sources

    if options.file == "-" and (sys.stdin is None or sys.stdin.isatty()):
        from ..decoding import decode
        from .logs import pasted

        return "stdin", decode(pasted(message_language(options.lang)))
    sources = list(open_sources([options.file]))
    if len(sources) > 1:
        raise FixbookError(f"{options.file}: explain takes one log, this is {len(sources)}: {sources[0].name}, {sources[1].name} …")
    return sources[0].name, sources[0].text()


def _worth_explaining(report: "Report") -> Iterator[str]:
    found = [finding.entry.id for finding in (*report.findings, *report.ruled_out, *report.consequences)]
    near = [nearest.entry for unknown in report.unknown for nearest in unknown.nearest]
    yield from dict.fromkeys((*found, *near))


def _told(explanations: Iterable["Explanation"], options: Options, book: "Book") -> Iterator[str]:
    from ..render import render_explanation

    color = use_color(options.color, options.output is not None)
    for explanation in explanations:
        yield render_explanation(explanation, message_language(options.lang), width=width(), color=color)
