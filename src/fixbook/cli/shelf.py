"""The book that a command uses."""

from __future__ import annotations

from .arguments import Options
from .console import complain, lines, message_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..api import Book

__all__ = ["open_book", "warn"]


def open_book(options: Options) -> Book:
    """The shipped book with those of `--kb` over it; its broken entries are named on stderr, the others work."""
    from ..api import load
    from ..errors import FixbookError

    if options.no_shipped and not options.kb:
        raise FixbookError("--no-shipped leaves no book: name one with --kb DIR")
    book = load(*options.kb, shipped=not options.no_shipped)
    for problem in book.problems:
        if problem.severity == "error":
            warn(f"{problem.where}: {problem.what}", options)
    if any(problem.severity == "error" for problem in book.problems):
        complain(lines("cli.set-aside", message_language(options.lang)))
    return book


def warn(what: str, options: Options) -> None:
    """A warning to stderr."""
    complain(lines("cli.warning", message_language(options.lang)) + what)
