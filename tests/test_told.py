"""A log that grows is told piece by piece as if it were read whole: facts from long ago hold, nothing is told twice."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import fixbook
from cli_book import CLEAN, KNOWN, SHARED, UNKNOWN, write_book
from fixbook.api import Book, Report
from fixbook.cli import main

CONFIG = "INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='m', dtype=torch.{dtype}, seed=0\n"
QUIET = "INFO 12-01 09:00:02 [metrics.py:1] all is well\n"
LONG_AGO = QUIET * 250_000  # over 10 MB
AGAIN = "RuntimeError: flux out of range, once more\n"

Step = str | Callable[[Path], object]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_book(tmp_path_factory.mktemp("kb"))


@pytest.fixture(scope="module")
def book(folder: Path) -> Book:
    return fixbook.load(folder)


def grown(book: Book, path: Path, *steps: Step) -> list[Report]:
    """The reports of a log to which one text after the other is written, or with which something else is done."""
    left = [each for step in steps for each in (step, None, None, None)]

    def wait(seconds: float) -> bool:
        step = left.pop(0) if left else None
        if isinstance(step, str):
            with path.open("a") as file:
                file.write(step)
        elif step is not None:
            step(path)
        return bool(left)

    return list(book.follow(path, wait=wait))


def told(reports: list[Report]) -> list[tuple[str, int, str]]:
    """The first finding of each report: what it is, where it stands, how sure it is."""
    firsts = (report.findings[0] for report in reports if report.findings)
    return [(first.entry.slug, first.hits[0].line, str(first.level)) for first in firsts]


def lines(text: str) -> int:
    return text.count("\n")


def moved(path: Path) -> None:
    path.rename(path.with_suffix(".1"))
    path.write_text(SHARED)


def test_what_was_stated_long_ago_holds_for_a_failure_that_comes_now(book: Book, tmp_path: Path) -> None:
    config = CONFIG.format(dtype="float16")
    (report,) = grown(book, tmp_path / "a.log", config, LONG_AGO, SHARED)
    assert told([report]) == [("flux-of-half", lines(config + LONG_AGO) + 1, "confirmed")]
    assert [fact.line for fact in report.facts if fact.name == "model_dtype"] == [1]
    config = CONFIG.format(dtype="bfloat16")
    assert told(grown(book, tmp_path / "b.log", config, LONG_AGO, SHARED)) == [("flux-of-xpu", lines(config + LONG_AGO) + 1, "possible")]


@pytest.mark.parametrize("between", [QUIET, LONG_AGO], ids=["soon", "much later"])
def test_a_restart_forgets_how_the_run_before_was_launched(book: Book, tmp_path: Path, between: str) -> None:
    first, second = CONFIG.format(dtype="float16"), CONFIG.format(dtype="auto")
    reports = grown(book, tmp_path / "a.log", first + SHARED, between, second, between, SHARED)
    last = lines(first + SHARED + between + second + between) + 1
    assert told(reports) == [("flux-of-half", 2, "confirmed"), ("flux-of-half", last, "possible")]


def test_an_entry_is_told_once_in_a_run_and_again_in_the_next(book: Book, tmp_path: Path) -> None:
    config = CONFIG.format(dtype="float16")
    steps = (config, SHARED, AGAIN, QUIET * 2000 + AGAIN, UNKNOWN, config, AGAIN)
    reports = grown(book, tmp_path / "a.log", *steps)
    assert told(reports) == [("flux-of-half", 2, "confirmed"), ("flux-of-half", lines("".join(steps)), "confirmed")]


def test_an_unknown_failure_is_told_once(book: Book, tmp_path: Path) -> None:
    reports = grown(book, tmp_path / "a.log", CLEAN, UNKNOWN, CLEAN, UNKNOWN, KNOWN)
    assert [(str(report.verdict), [each.line for each in report.unknown]) for report in reports] == [("unknown", [6]), ("known", [])]


def test_a_failure_that_is_written_slowly_is_told_when_it_is_complete(book: Book, tmp_path: Path) -> None:
    head, end = UNKNOWN.rsplit("KeyError", 1)
    assert told(grown(book, tmp_path / "a.log", head, "ValueError: frobnicator f9 is not", " calibrated\n", QUIET)) == [
        ("frobnicator-not-calibrated", 4, "confirmed")
    ]
    assert "nobody knows" in end


def test_facts_outlive_the_rotation_of_the_log_and_name_the_file_they_are_from(book: Book, tmp_path: Path) -> None:
    (report,) = grown(book, tmp_path / "a.log", QUIET + CONFIG.format(dtype="float16"), LONG_AGO, moved, QUIET)
    assert told([report]) == [("flux-of-half", 1, "confirmed")]
    (reason,) = (each for each in report.findings[0].reasons if each.fact == "model_dtype")
    assert (reason.line, reason.source) == (2, f"{tmp_path / 'a.log'} (before its rotation)")
    assert "(before its rotation)" in " ".join(report.render("text").split())


def test_rotation_is_no_restart(book: Book, tmp_path: Path) -> None:
    reports = grown(book, tmp_path / "a.log", CONFIG.format(dtype="float16") + SHARED, moved, AGAIN)
    assert told(reports) == [("flux-of-half", 2, "confirmed")]


def test_logs_of_two_bytes_a_character(book: Book, tmp_path: Path) -> None:
    data = (CONFIG.format(dtype="float16") + QUIET + SHARED).encode("utf-16")

    def add(start: int, end: int) -> Callable[[Path], object]:
        return lambda path: path.open("ab").write(data[start:end])

    assert told(grown(book, tmp_path / "a.log", add(0, 101), add(101, 102), add(102, len(data)))) == [("flux-of-half", 3, "confirmed")]


def test_an_unknown_fact_is_an_error_at_once(book: Book, tmp_path: Path) -> None:
    with pytest.raises(fixbook.FixbookError, match="no fact is called"):
        book.follow(tmp_path / "a.log", {"model_dtyp": "float16"})


def test_a_busy_pipe_is_told_while_it_goes_on(book: Book) -> None:
    read, write = os.pipe()
    done = threading.Event()

    def feed() -> None:
        os.write(write, KNOWN.encode())
        while not done.wait(0.05):  # never quiet
            os.write(write, QUIET.encode())
        os.close(write)

    writer = threading.Thread(target=feed)
    writer.start()
    with os.fdopen(read, "rb", buffering=0) as stream:
        reports = book.follow(stream)
        first = next(reports)
        done.set()
        assert told([first, *reports]) == [("frobnicator-not-calibrated", 2, "confirmed")]
    writer.join()


# --- the command line -------------------------------------------------------------------------------------------------------------


class Process:
    """`fixbook --follow` in its own process."""

    def __init__(self, folder: Path, *arguments: str, stdin: int | None = None) -> None:
        command = [sys.executable, "-m", "fixbook", "--follow", *arguments, "--kb", str(folder), "--no-shipped", "--lang", "en"]
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests in the background has it ignored
        try:
            self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        finally:
            signal.signal(signal.SIGINT, before)

    def line(self, stream: str = "stdout") -> str:
        pipe = getattr(self.process, stream)
        assert select.select([pipe], [], [], 60)[0], "nothing was said"
        return str(pipe.readline())

    def interrupted(self) -> tuple[int, str, str]:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        assert self.process.stdout is not None and self.process.stderr is not None
        return code, self.process.stdout.read(), self.process.stderr.read()


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., Process]]:
    running: list[Process] = []

    def begin(*arguments: str, stdin: int | None = None) -> Process:
        running.append(Process(folder, *arguments, stdin=stdin))
        return running[-1]

    yield begin
    for each in running:
        each.process.kill()
        each.process.wait()
        for stream in (each.process.stdin, each.process.stdout, each.process.stderr):
            if stream is not None:
                stream.close()


def test_a_log_that_is_not_there_is_said_once_and_awaited(start: Callable[..., Process], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    process = start(str(path))
    assert process.line("stderr") == f"fixbook: {path} is not there yet; waiting for it\n"
    path.write_text(KNOWN)
    assert process.line() == "Confirmed cause: The frobnicator is not calibrated\n"
    code, out, err = process.interrupted()
    assert (code, err) == (0, "")
    assert f"{path}:2" in out


def test_json_is_one_document_a_line(start: Callable[..., Process], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(KNOWN)
    process = start(str(path), "--format", "json")
    assert json.loads(process.line())["findings"][0]["id"] == "demo/frobnicator-not-calibrated"
    with path.open("a") as file:
        file.write(QUIET + UNKNOWN.replace("nobody", "who") + SHARED)
    assert [each["id"] for each in json.loads(process.line())["findings"]] == ["demo/flux-of-half", "demo/flux-of-xpu"]
    assert process.interrupted() == (0, "", "")


def test_ctrl_c_tells_what_was_written_last_and_ends_with_1_where_nothing_is_known(start: Callable[..., Process], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(UNKNOWN)
    process = start(str(path))
    assert "nknown" in process.line()
    code, _, err = process.interrupted()
    assert (code, err) == (1, "")


def test_a_pipe_ends_it(start: Callable[..., Process]) -> None:
    process = start("--format", "json", stdin=subprocess.PIPE)
    assert process.process.stdin is not None
    process.process.stdin.write(SHARED)
    process.process.stdin.flush()
    assert json.loads(process.line())["verdict"] == "known"  # told before the end
    process.process.stdin.close()
    assert process.process.wait(60) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.log", "b.log"), "--follow takes one log: run one `fixbook --follow` for each, or `tail -qF FILE … | fixbook --follow`"),
        (("a.log", "--together"), "--follow takes one log, --together several: leave out one of the two"),
        (("a.log", "-o", "x"), "--follow writes as it goes, -o when all is done: use `> FILE` instead of -o"),
        (("sub",), "sub: this is a folder, --follow takes one log: name the file that grows"),
        (("a.log.gz",), "a.log.gz: this is packed (gzip) and does not grow: leave out --follow"),
        (("*.log",), "*.log: --follow takes one log, not a pattern"),
        (("a.log/b.log",), "a.log/b.log: Not a directory"),
    ],
)
def test_what_cannot_be_followed(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.log").write_text(CLEAN)
    (tmp_path / "a.log.gz").write_bytes(b"\x1f\x8b\x08\0\0\0")
    assert main(["--follow", *arguments]) == 2
    assert capsys.readouterr() == ("", f"fixbook: {said}\n")
