"""The GitHub Action and the pre-commit hooks: their scripts run as the runner would run them."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cli_book import CLEAN, KNOWN, UNKNOWN, write_book
from fixbook.bots.github_comments import MARK, GitHubComments
from fixbook.bots.workflow import Annotation, annotations, append_summary, set_output
from fixbook.errors import FixbookError
from github_api import FakeGitHub

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
ID = "demo/frobnicator-not-calibrated"
SECRET = "hf_" + "aB3" * 12
ATTACK = "ValueError: frobnicator $(touch pwned)`touch pwned`\";touch pwned;' is not calibrated\n::set-output name=ids::x\n"


def environment(folder: Path) -> None:
    """A virtual environment as the first step makes it, with this very fixbook and what it needs."""
    if folder.exists():
        return
    (folder / "bin").mkdir(parents=True)
    base = Path(sys._base_executable)  # type: ignore[attr-defined]
    (folder / "bin" / "python").symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n", encoding="utf-8")
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    packages.mkdir(parents=True)
    (packages / "fixbook.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")


class Step:
    """One run of the step: its folder, what it printed and what it left."""

    def __init__(self, folder: Path, **inputs: str) -> None:
        self.folder = folder
        self.files = {name: folder / name for name in ("summary", "output", "event")}
        kb = folder / "kb"
        if not kb.exists():
            write_book(kb)
        environment(folder / "runner" / "fixbook")
        self.environment = {
            **os.environ,
            "RUNNER_TEMP": str(folder / "runner"),
            "GITHUB_STEP_SUMMARY": str(self.files["summary"]),
            "GITHUB_OUTPUT": str(self.files["output"]),
            "GITHUB_EVENT_PATH": str(self.files["event"]),
            "GITHUB_REPOSITORY": "example-org/serving",
        }
        step = ACTION["runs"]["steps"][1]
        given = {"kb": str(kb), **{name.replace("_", "-"): value for name, value in inputs.items()}}
        for variable, expression in step["env"].items():
            name = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", expression)
            assert name, expression
            default = ACTION["inputs"][name[1]].get("default", "")
            self.environment[variable] = given.get(name[1], "" if "${{" in default else default)
        self.script = step["run"]

    def event(self, value: object) -> "Step":
        self.files["event"].write_text(json.dumps(value), encoding="utf-8")
        return self

    def log(self, text: str, name: str = "server.log") -> "Step":
        (self.folder / name).write_text(text, encoding="utf-8")
        return self

    def run(self, **environment: str) -> "Step":
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.script],
            cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        self.code, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        return self

    @property
    def summary(self) -> str:
        return self.files["summary"].read_text("utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.files["output"].read_text("utf-8").splitlines())

    @property
    def commands(self) -> list[str]:
        return [line for line in self.stdout.splitlines() if line.startswith("::")]


def test_nothing_from_outside_is_written_into_a_command() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
    for name, output in ACTION["outputs"].items():
        assert output["value"] == "${{ steps.triage.outputs." + name + " }}"


def test_nothing_is_imported_from_the_folder_it_runs_in(tmp_path: Path) -> None:
    """The checkout of a pull request is its author's."""
    for name in ("pip", "venv", "yaml", "json", "fixbook"):
        (tmp_path / f"{name}.py").write_text("open('pwned', 'w')", encoding="utf-8")
    step = Step(tmp_path, path="server.log").log(KNOWN).run(PYTHONPATH=".")
    assert (step.code, step.outputs["verdict"]) == (0, "known")
    assert not (tmp_path / "pwned").exists()
    commands = [line for each in ACTION["runs"]["steps"] for line in each["run"].splitlines() if "python" in line]
    assert len(commands) == 3
    assert [line for line in commands if not re.search(r"python3?\"? -I -m ", line)] == []


def test_a_log_becomes_summary_annotation_and_outputs(tmp_path: Path) -> None:
    step = Step(tmp_path, path="server.log").log(KNOWN).run()
    assert step.code == 0, step.stderr
    assert step.outputs == {"verdict": "known", "ids": ID, "report": str(tmp_path / "runner" / "fixbook-report.json")}
    assert step.summary.startswith("### Confirmed cause: The frobnicator is not calibrated")
    (command,) = step.commands
    assert command.startswith("::error file=server.log,line=2,title=Confirmed cause%3A The frobnicator is not calibrated::")
    report = json.loads(Path(step.outputs["report"]).read_text("utf-8"))
    jsonschema.validate(report, json.loads((ROOT / "schema" / "report.schema.json").read_text("utf-8")))


