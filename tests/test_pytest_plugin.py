"""The pytest plugin, in a pytest of its own."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from cli_book import write_book

KNOWN = "ValueError('frobnicator f9 is not calibrated')"
TITLE = "Confirmed cause: The frobnicator is not calibrated"
TESTS = f"""
import pytest, sys

def test_known(): raise {KNOWN}
def test_unknown(): raise KeyError('nobody knows this')
def test_passes(): print('ValueError: frobnicator f9 is not calibrated')
def test_printed():
    print('frobnicator f7 is not calibrated', file=sys.stderr)
    raise RuntimeError('start failed')

@pytest.fixture
def device(): raise {KNOWN}
def test_of_fixture(device): pass

@pytest.mark.xfail
def test_expected(): raise {KNOWN}
@pytest.mark.skip
def test_skipped(): pass
"""
_PLUGIN = () if any(each.name == "fixbook" for each in entry_points(group="pytest11")) else ("-p", "fixbook.doors.pytest_plugin")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_book(tmp_path_factory.mktemp("plugin") / "kb"))


def run(folder: Path, *arguments: str) -> str:
    quiet = {name: value for name, value in os.environ.items() if name not in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "PYTEST_ADDOPTS")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_PLUGIN, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**quiet, "LANG": "C.UTF-8"}, timeout=120, check=False
    ).stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_work.py").write_text(TESTS)
    return tmp_path


def test_off_by_default(folder: Path) -> None:
    out = run(folder)
    assert "fixbook" not in out.replace("-p fixbook", "")
    assert "4 failed" in out or "3 failed" in out


def test_findings_stand_with_their_tests(folder: Path, book: str) -> None:
    out = run(folder, "--fixbook", f"--fixbook-kb={book}")
    assert out.count(TITLE) == 3
    sections = dict.fromkeys(("test_of_fixture", "test_known", "test_unknown", "test_printed"))
    parts = {name: part for name in sections for part in out.split("\n____")[1:] if f" {name} " in part.split("\n")[0]}
    assert {name: TITLE in part for name, part in parts.items()} == {
        "test_of_fixture": True,
        "test_known": True,
        "test_unknown": False,
        "test_printed": True,
    }
    assert "- fixbook -" in parts["test_known"]


def test_a_module_that_cannot_be_imported(folder: Path, book: str) -> None:
    (folder / "test_work.py").write_text(f"raise {KNOWN}")
    assert TITLE in run(folder, "--fixbook", f"--fixbook-kb={book}")


def test_language(folder: Path, book: str) -> None:
    assert "已确认的原因" in run(folder, "--fixbook", f"--fixbook-kb={book}", "--fixbook-lang", "zh", "-k", "test_known")


def test_by_configuration(folder: Path, book: str) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nfixbook = true\n")
    assert run(folder, f"--fixbook-kb={book}").count(TITLE) == 3


def test_with_workers(folder: Path, book: str) -> None:
    pytest.importorskip("xdist")
    assert run(folder, "--fixbook", f"--fixbook-kb={book}", "-n", "1").count(TITLE) == 3


def test_a_book_that_is_not_there_hides_nothing(folder: Path) -> None:
    out = run(folder, "--fixbook", "--fixbook-kb=nowhere")
    assert "FixbookError: no book at nowhere" in out
    assert "KeyError" in out


def test_without_the_option_the_matcher_is_not_imported(folder: Path) -> None:
    room = "fixbook.doors.pytest_plugin"
    text = f"""
import sys
def test_it(): assert {{name for name in sys.modules if name.startswith('fixbook.')}} <= {{'fixbook.doors', '{room}'}}
"""
    (folder / "test_work.py").write_text(text)
    assert "1 passed" in run(folder)
