"""The examples of the doors' pages, run as a reader would run them.

A block fenced as `console` holds commands behind `$ ` and what they print; a line `...` stands for any lines. A block with
`file=NAME` is that file. The blocks of a page share one folder.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("authoring.md", "follow.md", "hook.md", "redact.md", "run.md")
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)
_MARK = "--- next command ---"


@dataclass(frozen=True, slots=True)
class Example:
    command: str
    expected: tuple[str, ...]


def _examples(body: str) -> list[Example]:
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line.rstrip())
    return [Example(command, tuple(lines)) for command, lines in found]


def _outputs(examples: list[Example], folder: Path) -> list[list[str]]:
    """What each command printed, both streams together."""
    script = "".join(f"{each.command}\nfixbook_code=$?; echo '{_MARK}'; (exit $fixbook_code)\n" for each in examples)
    quiet = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "COLUMNS", "PYTEST_ADDOPTS")
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        env={**quiet, "PATH": path, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    parts = done.stdout.split(f"{_MARK}\n")
    return [[line.rstrip() for line in part.splitlines()] for part in parts[: len(examples)]]


def _fits(expected: tuple[str, ...], got: list[str]) -> bool:
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in got)) is not None


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str, tmp_path: Path) -> None:
    seen = 0
    for match in _FENCE.finditer((DOCS / page).read_text("utf-8")):
        name = re.search(r"file=(\S+)", match["info"])
        if name:
            (tmp_path / name[1]).write_text(match["body"], "utf-8")
        if match["info"].startswith("console"):
            examples = _examples(match["body"])
            for each, got in zip(examples, _outputs(examples, tmp_path), strict=True):
                assert _fits(each.expected, got), "\n".join([f"$ {each.command}", *got])
                seen += 1
    assert seen >= 3


def test_every_door_has_its_page() -> None:
    text = " ".join((DOCS / page).read_text("utf-8") for page in PAGES)
    for word in (
        "fixbook --follow",
        "fixbook run",
        "fixbook.hook",
        "fixbook.install",
        "--fixbook",
        "fixbook redact",
        "fixbook new",
        "fixbook fmt",
        "fixbook completion",
    ):
        assert word in text