def test_the_text_of_an_issue_is_read(tmp_path: Path) -> None:
    step = Step(tmp_path, lang="zh").event({"issue": {"number": 3, "title": KNOWN, "body": "it is so"}}).run()
    assert step.outputs["ids"] == ID
    assert step.summary.startswith("### 已确认的原因：校准器尚未校准")
    assert " file=" not in step.commands[0]


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    for step in (Step(tmp_path, path="server.log").log(ATTACK), Step(tmp_path).event({"issue": {"title": ATTACK, "body": ATTACK}})):
        step.run()
        assert step.code == 0, step.stderr
        assert step.outputs["ids"] in ("", ID)
        assert all(re.match(r"::(error|warning|notice) ", command) for command in step.commands)
        assert not list(tmp_path.rglob("pwned"))


def test_the_path_may_hold_anything(tmp_path: Path) -> None:
    name = "a b$(touch pwned);'.log"
    step = Step(tmp_path, path=f"{name}\nnone.log\n").log(KNOWN, name).run()
    assert step.outputs["ids"] == ID
    assert "title=fixbook::not read: none.log: no such file or folder" in step.stdout
    assert not list(tmp_path.rglob("pwned"))


def test_secrets_do_not_reach_the_summary(tmp_path: Path) -> None:
    step = Step(tmp_path, path="server.log").log(f"HF_TOKEN={SECRET} {KNOWN}{UNKNOWN}KeyError: {SECRET}").run()
    left = step.summary + step.stdout + Path(step.outputs["report"]).read_text("utf-8")
    assert SECRET not in left
    assert "frobnicator" in left


def test_nine_annotations_and_how_many_more(tmp_path: Path) -> None:
    for n in range(14):
        Step(tmp_path, path="logs").folder.joinpath("logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / f"{n:02}.log").write_text(KNOWN, encoding="utf-8")
    step = Step(tmp_path, path="logs").run()
    assert len(step.commands) == 10
    assert step.commands[-1] == "::notice title=fixbook::5 more: see the summary of the job."


@pytest.mark.parametrize(
    ("log", "fail_on", "code", "verdict"),
    [
        (KNOWN, "never", 0, "known"),
        (KNOWN, "known", 1, "known"),
        (KNOWN, "unknown", 0, "known"),
        (UNKNOWN, "known, unknown", 1, "unknown"),
        (CLEAN, "known unknown wrapper", 0, "clean"),
    ],
)
def test_fail_on(tmp_path: Path, log: str, fail_on: str, code: int, verdict: str) -> None:
    step = Step(tmp_path, path="server.log", fail_on=fail_on).log(log).run()
    assert (step.code, step.outputs["verdict"]) == (code, verdict)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"path": "none.log"}, "no such file or folder"),
        ({"path": "server.log", "lang": "fr"}, "lang: 'fr' is none of en, zh, both"),
        ({"path": "server.log", "fail_on": "always"}, "fail-on: always is none of never, known"),
        ({"path": "server.log", "kb": "nowhere"}, "no book at nowhere"),
        ({}, "there is nothing to read"),
    ],
)
def test_trouble_is_an_annotation(tmp_path: Path, inputs: dict[str, str], says: str) -> None:
    step = Step(tmp_path, **inputs).log(KNOWN).run()
    assert step.code == 2
    assert says in step.commands[0]


# --- comments ---------------------------------------------------------------------------------------------------------------------

EVENT = {"issue": {"number": 17, "title": "it fails", "body": KNOWN}}


def test_comments_are_written_only_when_asked_for(tmp_path: Path) -> None:
    with FakeGitHub() as github:
        Step(tmp_path).event(EVENT).run(GITHUB_API_URL=github.url)
        assert github.calls == []
        step = Step(tmp_path, comment="true", token="t0ken").event(EVENT).run(GITHUB_API_URL=github.url)
        assert step.code == 0
        assert [method for method, _ in github.calls] == ["GET", "POST"]
        assert github.calls[1] == ("POST", "/repos/example-org/serving/issues/17/comments")
        assert github.tokens == {"Bearer t0ken"}
        assert github.comments[0]["body"].startswith(f"{MARK}\n### Confirmed cause")
        Step(tmp_path, comment="true", token="t0ken", lang="zh").event(EVENT).run(GITHUB_API_URL=github.url)
        assert len(github.comments) == 1
        assert "已确认的原因" in github.comments[0]["body"]


