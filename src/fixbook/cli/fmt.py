"""`fixbook fmt [PATH…]`: entries in one layout, comments kept."""

import io
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import FixbookError
from .arguments import Options
from .console import complain

__all__ = ["configure", "formatted", "run"]

_EPILOG = """\
examples:
  fixbook fmt                          the entries of ./kb
  fixbook fmt kb/vllm/engine-dead.yaml
  fixbook fmt --check kb               changes nothing; for CI

needs: pip install 'fixbook[author]'

exit codes:
  0  all is formatted
  1  with --check: something would change
  2  trouble: a file that is not YAML, ruamel.yaml is missing
"""
_LISTS = ("components.yaml", "glossary.yaml")
_KEY = re.compile(r"(?P<key>[a-z_]+):(?:\s|$)")


def configure(parser: ArgumentParser) -> None:
    parser.description = "Puts entries into one layout: order of keys, indentation, blanks. Words, quotes and comments stay."
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a book, a component's folder or an entry")
    parser.add_argument("--check", action="store_true", help="name what would change, and change nothing")
    parser.set_defaults(run=run, lang=None)


def run(options: Options) -> int:
    """0, or 1 with `--check` where something would change."""
    changed = 0
    for path in _files([Path(path) for path in options.paths] or [Path("kb")]):
        try:
            before = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise FixbookError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8; save it as UTF-8'}") from error
        after = formatted(before, str(path))
        if after != before:
            changed += 1
            complain(f"{'would format' if options.check else 'formatted'} {path}")
            if not options.check:
                path.write_bytes(after.encode("utf-8"))
    return 1 if changed and options.check else 0


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            files = sorted(path.rglob("*.yaml"))
            if not files:
                raise FixbookError(f"{path}: no entry in this folder; give a book, a component's folder or an entry")
            yield from (file for file in files if file.name not in _LISTS)
        elif path.is_file():
            yield path
        else:
            raise FixbookError(f"{path}: no such file or folder; give a book, a component's folder or an entry")


def formatted(text: str, name: str) -> str:
    """The text of an entry in the one layout. Raises FixbookError where it is not YAML, or would come to say something else."""
    before = _value(text, name)
    done = _laid_out(_ordered(text.replace("\r\n", "\n").replace("\r", "\n")), name)
    done = done.strip("\n") + "\n"
    if _value(done, name) != before:
        raise FixbookError(f"{name}: cannot be formatted without a change of its content; write it in a plainer way")
    return done


def _value(text: str, name: str) -> Any:
    """What the text says, places left out. Raises FixbookError with the first problem."""
    from ..errors import Problem
    from ..yaml_reader import Node, parse

    problems: list[Problem] = []
    node = parse(text.encode("utf-8"), name, problems)
    if node is None:
        raise FixbookError(str(problems[0]))

    def plain(node: Node) -> Any:
        if node.kind == "list":
            return [plain(item) for item in node.items]
        if node.kind == "mapping":
            return {key: plain(value) for key, value in node.fields.items()}
        return node.kind, node.text

    return plain(node)


def _ordered(text: str) -> str:
    """The keys of the entry in the order of the format, each with the comment lines that stand above it."""
    from ..entry_form import ENTRY

    order = {key.name: number for number, key in enumerate(ENTRY.keys)}
    head, parts = _parts(text)
    if not all(key in order for key, _ in parts):
        return text  # no entry; lint will tell
    return "".join((head, *(body for _, body in sorted(parts, key=lambda part: order[part[0]]))))


def _parts(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands above the first key, and `(key, text)` of each key at the margin."""
    head: list[str] = []
    parts: list[tuple[str, list[str]]] = []
    above: list[str] = []
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            line += "\n"
        match = _KEY.match(line)
        if match:
            if not parts:
                head, above = above, []
            parts.append((match["key"], [*above, line]))
            above = []
        elif line.startswith("#") or (above and not line.strip()):
            above.append(line)
        elif parts:
            parts[-1][1].extend([*above, line])
            above = []
        else:
            above.append(line)
    if parts:
        parts[-1][1].extend(above)
    return "".join(head), [(key, "".join(lines)) for key, lines in parts]


def _laid_out(text: str, name: str) -> str:
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError as error:
        raise FixbookError("fmt needs ruamel.yaml: pip install 'fixbook[author]'") from error
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1 << 20  # a pattern is one line, however long
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    try:
        yaml.dump(yaml.load(text), out)
    except YAMLError as error:
        raise FixbookError(f"{name}: {error}") from error
    return out.getvalue()
