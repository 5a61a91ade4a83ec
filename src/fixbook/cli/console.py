"""The terminal or pipe that the command line talks to: language, colours, width, messages."""

from __future__ import annotations

import os
import sys

from ..model import Lang

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TextIO

__all__ = ["columns", "complain", "language", "lines", "message_language", "prepare", "use_color", "width"]

_WIDEST = 120
_PIPE_WIDTH = 100
_STANDARD_WIDTH = 80


def language(choice: str | None) -> Literal["en", "zh", "both"]:
    """The language asked for, else that of `FIXBOOK_LANG`, else that of the locale; English where nothing tells."""
    wanted = choice or next((value for name in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    if wanted.lower() == "both":
        return "both"
    return "zh" if wanted.lower().startswith("zh") else "en"


def message_language(choice: str | None) -> Lang:
    """The language of messages: one, also where articles are wanted in both."""
    lang = language(choice)
    if lang == "both":
        return "zh" if language(None) == "zh" else "en"
    return lang


def use_color(choice: str, to_file: bool, stream: TextIO | None = None) -> bool:
    """Whether stdout, or `stream`, gets colours. `--color` says it, else NO_COLOR, else FORCE_COLOR, else: a terminal that is not dumb."""
    if choice != "auto":
        return choice == "always"
    if to_file or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def width(stream: TextIO | None = None) -> int:
    """Columns of the terminal behind stdout, or `stream`, at most 120, because longer lines are hard to read; 100 for a pipe or a file."""
    if not (stream or sys.stdout).isatty() and not os.environ.get("COLUMNS"):
        return _PIPE_WIDTH
    return max(40, min(columns(), _WIDEST))


def columns() -> int:
    """Of `COLUMNS`, else of the terminal, else 80: what `shutil` says, which takes long to import."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or _STANDARD_WIDTH
    except (OSError, ValueError):
        return _STANDARD_WIDTH


def prepare(machine: bool) -> None:
    """Makes stdout take any character: formats for machines are UTF-8 whatever the locale, text shows what it cannot encode as escapes."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is None:  # a test's or a notebook's own stream
        return
    if machine:
        reconfigure(encoding="utf-8", errors="backslashreplace")
    else:
        reconfigure(errors="backslashreplace")


def lines(key: str, lang: Lang, **values: object) -> str:
    """A label as one plain line for stderr."""
    from ..render_text import TextSurface
    from ..terminal import Painter
    from ..words import Words

    return TextSurface(_WIDEST, Painter(False)).inline(Words(lang).say(key, **values))


def complain(text: str) -> None:
    """A message to stderr, safe for a terminal."""
    from ..escape import visible

    print(f"fixbook: {visible(text)}", file=sys.stderr)
