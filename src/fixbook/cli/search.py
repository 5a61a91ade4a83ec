"""`fixbook search WORDS`: entries that hold all the words."""

from argparse import ArgumentParser

from . import arguments
from .arguments import Options
from .console import complain, lines, message_language, prepare
from .listing import write_entries
from .shelf import open_book
from .writing import opened

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook search kv cache dtype
  fixbook search 显存不足
  fixbook search "must have the same dtype"
  fixbook search --format json NCCL_DEBUG

exit codes:
  0  something was found
  1  nothing was found
  2  trouble
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Finds entries by words in either language, error text, flags, ids and aliases; best first."
    parser.epilog = _EPILOG
    parser.add_argument("words", nargs="+", metavar="WORD")
    arguments.shared(parser, ("text", "json"))
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """0 when something was found, else 1."""
    prepare(options.format != "text")
    found = open_book(options).search(" ".join(options.words))
    with opened(options.output) as stream:
        write_entries(found, options, stream)
    if not found:
        complain(lines("cli.no-entry", message_language(options.lang)))
    return 0 if found else 1
