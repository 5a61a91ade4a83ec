"""Which command, with which options."""

from __future__ import annotations

from collections.abc import Sequence

from .usual import Options, Usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from .usual import Parser

__all__ = ["COMMANDS", "EXIT_CODES", "ROOMS", "Options", "books", "parse", "seconds", "shared", "usual"]

# Command → its room. A room has `configure(parser)`, which sets `run`; only the room of the command at hand is imported.
COMMANDS = {
    "completion": "the completion script of a shell",
    "explain": "why entries were found in a log, or were not",
    "facts": "list what --fact can state",
    "fmt": "put entries into one layout",
    "lint": "check a book",
    "list": "list the entries of the book",
    "mcp": "the book as tools of a model, over MCP",
    "new": "draft an entry from a failure that the book does not know",
    "redact": "mask secrets and personal data in a log",
    "run": "run a command, and tell what is known when it fails",
    "search": "find entries by words, error text, flag or id",
    "serve": "diagnose logs over HTTP",
    "show": "print the article of an entry",
    "site": "the book as a static site",
}
ROOMS = {"list": "listing"}  # of commands whose room has another name
EXIT_CODES = """\
exit codes:
  0  a known cause was found, or the outer error of one
  1  nothing known was found: an unknown failure, or none
  2  trouble: arguments, a log that cannot be read, a broken book
"""
_TAKE_VALUES = frozenset(("--format", "-f", "--lang", "-l", "--kb", "--fact", "--output", "-o", "--color", "--id", "--component"))


def parse(arguments: Sequence[str], alone: bool = False) -> Options:
    """The options of the command at hand; `options.run(options)` carries it out. Exits with 2 and a message on a wrong argument.

    `alone`: nothing else in this process uses `argparse`.
    """
    command, rest = _split(list(arguments))
    read = usual(rest) if command is None else None
    if read is not None:
        return read
    from .parser import command_parser, untranslated

    if alone:
        untranslated()
    parser = command_parser(command)
    if command == "search":
        rest = _flags_as_words(rest, _options(parser))
    options, unknown = parser.parse_known_args(rest, Options())
    many = next((action.dest for action in parser._actions if not action.option_strings and action.nargs in ("*", "+")), None)
    words = _words(unknown)
    if many is not None and words is not None:
        setattr(options, many, [*getattr(options, many), *words])
    elif unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}" + _meant(unknown, _options(parser)))
    return options


def usual(arguments: Sequence[str]) -> Options | None:
    """The options of a triage of logs whose arguments are of the usual shape."""
    from .triage import configure

    parser = Usual()
    configure(parser)
    return parser.read(arguments)


def _words(left: Sequence[str]) -> list[str] | None:
    """The words that `argparse` left over where an option stands between them (`a.log --full b.log`); None if an option is among them."""
    end = left.index("--") if "--" in left else len(left)
    return None if any(word.startswith("-") and word != "-" for word in left[:end]) else [*left[:end], *left[end + 1 :]]


def _options(parser: ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


def _meant(unknown: Sequence[str], options: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = [get_close_matches(word.partition("=")[0], options, n=1, cutoff=0.75) for word in unknown if word.startswith("-")]
    return f"; did you mean {', '.join(option for found in near for option in found)}?" if any(near) else ""


def _flags_as_words(arguments: list[str], options: Sequence[str]) -> list[str]:
    """Flags may be what is looked for (`fixbook search --shm-size`): without dashes they are words like others.

    What is an option of the command, or may have been meant as one, stays.
    """
    named = {word for word in arguments if word.partition("=")[0] in options or _meant([word], options)}
    return [word.lstrip("-") if word.startswith("--") and word[2:] and word not in named else word for word in arguments]


def _split(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The command, if the first word that is no option is one, and the arguments without it."""
    skip = False
    for at, word in enumerate(arguments):
        if skip:
            skip = False
        elif word == "--":
            return None, arguments
        elif word.startswith("-") and word != "-":
            skip = word in _TAKE_VALUES
        else:
            return (word, arguments[:at] + arguments[at + 1 :]) if word in COMMANDS else (None, arguments)
    return None, arguments


def shared(parser: Parser, formats: Sequence[str]) -> None:
    """The options that commands have in common."""
    parser.add_argument("-f", "--format", choices=formats, default="text", help="default: text")
    parser.add_argument("-l", "--lang", choices=("en", "zh", "both"), help="default: FIXBOOK_LANG, else the locale")
    books(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout; replaced in one step")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal; NO_COLOR, FORCE_COLOR")


def books(parser: Parser) -> None:
    """The options that choose the book."""
    parser.add_argument("--kb", action="append", default=[], metavar="DIR", help="put this book over the shipped one (repeatable)")
    parser.add_argument("--no-shipped", action="store_true", help="use the books of --kb alone")


def seconds(text: str) -> float:
    """A number of seconds, at most a day; for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 86_400:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"a number of seconds from 0 to 86400, not {text!r}")
    return number
