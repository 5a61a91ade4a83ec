"""What the README says is true: its commands are what continuous integration runs, its answer is the answer, its Python runs."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_ci_runs_the_command_of_the_readme() -> None:
    command = next(block.strip() for block in _blocks("sh") if "pytest" in block)
    assert command in (ROOT / ".ci" / "run").read_text("utf-8")


def test_every_fork_runs_it_on_the_oldest_python_and_on_the_newest() -> None:
    workflow = yaml.load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"), yaml.BaseLoader)
    job = workflow["jobs"]["tests"]
    assert {"push", "pull_request"} <= workflow["on"].keys()
    assert workflow["permissions"] == {"contents": "read"}
    assert job["steps"][-1] == {"run": ".ci/run"}
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"].removeprefix(">=")
    assert job["strategy"]["matrix"]["python"] == [oldest, "3.x"]


def test_the_first_command_gives_the_answer_shown() -> None:
    command = _blocks("sh")[0].strip()
    arguments = command.split(".venv/bin/fixbook ", 1)[1].split()
    done = subprocess.run([sys.executable, "-m", "fixbook", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(_blocks("text")[0].strip())


def test_the_python_example_prints_what_its_comments_say() -> None:
    source = _blocks("python")[0]
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    said = [line.split("# ", 1)[1].strip() for line in source.splitlines() if line.startswith("print(")]
    assert done.stdout.split("\n")[: len(said)] == said


def test_every_file_that_is_linked_exists() -> None:
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / path).is_file(), path
