"""`fixbook lint [PATH…]`: what is wrong with a book, and how to mend it."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FixbookError, Problem
from .arguments import Options
from .console import complain, prepare

if TYPE_CHECKING:
    from ..api import Book
    from ..lint import Diagnose

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook lint                          the book at hand: ./kb, else the shipped one
  fixbook lint kb/vllm/engine-dead.yaml
  fixbook lint our-kb/                  a folder without components.yaml is checked over the shipped book
  fixbook lint --strict --format json
  fixbook lint --watch kb/vllm          again after each change, until Ctrl-C

exit codes:
  0  no problem (warnings are shown, and count with --strict only)
  1  problems
  2  trouble: no book there
"""
_LIST = "components.yaml"


def configure(parser: ArgumentParser) -> None:
    parser.description = "Checks a book: its files, its patterns by its samples, both languages against each other."
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a book, a component's folder or an entry")
    parser.add_argument("--strict", action="store_true", help="warnings are problems")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("--watch", action="store_true", help="check again after each change, until Ctrl-C")
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """0 without problems, 1 with; with `--watch` what the last check gave."""
    prepare(options.format != "text")
    paths = [Path(path) for path in options.paths] or [_at_hand()]
    if options.watch:
        from .watch import again_on_change

        return again_on_change([_short(root) for root in _roots(paths)], lambda: _check(options, paths))
    return _check(options, paths)


def _check(options: Options, paths: Sequence[Path]) -> int:
    problems = list(dict.fromkeys(problem for root in _roots(paths) for problem in _problems(root, paths)))
    errors = [problem for problem in problems if problem.severity == "error" or options.strict]
    if options.format == "json":
        print(_json(problems))
    else:
        for problem in problems:
            print(problem)
        warnings = sum(problem.severity == "warning" for problem in problems)
        complain(f"{', '.join(map(str, paths))}: {len(problems) - warnings} errors, {warnings} warnings")
    return 1 if errors else 0


def _at_hand() -> Path:
    from ..shipped import shipped_root

    here = Path("kb")
    return here if (here / _LIST).is_file() else shipped_root() / "kb"


def _roots(paths: Sequence[Path]) -> dict[Path, None]:
    """The books that the paths belong to. Raises FixbookError for a path that is not there."""
    for path in paths:
        if not path.exists():
            raise FixbookError(f"{path}: no such file or folder; give a book, a component's folder or an entry")
        if path.is_dir() and next(path.rglob("*.yaml"), None) is None:
            raise FixbookError(f"{path}: no entry in this folder; give a book, a component's folder or an entry")
    return dict.fromkeys(map(_root, paths))


def _root(path: Path) -> Path:
    """The book around a path: the nearest folder with a components.yaml, else the folder itself, or that of a component or its entry."""
    absolute = path.resolve()
    for folder in (absolute, *absolute.parents):
        if (folder / _LIST).is_file():
            return folder
    if not absolute.is_dir():
        return absolute.parent.parent
    is_component = any(absolute.glob("*.yaml")) and not any(absolute.glob("*/*.yaml"))
    return absolute.parent if is_component else absolute


def _problems(root: Path, paths: Sequence[Path]) -> Iterator[Problem]:
    from ..api import load
    from ..lint import lint
    from ..shipped import shipped_root

    shipped = (shipped_root() / "kb").resolve() == root
    book = load(_short(root), shipped=not (root / _LIST).is_file())
    wanted = [path.resolve() for path in paths]
    for problem in lint(book.loaded, _diagnose_with(book), shipped=shipped):
        file = Path(problem.where.file).resolve()
        if not problem.where.file or any(file.is_relative_to(path) for path in wanted):
            yield problem


def _diagnose_with(book: "Book") -> "Diagnose":
    return lambda text, facts: book.diagnose(text, facts)


def _short(path: Path) -> Path:
    """As a maintainer would write it, so that an editor or a terminal can follow it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _json(problems: Sequence[Problem]) -> str:
    import json

    rows = [
        {
            "file": problem.where.file,
            "line": problem.where.line,
            "field": problem.where.field,
            "code": problem.code,
            "severity": problem.severity,
            "what": problem.what,
            "help": problem.help,
        }
        for problem in problems
    ]
    return json.dumps({"problems": rows}, ensure_ascii=False, indent=2)