def test_nothing_known_is_no_comment(tmp_path: Path) -> None:
    with FakeGitHub() as github:
        event = {"issue": {"number": 17, "title": "help", "body": UNKNOWN}}
        Step(tmp_path, comment="true", token="t").event(event).run(GITHUB_API_URL=github.url)
        assert github.calls == []


def test_a_refusal_is_a_warning(tmp_path: Path) -> None:
    with FakeGitHub(status=403) as github:
        step = Step(tmp_path, comment="true", token="t").event(EVENT).run(GITHUB_API_URL=github.url)
    assert step.code == 0
    assert "GitHub answered 403 to GET: the token needs `issues: write`" in step.stdout
    step = Step(tmp_path, path="server.log", comment="true").log(KNOWN).event({}).run(GITHUB_API_URL="http://127.0.0.1:9")
    assert "this event has no issue to comment on" in step.stdout


def test_the_mark_in_somebody_elses_comment_counts_for_nothing() -> None:
    planted = {"id": 1, "body": f"{MARK} me first", "user": {"type": "User"}}
    others = [{"id": n, "body": "x", "user": {"type": "User"}} for n in range(2, 130)]
    own = {"id": 500, "body": f"{MARK}\nold", "user": {"type": "Bot"}}
    with FakeGitHub([planted, *others, own]) as github:
        GitHubComments("o/r", "t", github.url).write(3, "new")
        assert github.calls[-1] == ("PATCH", "/repos/o/r/issues/comments/500")
        assert (planted["body"], own["body"]) == (f"{MARK} me first", f"{MARK}\nnew")


def test_a_repository_is_owner_and_name() -> None:
    with pytest.raises(FixbookError, match="owner/name"):
        GitHubComments("o/r/../../x", "t")


# --- the runner's commands --------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.text(max_size=200), st.text(max_size=2_000), st.text(max_size=50), st.integers(0, 9)), max_size=30))
def test_any_text_is_one_command_a_line(rows: list[tuple[str, str, str, int]]) -> None:
    wanted = [Annotation("error", title, message, file, line) for title, message, file, line in rows]
    lines = annotations(wanted)
    assert len(lines) == min(len(rows), 10)
    for line in lines:
        assert len(line.splitlines()) == 1
        assert re.fullmatch(r"::(error|notice) ((file|line|title)=[^,:]*,?)*::.*", line)


def test_outputs_are_single_lines(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one line"):
        set_output(str(tmp_path / "out"), "ids", "a\nids=b")


def test_a_summary_is_never_larger_than_a_runner_takes(tmp_path: Path) -> None:
    append_summary(str(tmp_path / "summary"), ["显" * 20_000] * 40)
    text = (tmp_path / "summary").read_text("utf-8")
    assert len(text.encode()) < 1_048_576
    assert text.endswith(f"+ {40 - text.count('显') // 20_000}\n")


# --- pre-commit -------------------------------------------------------------------------------------------------------------------


def hooks() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return loaded


def test_hooks_name_commands_that_there_are() -> None:
    from fixbook.cli.arguments import COMMANDS

    for hook in hooks():
        program, command = hook["entry"].split()
        assert (program, hook["language"]) == ("fixbook", "python")
        assert command in COMMANDS
        assert re.search(hook["files"], "kb/vllm/engine-dead.yaml")
        assert not re.search(hook["files"], "src/kb.yaml")


def test_the_lint_hook_fails_on_the_entry_that_is_wrong(tmp_path: Path) -> None:
    kb = write_book(tmp_path / "kb")
    (hook,) = (hook for hook in hooks() if hook["id"] == "fixbook-lint")
    entry = kb / "demo" / "frobnicator-not-calibrated.yaml"
    command = [sys.executable, "-m", *hook["entry"].split(), str(entry)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    entry.write_text(entry.read_text("utf-8").replace("severity:", "severty:"), encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "severty" in done.stdout
