"""The code keeps the rules that a machine can check: types, style, one-way imports, sizes, and no word that does not belong."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fixbook"
# Front doors: they may import the core, and nothing imports them.
DOORS = ("cli", "site", "bots", "doors", "hook", "pytest_plugin", "__main__")


def _files() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(path: Path) -> str:
    return _module(path).split(".")[0]


def _imports(path: Path, modules: set[str]) -> set[str]:
    """The modules of the package that a file imports when it is loaded: what stands inside functions and for type checkers comes later."""
    inside = list(path.relative_to(PACKAGE).parent.parts)
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = inside[: len(inside) + 1 - node.level]
            whole = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            found.update(
                f"{whole}.{alias.name}".strip(".") if f"{whole}.{alias.name}".strip(".") in modules else whole for alias in node.names
            )
    return {name for name in found if name in modules}


def _rooms_imported(path: Path) -> set[str]:
    """The rooms that a file imports anywhere."""
    depth = len(path.relative_to(PACKAGE).parts)
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            rooms.update([node.module.split(".")[0]] if node.module else [alias.name for alias in node.names])
    return rooms


def test_imports_go_one_way() -> None:
    modules = {_module(path) for path in _files()}
    graph = {_module(path): _imports(path, modules) - {_module(path)} for path in _files()}
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle
    for path in _files():
        if _room(path) not in DOORS:
            assert not _rooms_imported(path) & set(DOORS), f"{path} imports a front door"


def test_the_core_neither_prints_nor_reads_arguments() -> None:
    for path in _files():
        if _room(path) in (*DOORS, "schema", "kb"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            assert called not in ("print", "input", "eval", "exec"), f"{path}:{getattr(node, 'lineno', 0)}"


def test_files_can_be_held_in_the_head() -> None:
    for path in _files():
        count = len(path.read_text("utf-8").splitlines())
        assert count <= 420, f"{path} has {count} lines"


@pytest.mark.parametrize("tool", [["mypy", "--strict", "src/fixbook"], ["ruff", "check", "src", "tests", "bench"]], ids=["mypy", "ruff"])
def test_clean(tool: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


def test_no_path_of_the_machine_it_is_written_on() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in tracked:
        path = ROOT / name
        if path.is_file():
            assert str(ROOT) not in path.read_text("utf-8", "replace"), name
