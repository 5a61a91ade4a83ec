"""The wheel carries the book and the templates: built, installed in an empty environment, a log goes through it."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

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
