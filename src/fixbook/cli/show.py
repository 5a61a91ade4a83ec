"""`fixbook show ID`: the article of an entry."""

from argparse import ArgumentParser

from ..errors import FixbookError
from . import arguments
from .arguments import Options
from .console import language, prepare, use_color, width
from .shelf import open_book
from .writing import opened

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook show vllm/kv-cache-dtype-differs-from-model
  fixbook show kv-cache-dtype-differs-from-model --lang both
  fixbook show vllm/engine-dead --format markdown -o engine-dead.md

exit codes:
  0  shown
  2  no entry of this name, or other trouble
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Prints the article of an entry, with placeholders where a log would give values."
    parser.epilog = _EPILOG
    parser.add_argument("ids", nargs="+", metavar="ID", help="an entry's id, its last part, or an alias")
    arguments.shared(parser, ("text", "markdown", "html", "json"))
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """Prints one article after the other. Raises FixbookError for a name that the book does not have."""
    prepare(options.format != "text")
    book = open_book(options)
    try:
        articles = [book[name] for name in options.ids]
    except KeyError as error:
        raise FixbookError(f"{error.args[0]} (`fixbook list` and `fixbook search WORDS` give the ids)") from error
    color = use_color(options.color, options.output is not None)
    with opened(options.output) as stream:
        for at, article in enumerate(articles):
            if at:
                print(file=stream)
            print(article.render(options.format, lang=language(options.lang), width=width(), color=color), file=stream)
    return 0
