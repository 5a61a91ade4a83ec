"""The pages about cards, HTTP, MCP and the Action are true: their examples run and print what stands below them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from fixbook.cards import PLATFORMS
from http_server import HttpServer

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def blocks(page: str) -> list[tuple[str, str, str]]:
    """`(language, code, what stands in the text block below it)`."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    below = [*(code if language == "text" else "" for language, code in found[1:]), ""]
    return [(language, code, said) for (language, code), said in zip(found, below, strict=True) if language != "text"]


def of(page: str, language: str) -> list[tuple[str, str]]:
    return [(code, said) for name, code, said in blocks(page) if name == language]


def run_python(code: str) -> str:
    bin = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=environment, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("at", range(len(of("cards.md", "python"))))
def test_cards(at: int) -> None:
    code, said = of("cards.md", "python")[at]
    assert run_python(code) == said


def test_cards_name_every_platform() -> None:
    table = (DOCS / "cards.md").read_text("utf-8").partition("## What a platform gets")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(PLATFORMS)


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    pytest.importorskip("uvicorn", reason="the examples need pip install 'fixbook[serve]'")
    if shutil.which("curl") is None:
        pytest.skip("the examples need curl")
    with HttpServer([]) as running:
        yield running


CURLS = [(code, said) for code, said in of("http.md", "sh") if "curl" in code]


@pytest.mark.parametrize("at", range(len(CURLS)))
def test_http(server: HttpServer, at: int) -> None:
    code, said = CURLS[at]
    script = code.replace("127.0.0.1:8011", f"127.0.0.1:{server.port}").replace("python3 ", f"'{sys.executable}' ")
    # "head" closes the pipe before curl has written everything, which is no failure of the example.
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == said, done.stderr


def test_http_lists_the_problems_that_the_interface_has() -> None:
    page = (DOCS / "http.md").read_text("utf-8")
    listed = {status for row in re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE) for status in row.split(", ")}
    described = json.loads((ROOT / "src/fixbook/bots/http/openapi.json").read_text("utf-8"))
    assert listed == {status for status in described["paths"]["/v1/diagnose"]["post"]["responses"] if status >= "400"}


def test_mcp() -> None:
    pytest.importorskip("mcp", reason="the example needs pip install 'fixbook[mcp]'")
    ((code, said),) = of("mcp.md", "python")
    assert run_python(code) == said
    ((configuration, _),) = of("mcp.md", "json")
    assert json.loads(configuration)["mcpServers"]["fixbook"] == {"command": "fixbook", "args": ["mcp"]}


def test_action() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    page = (DOCS / "action.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
    assert named == set(action["inputs"]) | set(action["outputs"])
    documents = [yaml.safe_load(code) for code, _ in of("action.md", "yaml")]
    steps = [step for document in documents for job in document.get("jobs", {}).values() for step in job["steps"]]
    assert all(set(step.get("with", {})) <= set(action["inputs"]) for step in steps if "fixbook" in step.get("uses", ""))
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {hook["id"] for document in documents for repo in document.get("repos", []) for hook in repo["hooks"]} <= hooks
