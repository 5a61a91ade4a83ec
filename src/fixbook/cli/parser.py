"""The parser of each command, for arguments that are not of the usual shape, for help and for completion."""

import argparse
from importlib import import_module

from .arguments import ROOMS

__all__ = ["command_parser", "untranslated"]


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for every option it is told of; without a width, each would ask for it in a way that takes long to import."""

    def __init__(self, prog: str) -> None:
        from .console import columns

        super().__init__(prog, width=columns() - 2)


def untranslated() -> None:
    """For a process of our own: argparse would ask for translations of its words, which are nowhere, and import `locale` for it."""
    argparse._ = str  # type: ignore[attr-defined]


def command_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser of a command; of the triage of logs for None."""
    room = import_module(f".{ROOMS.get(command, command) if command else 'triage'}", __package__)
    parser = argparse.ArgumentParser(
        prog=f"fixbook {command}" if command else "fixbook",
        formatter_class=_Help,
        allow_abbrev=False,
        add_help=False,
    )
    room.configure(parser)
    parser.add_argument("-h", "--help", action="help", help="show this help and exit")
    return parser
