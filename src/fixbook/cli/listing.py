"""`fixbook list`: the entries of the book, one line each."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from ..errors import FixbookError
from ..model import Lang
from . import arguments
from .arguments import Options
from .console import language, prepare, use_color
from .shelf import open_book
from .writing import opened

if TYPE_CHECKING:
    from ..api import Article, Book

__all__ = ["configure", "run", "write_entries"]

_EPILOG = """\
examples:
  fixbook list
  fixbook list --component nccl --lang zh
  fixbook list --format json | jq -r '.entries[].id'

exit codes:
  0  listed
  2  trouble
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Lists the entries of the book: id and title."
    parser.epilog = _EPILOG
    parser.add_argument("--component", metavar="NAME", help="only the entries of this component (the first part of their ids)")
    arguments.shared(parser, ("text", "json"))
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """Lists. Raises FixbookError for a component that the book does not have."""
    prepare(options.format != "text")
    book = open_book(options)
    entries = [article for article in book.entries if options.component in (None, article.entry.component)]
    if not entries and options.component:
        raise FixbookError(f"no component {options.component!r}: one of {', '.join(_components(book))}")
    with opened(options.output) as stream:
        write_entries(entries, options, stream)
    return 0


def _components(book: "Book") -> list[str]:
    return sorted({article.entry.component for article in book.entries})


def write_entries(articles: Sequence["Article"], options: Options, stream: TextIO) -> None:
    """One line an entry, or a JSON document."""
    if options.format == "json":
        from ..json_report import entries_to_json

        print(entries_to_json([article.entry for article in articles]), file=stream)
        return
    from ..terminal import Painter

    painter = Painter(use_color(options.color, options.output is not None))
    column = min(max((len(article.id) for article in articles), default=0), 52)
    for article in articles:
        gap = " " * max(column - len(article.id), 0)
        print(f"{painter.paint(article.id, 'code')}{gap}  {_title(article, options)}", file=stream)


def _title(article: "Article", options: Options) -> str:
    from ..render_text import TextSurface
    from ..terminal import Painter
    from ..words import Words

    chosen = language(options.lang)
    langs: tuple[Lang, ...] = ("zh", "en") if chosen == "both" else ("zh",) if chosen == "zh" else ("en",)
    surface = TextSurface(1000, Painter(False))
    return " · ".join(surface.inline(Words(lang).title(article.entry)) for lang in langs)
