"""Completion scripts for bash, zsh and fish, written from the parsers: `python -m fixbook.cli.completing` writes them anew.

They are static: a key press starts no Python, except where ids of entries are asked for.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..value import Value
from .arguments import COMMANDS
from .parser import command_parser

__all__ = ["FILES", "FOLDER", "main", "scripts"]

FOLDER = Path(__file__).parent / "completions"
FILES = {"bash": "fixbook.bash", "zsh": "_fixbook", "fish": "fixbook.fish"}
_IDS = "fixbook list 2>/dev/null | cut -d ' ' -f 1"
# What an argument takes, by the word that stands for it in the help.
_KINDS = {"FILE": "files", "LOG": "files", "PATH": "files", "CMD": "command", "DIR": "folders", "OUT": "folders", "ID": "ids"}


class _Argument(Value):
    """An option (`names`) or a positional argument (no names)."""

    names: tuple[str, ...]
    help: str
    takes: str = ""  # "", "files", "folders", "ids", "command", "word", or "choices"
    choices: tuple[str, ...] = ()
    word: str = ""
    many: bool = False


# Command → its arguments; "" stands for no command, the triage of logs.
_Found = dict[str, list[_Argument]]


def _arguments(command: str) -> list[_Argument]:
    return [_argument(action) for action in command_parser(command or None)._actions]


def _argument(action: argparse.Action) -> _Argument:
    choices = tuple(map(str, action.choices or ()))
    word = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    takes = "choices" if choices else _KINDS.get(word, "word")
    if action.nargs == 0:
        takes = ""
    help = re.sub(r"\s+", " ", action.help or "")
    many = action.nargs in ("*", "+", argparse.REMAINDER) or isinstance(action, argparse._AppendAction)
    return _Argument(tuple(action.option_strings), help, takes, choices, word, many)


def scripts() -> dict[str, str]:
    """Shell → its script."""
    found = {command: _arguments(command) for command in ("", *sorted(COMMANDS))}
    return {"bash": "\n".join(_bash(found)) + "\n", "zsh": "\n".join(_zsh(found)) + "\n", "fish": "\n".join(_fish(found)) + "\n"}


# --- bash -------------------------------------------------------------------------------------------------------------------------

_BASH_HEAD = """\
# bash completion of fixbook; written by `python -m fixbook.cli.completing`
_fixbook() {
    local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word options='' takes='' ended=''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
        case $word in
            --) ended=1; break ;;"""
_BASH_TAIL = """\
    if [[ $ended && $command == run ]]; then
        takes=command
    elif [[ ! $ended && $current == -* ]]; then
        takes=choices:$options
    elif [[ ! $command ]]; then
        COMPREPLY=($(_fixbook_values "choices:%s" "$current") $(_fixbook_values files "$current"))
        return
    fi
    COMPREPLY=($(_fixbook_values "$takes" "$current"))
    if [[ $takes == files || $takes == folders ]]; then compopt -o filenames 2>/dev/null; fi
}
_fixbook_values() {
    local IFS=$' \\t\\n'
    case $1 in
        files) compgen -f -- "$2" ;;
        folders) compgen -d -- "$2" ;;
        ids) compgen -W "$(%s)" -- "$2" ;;
        command) compgen -c -- "$2"; compgen -f -- "$2" ;;
        choices:*) compgen -W "${1#choices:}" -- "$2" ;;
    esac
}
complete -F _fixbook fixbook"""


def _bash(found: _Found) -> Iterator[str]:
    yield _BASH_HEAD
    yield f"            {'|'.join(sorted(COMMANDS))}) [[ $command ]] || command=$word ;;"
    yield "        esac"
    yield "    done"
    yield "    case $command,$previous in"
    for command, arguments in found.items():
        for each in arguments:
            if each.names and each.takes:
                keys = "|".join(f"{command},{name}" for name in each.names)
                yield f"        {keys}) COMPREPLY=($(_fixbook_values '{_bash_kind(each)}' \"$current\")); return ;;"
    yield "    esac"
    yield "    case $command in"
    for command, arguments in found.items():
        names = " ".join(name for each in arguments for name in each.names)
        kind = next((_bash_kind(each) for each in arguments if not each.names), "")
        yield f"        {command or chr(39) * 2})"
        yield f"            takes='{kind}'"
        yield f"            options='{names}' ;;"
    yield "    esac"
    yield _BASH_TAIL % (" ".join(sorted(COMMANDS)), _IDS)


def _bash_kind(each: _Argument) -> str:
    return f"choices:{' '.join(each.choices)}" if each.choices else each.takes


# --- zsh --------------------------------------------------------------------------------------------------------------------------

_ZSH_TAIL = """\
_fixbook_ids() {
    compadd -- ${(f)"$(%s)"}
}
_fixbook "$@\""""


