"""The wheel carries the book and the templates: built, installed in an empty environment, a log goes through it."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import fixbook

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_carries_the_book(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "fixbook/_book/kb/vllm/kv-cache-dtype-differs-from-model.yaml" in names
    assert "fixbook/_book/templates/labels.yaml" in names
    assert "fixbook/py.typed" in names
    assert not [name for name in names if "tests/" in name or name.endswith(".pyc")]


# --- the book that is ready -------------------------------------------------------------------------------------------------------

ASK = """
import sys, fixbook
book = fixbook.load()
report = book.diagnose('RuntimeError: query and key must have the same dtype')
print('yaml' in sys.modules, len(book.entries), book.info.digest, report.verdict)
"""
READY = Path("fixbook", "_book", "book.bin")


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """The wheel's files, as an installer lays them out."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    return tmp_path / "site"


def start(installed: Path, cache: str) -> tuple[bool, list[str]]:
    """Whether a start reads YAML, and what it says."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "FIXBOOK_CACHE": str(installed.parent / cache)}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, cwd=installed.parent, capture_output=True, text=True, check=True)
    yaml, *said = done.stdout.split()
    return yaml == "True", said


def test_the_first_start_of_an_installed_wheel_reads_no_yaml(installed: Path) -> None:
    book = fixbook.load(ROOT / "kb")
    for cache in ("a", "a", "/dev/null/none"):  # an empty one, the same one, none at all
        assert start(installed, cache) == (False, [str(len(book.entries)), book.info.digest, "known"])
    assert str(ROOT).encode() not in (installed / READY).read_bytes()


def _edit(installed: Path) -> None:
    entry = installed / "fixbook" / "_book" / "kb" / "vllm" / "kv-cache-dtype-differs-from-model.yaml"
    entry.write_text(entry.read_text("utf-8").replace("severity: service-down", "severity: slow", 1), "utf-8")


def _add(installed: Path) -> None:
    (installed / "fixbook" / "_book" / "kb" / "vllm" / "notes.txt").write_text("nothing", "utf-8")


def _remove(installed: Path) -> None:
    (installed / "fixbook" / "_book" / "kb" / "vllm" / "kv-cache-dtype-differs-from-model.yaml").unlink()


def _release(installed: Path) -> None:
    package = installed / "fixbook" / "__init__.py"
    package.write_text(package.read_text("utf-8").replace(f'__version__ = "{fixbook.__version__}"', '__version__ = "9.9.9"'), "utf-8")


def _damage(installed: Path) -> None:
    data = bytearray((installed / READY).read_bytes())
    data[len(data) // 2] ^= 1
    (installed / READY).write_bytes(data)


def _cut(installed: Path) -> None:
    (installed / READY).write_bytes((installed / READY).read_bytes()[:-1])


def _empty(installed: Path) -> None:
    (installed / READY).write_bytes(b"")


@pytest.mark.parametrize("change", [_edit, _add, _remove, _release, _damage, _cut, _empty, lambda installed: (installed / READY).unlink()])
def test_a_book_that_is_not_what_was_made_of_these_files_is_read_from_them(change: Callable[[Path], object], installed: Path) -> None:
    change(installed)
    own = fixbook.load(installed / "fixbook" / "_book" / "kb")
    yaml, (entries, digest, _) = start(installed, "cache")
    assert (yaml, int(entries), digest) == (True, len(own.entries), own.info.digest)


def test_another_installation_of_the_same_version_is_seen(installed: Path) -> None:
    _, (_, before, _) = start(installed, "cache")
    _edit(installed)
    (installed / READY).unlink()
    _, (_, after, _) = start(installed, "cache")
    assert before != after


def test_a_log_goes_through_an_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", str(wheel)], check=True, capture_output=True, timeout=600)
    log = (ROOT / "examples" / "kv-cache-float16.log").read_bytes()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "FIXBOOK"))}
    for _ in range(2):  # with a cold cache, then a warm one
        done = subprocess.run(
            [home / "bin" / "fixbook", "--lang", "zh"],
            input=log,
            cwd=tmp_path,
            env={**environment, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert "KV cache 精度与模型精度不一致" in done.stdout.decode()
