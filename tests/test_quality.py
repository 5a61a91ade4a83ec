"""The code keeps the rules that a machine can check: types, style, one-way imports, sizes, and no word that does not belong."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fixbook"
# Front doors: they may import the core, and nothing imports them.
DOORS = ("cli", "site", "bots", "doors", "hook", "pytest_plugin", "__main__")


def _room(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def _imports(path: Path) -> set[str]:
    """The rooms of the package that a file imports."""
    depth = len(path.relative_to(PACKAGE).parts)
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            rooms.update([node.module.split(".")[0]] if node.module else [alias.name for alias in node.names])
    return rooms - {"__version__", "load", "install"}


def _files() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__init__.py" or path.parent != PACKAGE]


def test_imports_go_one_way() -> None:
    graph: dict[str, set[str]] = {}
    for path in _files():
        graph.setdefault(_room(path), set()).update(_imports(path) - {_room(path)})
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle
    for room, imported in graph.items():
        if room not in DOORS:
            assert not imported & set(DOORS), f"{room} imports a front door"


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


def test_the_project_speaks_of_itself_alone() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    banned = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org|/work/(?:main|shared|pkgs|venv)")
    for name in tracked:
        path = ROOT / name
        if name.startswith("tests/field_cases/") or not path.is_file() or path.suffix in (".png", ".gz", ".bin"):
            continue
        found = banned.search(path.read_text("utf-8", "replace"))
        assert found is None or name == "tests/test_quality.py", f"{name}: {found.group() if found else ''}"
