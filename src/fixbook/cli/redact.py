"""`fixbook redact FILE`: the log without what is secret or personal."""

import codecs
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import FixbookError
from .arguments import Options
from .console import complain, lines, message_language, prepare
from .writing import opened

if TYPE_CHECKING:
    from ..source import Source

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook redact server.log -o server.redacted.log
  fixbook redact server.log --hosts | fixbook
  kubectl logs POD | fixbook redact - | less

masked are tokens, keys, passwords, e-mail addresses and the names of home folders, the same value everywhere
in the same way: <token-1>, <email-2>, /home/user-1. Read the result before you publish it.

exit codes:
  0  written
  2  trouble: a log that cannot be read
"""
_PIECE = 1 << 20  # bytes that are masked at once
_LONGEST = 1 << 24  # characters that are held for the end of a line or of a private key


def configure(parser: ArgumentParser) -> None:
    parser.description = "Masks secrets and personal data in a log; what is found in it stays the same."
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="*", metavar="FILE", help="logs; - or a pipe for standard input")
    parser.add_argument("--hosts", action="store_true", help="mask names and addresses of machines, too")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout; replaced in one step")
    parser.set_defaults(run=run, lang=None)


def run(options: Options) -> int:
    """Writes the logs one after the other, as UTF-8. Raises FixbookError for one that cannot be read."""
    from ..escape import visible
    from ..redact import Redactor
    from ..source import open_sources

    prepare(machine=True)
    paths = options.files or ["-"]
    if "-" in paths and sys.stdin is not None and sys.stdin.isatty():
        complain(lines("cli.paste", message_language(None)))
    redactor = Redactor(options.hosts)
    with opened(options.output) as stream:
        terminal = stream.isatty()
        for source in open_sources(paths):
            for piece in _pieces(source):
                masked = redactor.feed(piece)
                # A terminal would act upon what the log holds; files and pipes get the log as it is.
                stream.write(visible(masked) if terminal else masked)
    return 0


def _pieces(source: "Source") -> Iterator[str]:
    """The text of a log, cut at line ends, never inside a private key."""
    held = ""
    for text in _decoded(source):
        held += text
        end = max(held.rfind("\n"), held.rfind("\r", 0, max(len(held) - 1, 0))) + 1  # a last "\r" may be half of an end
        key = held.rfind("-----BEGIN", 0, end)
        if key >= 0 and held.find("-----END", key, end) < 0:
            end = held.rfind("\n", 0, key) + 1
        if len(held) - end > _LONGEST:
            end = len(held)
        yield held[:end]
        held = held[end:]
    yield held


def _decoded(source: "Source") -> Iterator[str]:
    from ..source import encoding_of

    with source.open() as stream:
        data = stream.read(_PIECE)
        name = encoding_of(data)
        # What a paste in UTF-8 holds of Windows-1252 is read as everywhere else.
        decoder = codecs.getincrementaldecoder(name)(errors="fixbook-typographic" if name == "utf-8" else "replace")
        while data:
            text = decoder.decode(data)
            yield text.removeprefix("\ufeff").replace("\0", "")
            data = stream.read(_PIECE)
        yield decoder.decode(b"", final=True)
        if stream.problem:
            raise FixbookError(f"{source.name}: {stream.problem}")