def _zsh(found: _Found) -> Iterator[str]:
    yield "#compdef fixbook"
    yield "# zsh completion of fixbook; written by `python -m fixbook.cli.completing`"
    yield "_fixbook() {"
    yield "    local -a commands=("
    for command, what in sorted(COMMANDS.items()):
        yield f"        '{command}:{_zsh_text(what)}'"
    yield "    )"
    yield "    local command=${words[(r)(" + "|".join(sorted(COMMANDS)) + ")]}"
    yield "    if [[ -n $command ]]; then"
    yield "        local -i before=$(( ${words[(i)$command]} - 1 ))"  # what stands behind the command is its own
    yield "        shift $before words; (( CURRENT -= before ))"
    yield "    fi"
    yield "    case $command in"
    for command, arguments in found.items():
        if command:
            yield f"        {command})"
            yield from _zsh_arguments(arguments)
    yield "        *)"
    yield from _zsh_arguments(found[""], "'*: :_fixbook_first'")
    yield "    esac"
    yield "}"
    yield "_fixbook_first() {"
    yield "    _describe -t commands command commands"
    yield "    _files"
    yield "}"
    yield _ZSH_TAIL % _IDS


def _zsh_arguments(arguments: Sequence[_Argument], positional: str = "") -> Iterator[str]:
    specs = [spec for each in arguments if each.names or not positional for spec in _zsh_specs(each)]
    yield "            _arguments -s -S \\"
    yield " \\\n".join(f"                {spec}" for spec in (*specs, *([positional] if positional else [])))
    yield "            ;;"


def _zsh_specs(each: _Argument) -> Iterator[str]:
    action = {"files": "_files", "folders": "_files -/", "ids": "_fixbook_ids", "command": "_normal", "word": " "}.get(each.takes, "")
    action = f"({' '.join(each.choices)})" if each.choices else action
    if not each.names:
        mark = "*::" if each.takes == "command" else "*:" if each.many else ":"
        yield f"'{mark}{each.word}:{action}'"
        return
    value = f":{each.word}:{action}" if each.takes else ""
    head = "*" if each.many else f"({' '.join(each.names)})" if len(each.names) > 1 else ""
    text = f"[{_zsh_text(each.help)}]{value}"
    if len(each.names) > 1:
        yield f"'{head}'{{{','.join(each.names)}}}'{text}'"
    else:
        yield f"'{head}{each.names[0]}{text}'"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "’")


# --- fish -------------------------------------------------------------------------------------------------------------------------


def _fish(found: _Found) -> Iterator[str]:
    yield "# fish completion of fixbook; written by `python -m fixbook.cli.completing`"
    commands = " ".join(sorted(COMMANDS))
    yield f"set -l commands {commands}"
    for command, what in sorted(COMMANDS.items()):
        yield f'complete -c fixbook -n "not __fish_seen_subcommand_from $commands" -a {command} -d {_fish_text(what)}'
    for command, arguments in found.items():
        test = f"__fish_seen_subcommand_from {command}" if command else "not __fish_seen_subcommand_from $commands"
        for each in arguments:
            yield from _fish_argument(f'complete -c fixbook -n "{test}"', each)


def _fish_argument(head: str, each: _Argument) -> Iterator[str]:
    values = f'-a "{" ".join(each.choices)}"' if each.choices else f'-a "({_IDS})"' if each.takes == "ids" else ""
    if not each.names:
        if values:
            yield f"{head} -f {values}"
        elif each.takes == "command":
            yield f'{head} -x -a "(__fish_complete_subcommand)"'
        elif each.takes == "word":
            yield f"{head} -f"
        return
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in each.names]
    how = {"": "", "files": "-r -F", "folders": '-x -a "(__fish_complete_directories)"'}.get(each.takes, "-x")
    yield " ".join(part for part in (head, *names, how, values, f"-d {_fish_text(each.help)}") if part)


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def main() -> None:
    """Writes the scripts."""
    for shell, text in scripts().items():
        (FOLDER / FILES[shell]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
