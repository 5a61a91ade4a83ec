"""`fixbook new LOG`: the draft of an entry from a failure that the book does not know."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FixbookError
from . import arguments
from .arguments import Options
from .console import complain, prepare
from .shelf import open_book

if TYPE_CHECKING:
    from ..api import Book
    from ..draft import Draft

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook new server.log                     to stdout
  fixbook new server.log --into kb           as kb/<component>/<slug>.yaml
  fixbook new server.log --line 412 --id vllm/no-such-parser --into kb

The log is redacted first. The signature is made of the message: numbers, paths, addresses and quoted values become
named captures. Then write what says TODO, run `fixbook lint`, and set `status: active`.

exit codes:
  0  drafted
  2  trouble: no failure, or every one is explained
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Drafts an entry from an unknown failure: signature, sample, near misses, stubs in both languages."
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="LOG", help="a log; - for standard input")
    parser.add_argument("--line", type=int, default=0, metavar="N", help="the failure in this line, instead of the first unknown one")
    parser.add_argument("--id", default="", metavar="ID", help="the entry's id: component/slug")
    parser.add_argument("--into", metavar="DIR", help="write into this book; an entry that is there stays")
    parser.add_argument("--hosts", action="store_true", help="mask names and addresses of machines in the sample, too")
    arguments.books(parser)
    parser.set_defaults(run=run, lang=None)


def run(options: Options) -> int:
    """Writes the draft. Raises FixbookError where there is nothing to draft from."""
    prepare(machine=True)
    book = open_book(options)
    drafted = _draft(options, book)
    if options.into is None:
        print(drafted.text, end="")
    else:
        complain(f"wrote {_write(drafted, Path(options.into), book)}")
    complain(f"about line {drafted.line}: {drafted.signature.pattern}")
    if drafted.neighbours:
        complain(f"its words stand also in samples of {', '.join(drafted.neighbours)}: narrow the pattern, or tell how to decide")
    if drafted.others:
        complain(f"other failures that no entry explains: --line {', '.join(map(str, drafted.others))}")
    return 0


def _draft(options: Options, book: "Book") -> "Draft":
    from ..draft import draft
    from ..log import read
    from ..redact import redact
    from ..source import open_sources

    sources = list(open_sources([options.file]))
    if len(sources) > 1:
        raise FixbookError(f"{options.file}: new takes one log, this is {len(sources)}: {sources[0].name}, {sources[1].name} …")
    if options.id and options.id.count("/") != 1:
        raise FixbookError(f"--id {options.id}: write component/slug, as in vllm/no-such-parser")
    name, text = sources[0].name, redact(sources[0].text(), options.hosts)
    log, report = read(text, name), book.diagnose(text, name=name)
    loaded = book.loaded
    today = datetime.now(UTC).date().isoformat()
    return draft(log, report, loaded.entries, loaded.components, today=today, id=options.id, line=options.line)


def _write(drafted: "Draft", folder: Path, book: "Book") -> Path:
    """The file, and its component's line in components.yaml where the book has none. Raises FixbookError rather than overwrite."""
    component = drafted.id.split("/")[0]
    target = folder / f"{drafted.id}.yaml"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as stream:
            stream.write(drafted.text)
        if component not in book.loaded.components:
            with (folder / "components.yaml").open("a", encoding="utf-8") as stream:
                stream.write(f"{component}:\n  name: {{en: {component}, zh: {component}}}\n")
            complain(f"{component} is a new component: see {folder / 'components.yaml'}, or name one with --id")
    except FileExistsError as error:
        raise FixbookError(f"{target}: is there already; name another with --id") from error
    except OSError as error:
        raise FixbookError(f"{error.filename or target}: {error.strerror}") from error
    return target
