"""The command line: in this process where nothing but words and codes matter, as a process where pipes, signals and terminals do."""

import bz2
import gzip
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_book import CLEAN, KNOWN, SHARED, UNKNOWN, write_book, write_broken
from fixbook import parallel as parallel_room
from fixbook.cli import logs as logs_room
from fixbook.cli import main
from fixbook.cli.arguments import COMMANDS, parse, usual
from fixbook.cli.console import language, use_color
from fixbook.cli.parser import command_parser
from fixbook.cli.usual import Usual

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_book(tmp_path_factory.mktemp("kb"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and an environment that says nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def fixbook(here: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with the small book alone: exit code, stdout, stderr."""

    def run(*arguments: str, shipped: bool = False) -> tuple[int, str, str]:
        extra = () if shipped else ("--kb", str(book), "--no-shipped")
        code = main([*arguments, *extra])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def write(name: str, text: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return name


# --- triage ----------------------------------------------------------------------------------------------------------------------


VERDICTS = [(KNOWN, 0, "Confirmed cause: "), (UNKNOWN, 1, "Unknown failure in "), (CLEAN, 1, "No failure found in ")]


@pytest.mark.parametrize(("text", "code", "begins"), VERDICTS)
def test_the_exit_code_is_the_verdict(fixbook: Run, text: str, code: int, begins: str) -> None:
    got, out, _ = fixbook(write("server.log", text))
    assert got == code
    assert out.startswith(begins)


def test_a_known_failure_is_answered_with_place_and_fix(fixbook: Run) -> None:
    _, out, err = fixbook(write("server.log", KNOWN))
    assert "`server.log:2`" in out
    assert "Device f9 is off." in out
    assert "frob calibrate" in out
    assert err == ""


@pytest.mark.parametrize("text", [UNKNOWN, CLEAN])
def test_exit_zero(fixbook: Run, text: str) -> None:
    assert fixbook(write("server.log", text), "--exit-zero")[0] == 0


def test_chinese(fixbook: Run) -> None:
    _, out, _ = fixbook(write("server.log", KNOWN), "--lang", "zh")
    assert out.startswith("已确认的原因：校准器尚未校准\n")
    assert "最快修复方案" in out
    assert "Quick fix" not in out


def test_both_languages(fixbook: Run) -> None:
    _, out, _ = fixbook(write("server.log", KNOWN), "--lang", "both")
    assert out.index("最快修复方案") < out.index("Quick fix")


def test_full(fixbook: Run) -> None:
    _, out, _ = fixbook(write("server.log", KNOWN), "--full")
    assert "It was new." in out
    assert "https://example.org/frob" in out


@pytest.mark.parametrize(("format", "begins"), [("markdown", "# Confirmed cause"), ("html", "<article"), ("json", "{")])
def test_formats(fixbook: Run, format: str, begins: str) -> None:
    assert fixbook(write("server.log", KNOWN), "--format", format)[1].startswith(begins)


def test_options_may_stand_before_the_file(fixbook: Run) -> None:
    code, out, _ = fixbook("--format", "json", "-l", "zh", write("server.log", KNOWN))
    assert (code, json.loads(out)["verdict"]) == (0, "known")


def test_a_fact_decides(fixbook: Run) -> None:
    log = write("server.log", SHARED)
    _, open_, _ = fixbook(log)
    assert open_.startswith("Possible cause")
    assert "Look this up" in open_
    _, decided, _ = fixbook(log, "--fact", "model_dtype=half", "--fact", "platform=cuda")
    assert decided.startswith("Confirmed cause: The flux overflows in float16")
    assert "you state `model_dtype=float16`" in decided
    assert "Ruled out" in decided


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        ("model_dtyp=half", "no fact is called 'model_dtyp'; did you mean model_dtype?"),
        ("model_dtype", "--fact model_dtype: write --fact NAME=VALUE"),
        ("=x", "--fact =x: write --fact NAME=VALUE"),
        ("model_dtype=haalf", "the fact 'model_dtype' is given as 'haalf'; write it as in model_dtype=bfloat16"),
        ("vllm_version=latest", "the fact 'vllm_version' is given as 'latest'; write it as in vllm_version=1.2.3"),
        ("compute_capability=ampere", "the fact 'compute_capability' is given as 'ampere'; write it as in compute_capability=8.9"),
    ],
)
@pytest.mark.parametrize("command", [[], ["explain"], ["run", "--", "true"]])
def test_a_wrong_fact_is_named_once(fixbook: Run, fact: str, says: str, command: list[str]) -> None:
    logs = [] if "run" in command else [write("one.log", SHARED), write("two.log", SHARED)][: 1 if command else 2]
    code, out, err = fixbook(*command[:1], "--fact", fact, *command[1:], *logs)
    assert (code, out) == (2, "")
    assert err.startswith(f"fixbook: {says}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("fact", ["model_dtype=auto", "vllm_version=0.1.dev3+g1234", "vllm_version=$VERSION", "gpu_name=my card"])
def test_a_fact_may_state_nothing(fixbook: Run, fact: str) -> None:
    assert fixbook(write("server.log", SHARED), "--fact", fact)[:2] == fixbook("server.log")[:2]


def test_several_logs_have_a_heading_each_and_a_summary(fixbook: Run) -> None:
    names = [write("a.log", KNOWN), write("b.log", UNKNOWN), write("c.log", CLEAN)]
    code, out, _ = fixbook(*names)
    assert code == 0
    assert [line.split()[1] for line in out.splitlines() if line.startswith("── ")] == names
    assert out.endswith("3 logs: 1 known, 1 unknown, 1 without a failure.\n")


def test_a_folder(fixbook: Run) -> None:
    write("logs/a.log", KNOWN)
    write("logs/deep/b.log", CLEAN)
    write("logs/c.png", b"\x89PNG\0")
    code, out, _ = fixbook("logs", "--format", "json")
    assert code == 0
    assert [report["source"] for report in json.loads(out)["reports"]] == [str(Path("logs/a.log")), str(Path("logs/deep/b.log"))]


def test_packed_logs_are_read_with_all_cores_too(fixbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of logs that were rotated and packed. What several processes say is what one says, in the order of the names."""
    for name, text in (("a.log.gz", KNOWN), ("b.log.gz", CLEAN), ("c.log", UNKNOWN)):
        write(f"logs/{name}", gzip.compress(text.encode()) if name.endswith("gz") else text)
    with tarfile.open("logs/d.tar", "w") as archive:
        archive.add("logs/a.log.gz", "one.log.gz")
        archive.add("logs/c.log", "two.log")
    one = fixbook("logs", "--format", "json")
    assert len(json.loads(one[1])["reports"]) == 5
    begun = []
    monkeypatch.setattr(logs_room, "_ALONE", 0)
    monkeypatch.setattr(parallel_room, "cores", lambda: 2)
    forked = parallel_room._forked
    monkeypatch.setattr(parallel_room, "_forked", lambda *given: begun.append(given) or forked(*given))
    assert fixbook("logs", "--format", "json") == one
    assert len(begun) == 1


def test_a_folder_with_one_log_is_a_list_all_the_same(fixbook: Run) -> None:
    write("logs/a.log", KNOWN)
    assert len(json.loads(fixbook("logs", "-f", "json")[1])["reports"]) == 1


def test_a_pipe_with_a_path_is_one_log(here: Path, book: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text(KNOWN, encoding="utf-8"))
    writer.start()
    assert main(["pipe", "--format", "json", "--kb", str(book), "--no-shipped", "-o", "report.json"]) == 0
    writer.join()
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["verdict"] == "known"


def test_together_is_one_report(fixbook: Run) -> None:
    names = [write("rank0.log", CLEAN), write("rank1.log", KNOWN), write("rank2.log", KNOWN.replace("f9", "f2"))]
    code, out, _ = fixbook(*names, "--together", "--format", "json")
    report = json.loads(out)
    assert (code, report["verdict"]) == (0, "known")
    assert [hit["source"] for hit in report["findings"][0]["hits"]] == ["rank1.log", "rank2.log"]


def test_together_lends_facts(fixbook: Run) -> None:
    head = "INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='m', dtype=torch.float16\n"
    names = [write("head.log", head), write("worker.log", SHARED)]
    report = json.loads(fixbook(*names, "--together", "--format", "json")[1])
    assert report["findings"][0]["id"] == "demo/flux-of-half"
    assert report["findings"][0]["level"] == "confirmed"
    assert "the log states `model_dtype=float16` (`head.log:1`)" in fixbook(*names, "--together")[1]


def test_a_log_that_cannot_be_read_is_named_and_the_rest_is_done(fixbook: Run) -> None:
    code, out, err = fixbook("missing.log", write("a.log", KNOWN))
    assert code == 2
    assert "Confirmed cause" in out
    assert "missing.log: no such file or folder" in err


@pytest.mark.parametrize(
    "head", [b"\x89PNG\r\n\x1a\n\0\0", b"\xff\xd8\xff\xe0\0\x10JFIF", b"GIF89a", b"RIFF\x24\0\0\0WEBPVP8 ", b"%PDF-1.7\n"]
)
@pytest.mark.parametrize(
    ("lang", "says"), [("en", "this is a picture, not text\n    Copy the text"), ("zh", "这是图片，不是文字\n    请复制")]
)
def test_a_screenshot_is_no_log_without_failures(fixbook: Run, head: bytes, lang: str, says: str) -> None:
    code, out, err = fixbook(write("error.png", head + b"\x92" * 2_000_000), write("server.log", KNOWN), "--lang", lang)
    assert code == 2
    assert says in err
    assert "server.log" in out
    assert "error.png" not in out


def test_a_forbidden_log_comes_with_a_remedy(fixbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from fixbook import source

    monkeypatch.setattr(source, "find_files", lambda path: iter([source.Source(path, problem="Permission denied")]))
    code, _, err = fixbook("secret.log")
    assert code == 2
    assert "secret.log: Permission denied" in err
    assert "sudo cat FILE | fixbook" in err


DAMAGED = "the compressed data is damaged; what came before it was read"


@pytest.mark.parametrize("options", [[], ["--together"]])
def test_a_damaged_file_is_answered_and_named(fixbook: Run, options: list[str]) -> None:
    packed = bytearray(gzip.compress(KNOWN.encode()))
    packed[-6] ^= 1
    code, out, err = fixbook(write("crc.log.gz", bytes(packed)), write("good.log", CLEAN), "--format", "json", *options)
    report = json.loads(out)
    report = report if options else report["reports"][0]
    assert code == 2
    assert err == f"fixbook: crc.log.gz: {DAMAGED}\n"
    assert report["verdict"] == "known"
    assert report["skipped"] == [{"what": "crc.log.gz", "reason": DAMAGED, "line": 0}]


def test_a_log_that_is_cut_is_answered_and_named(fixbook: Run) -> None:
    packed = gzip.compress((KNOWN + "".join(f"INFO {number * number}\n" for number in range(3000))).encode())
    code, out, err = fixbook(write("cut.log.gz", packed[:-2000]))
    assert code == 2
    assert out.startswith("Confirmed cause: ")
    assert err == "fixbook: cut.log.gz: the compressed data is cut off; what came before it was read\n"


def test_a_large_log_that_is_damaged_is_answered_and_named(fixbook: Run) -> None:
    packed = bytearray(gzip.compress(("INFO nothing here\n" * 70_000 + KNOWN).encode()))
    packed[-6] ^= 1
    code, out, err = fixbook(write("large.log.gz", bytes(packed)))
    assert (code, err) == (2, f"fixbook: large.log.gz: {DAMAGED}\n")
    assert out.startswith("Confirmed cause: ")


def test_a_zip_that_is_cut_is_answered_and_named(fixbook: Run) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pod.log", KNOWN + "".join(f"INFO {number * number}\n" for number in range(3000)))
    code, out, err = fixbook(write("all.zip", packed.getvalue()[:-2000]), "--format", "json")
    report = json.loads(out)
    reason = "the compressed data is cut off; what came before it was read"
    assert (code, report["verdict"]) == (2, "known")
    assert report["skipped"] == [{"what": "all.zip!pod.log", "reason": reason, "line": 0}]
    assert err == f"fixbook: all.zip!pod.log: {reason}\nfixbook: all.zip: the archive is cut off; the members before that were read\n"


def test_of_what_cannot_be_unpacked_at_all_there_is_no_report(fixbook: Run) -> None:
    code, out, err = fixbook(write("cut.log.bz2", bz2.compress(KNOWN.encode())[:-20]))
    assert (code, out) == (2, "")
    assert err == "fixbook: cut.log.bz2: the compressed data is cut off before anything could be read\n"


def test_standard_input_named_twice(here: Path, book: Path) -> None:
    done = subprocess.run(command(book, "-", "-"), input=KNOWN, capture_output=True, env=environment(), text=True, check=False)
    assert done.returncode == 2
    assert "Confirmed cause: " in done.stdout
    assert done.stderr == "fixbook: stdin: standard input can be read only once: leave out all `-` but the first\n"


@pytest.mark.parametrize("command", ["redact", "new"])
def test_closed_standard_input(here: Path, command: str) -> None:
    line = ["sh", "-c", f'"$0" -m fixbook {command} - <&-', sys.executable]
    done = subprocess.run(line, capture_output=True, env=environment(), text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "fixbook: stdin: standard input is closed: give a FILE, or a pipe, as in `kubectl logs POD | fixbook -`\n"


def test_a_link_in_the_book_that_leads_to_itself_is_set_aside(fixbook: Run, tmp_path: Path) -> None:
    (tmp_path / "own/demo").mkdir(parents=True)
    for name, target in (("loop.yaml", "loop.yaml"), ("nowhere.yaml", "gone.yaml"), ("again", "..")):
        (tmp_path / "own/demo" / name).symlink_to(target)
    code, out, err = fixbook(write("server.log", KNOWN), "--kb", "own")
    assert code == 0
    assert out.startswith("Confirmed cause: ")
    assert "own/demo/loop.yaml: the file cannot be read: Too many levels of symbolic links" in err
    assert "own/demo/nowhere.yaml: the file cannot be read: No such file or directory" in err


def test_a_word_that_is_neither_command_nor_file(fixbook: Run) -> None:
    code, out, err = fixbook("serch")
    assert (code, out) == (2, "")
    assert "serch: no such file or folder, and no command of this name; did you mean `fixbook search`?" in err
    assert fixbook("zzzzzz")[2].endswith("no command of this name\n    Give the path of a log, or pipe a log in: `… 2>&1 | fixbook`.\n")


@pytest.mark.parametrize("name", [["./show"], ["--", "show"]])
def test_a_file_named_like_a_command(here: Path, book: Path, name: list[str]) -> None:
    write("show", KNOWN)
    assert main(["--kb", str(book), "--no-shipped", *name]) == 0


def test_an_empty_log_is_warned_of(fixbook: Run) -> None:
    code, _, err = fixbook(write("empty.log", ""))
    assert code == 1
    assert "empty.log is empty; errors mostly go to stderr" in err
    Path("logs").mkdir()
    write("logs/other.log", "")
    assert " logs/other.log is empty; " in fixbook("logs")[2]  # as the report calls it


def test_output_to_a_file(fixbook: Run) -> None:
    code, out, _ = fixbook(write("server.log", KNOWN), "-o", "report.md", "--format", "markdown", "--color", "auto")
    assert (code, out) == (0, "")
    assert Path("report.md").read_text(encoding="utf-8").startswith("# Confirmed cause")
    assert sorted(path.name for path in Path().iterdir()) == ["report.md", "server.log"]


def test_output_keeps_the_old_file_when_it_goes_wrong(fixbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from fixbook.api import Report

    write("report.txt", "old")

    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Report, "render", interrupted)
    code, _, err = fixbook(write("server.log", KNOWN), "-o", "report.txt")
    assert (code, err) == (130, "")
    assert Path("report.txt").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["report.txt", "server.log"]


def test_output_to_a_place_that_is_not_there(fixbook: Run) -> None:
    code, _, err = fixbook(write("server.log", KNOWN), "-o", "no/such/report.txt")
    assert code == 2
    assert "no/such/report.txt" in err


def test_output_to_a_device(fixbook: Run) -> None:
    assert fixbook(write("server.log", KNOWN), "-o", os.devnull)[0] == 0
    assert Path(os.devnull).is_char_device()


def test_a_broken_entry_is_a_warning(fixbook: Run, tmp_path: Path) -> None:
    other = write_book(tmp_path / "kb2")
    write_broken(other)
    code, out, err = fixbook(write("server.log", KNOWN), "--kb", str(other))
    assert code == 0
    assert out.startswith("Confirmed cause")
    assert re.search(r"warning: .*broken\.yaml:\d+: ", err)


def test_no_book_at_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-shipped", write("a.log", KNOWN)]) == 2
    assert "--kb DIR" in capsys.readouterr().err
    assert main(["--kb", "nowhere", "a.log"]) == 2
    assert "nowhere" in capsys.readouterr().err


# --- the other commands ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["demo/frobnicator-not-calibrated", "frobnicator-not-calibrated", "frobnicator"])
def test_show(fixbook: Run, name: str) -> None:
    code, out, _ = fixbook("show", name)
    assert code == 0
    assert out.startswith("The frobnicator is not calibrated\n")
    assert "│ ValueError: frobnicator f1 is not calibrated" in out


def test_show_says_what_was_meant(fixbook: Run) -> None:
    code, out, err = fixbook("show", "frobnicator-not-calibrate")
    assert (code, out) == (2, "")
    assert "did you mean" in err
    assert err.count("frobnicator-not-calibrated") == 1  # under one name
    for words in ("flux", "half-flux", "flux of half"):  # a part of an id, its words
        assert "no entry" in fixbook("show", words)[2]
        assert "; did you mean demo/" in fixbook("show", words)[2]
        assert "demo/flux-of-half" in fixbook("show", words)[2]
    for too_little in ("", "x", "f-x"):
        assert "did you mean" not in fixbook("show", too_little)[2]


@pytest.mark.parametrize("command", ["lint", "fmt"])
def test_a_folder_without_entries_is_no_success(here: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "empty").mkdir()
    assert main([command, "empty"]) == 2
    assert capsys.readouterr().err == "fixbook: empty: no entry in this folder; give a book, a component's folder or an entry\n"


def test_options_may_stand_before_the_command(fixbook: Run) -> None:
    code, out, _ = fixbook("--lang", "zh", "show", "frobnicator")
    assert code == 0
    assert out.startswith("校准器尚未校准")


def test_list(fixbook: Run) -> None:
    _, out, _ = fixbook("list", "--lang", "zh")
    assert [line.split()[0] for line in out.splitlines()] == ["demo/flux-of-half", "demo/flux-of-xpu", "demo/frobnicator-not-calibrated"]
    assert "校准器尚未校准" in out
    assert json.loads(fixbook("list", "-f", "json")[1])["entries"][0]["id"] == "demo/flux-of-half"


def test_list_of_a_component(fixbook: Run) -> None:
    assert len(fixbook("list", "--component", "demo")[1].splitlines()) == 3
    code, _, err = fixbook("list", "--component", "dem")
    assert code == 2
    assert "one of demo" in err


SEARCHES = [(["校准"], "demo/frobnicator"), (["flux", "out of range"], "demo/flux"), (["frob", "calibrate"], "demo/")]


@pytest.mark.parametrize(("words", "first"), SEARCHES)
def test_search(fixbook: Run, words: list[str], first: str) -> None:
    code, out, _ = fixbook("search", *words)
    assert code == 0
    assert out.startswith(first)


def test_facts(fixbook: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "--lang", "zh"]) == 0
    assert re.search(r"^kv_cache_dtype  +KV ", capsys.readouterr().out, re.MULTILINE)
    assert main(["facts", "--format", "json"]) == 0
    assert {"name", "kind", "label", "command"} == {*json.loads(capsys.readouterr().out)["facts"][0]}


def test_search_without_a_find(fixbook: Run) -> None:
    code, out, err = fixbook("search", "zebra")
    assert (code, out) == (1, "")
    assert "no entry matches" in err


@pytest.mark.parametrize("words", [["--frobnicate"], ["model", "--frobnicate"], ["--frobnicate=x", "--lang", "zh"]])
def test_a_flag_is_a_word_to_look_for(fixbook: Run, words: list[str]) -> None:
    bare = [word.removeprefix("--") if "frob" in word else word for word in words]
    assert fixbook("search", *words) == fixbook("search", *bare)


def test_explain_a_find(fixbook: Run) -> None:
    code, out, _ = fixbook("explain", write("server.log", KNOWN))
    assert code == 0
    assert "Found: confirmed." in out
    assert "line 2, it happened" in out


def test_explain_a_miss(fixbook: Run) -> None:
    log = write("server.log", "ValueError: frobnicator f9 is not ready\n")
    code, out, _ = fixbook("explain", log, "--id", "frobnicator")
    assert code == 1
    assert "this part of the pattern matches in line 1" in out
    assert "frobnicator (?P<device>\\w+) is not" in out


def test_explain_a_decision(fixbook: Run) -> None:
    log = write("server.log", SHARED)
    _, out, _ = fixbook("explain", log, "--id", "flux-of-half", "--fact", "model_dtype=bfloat16")
    assert "Found: ruled out." in out
    assert "✗ `model_dtype = float16`: `model_dtype=bfloat16`" in out


def test_lint(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb = write_book(here / "kb")
    assert main(["lint"]) == 0
    assert "0 errors" in capsys.readouterr().err
    broken = write_broken(kb)
    assert main(["lint", str(kb)]) == 1
    out = capsys.readouterr()
    assert f"{broken.relative_to(here)}:" in out.out
    assert "help: " in out.out
    assert main(["lint", str(kb / "demo" / "flux-of-xpu.yaml")]) == 0
    assert main(["lint", "nowhere"]) == 2


def test_lint_of_a_component_and_of_an_entry_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb = write_book(here / "own")
    for path in (kb / "demo", kb / "demo" / "flux-of-xpu.yaml"):
        assert main(["lint", str(path)]) == 0
        assert "0 errors" in capsys.readouterr().err


def test_explain_a_draft(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb = write_book(here / "own")
    entry = kb / "demo" / "frobnicator-not-calibrated.yaml"
    entry.write_text("status: draft\n" + entry.read_text("utf-8"), "utf-8")
    log = write("server.log", KNOWN)
    assert main(["explain", log, "--id", "frobnicator-not-calibrated", "--kb", str(kb), "--no-shipped"]) == 1
    assert "it is a draft; drafts are never matched" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nosuch.log", "nosuch.log：没有这个文件或目录\n"),
        ("serch", "serch：没有这个文件或目录，也没有这个命令；是不是要用 `fixbook search`？\n"),
    ],
)
def test_what_is_not_there_in_chinese(fixbook: Run, name: str, said: str) -> None:
    assert said in fixbook(name, "--lang", "zh")[2]


def test_lint_as_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_broken(write_book(here / "kb"))
    assert main(["lint", "--format", "json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert {"file", "line", "field", "code", "severity", "what", "help"} == {*problems[0]}


# --- help ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_has_examples_and_exit_codes(command: str | None) -> None:
    text = command_parser(command).format_help()
    assert "\nexamples:\n  " in text
    assert "\nexit codes:\n  0  " in text
    assert "./show" in text or command


WORDS = st.sampled_from(
    [
        *("a.log", "b.log", "-", "--", "", "- ", "-1", "zh", "json", "pdf", "show", "x=y", "--full", "--follow", "--together"),
        *("--exit-zero", "--no-shipped", "--lang", "-l", "--format", "-f", "--kb", "--fact", "-o", "--output", "--color", "always"),
        *("--lang=zh", "-fjson", "--ful", "--zzz", "-h", "--help", "--version", "-z"),
    ]
)


@settings(max_examples=1500, deadline=None)
@given(st.lists(WORDS, max_size=7))
def test_what_is_read_without_argparse_is_what_argparse_reads(arguments: list[str]) -> None:
    read = usual(arguments)
    if read is not None:  # else argparse is asked
        expected, unknown = command_parser(None).parse_known_args(arguments)
        assert (vars(read), unknown) == (vars(expected), [])


@pytest.mark.parametrize(
    "line",
    [
        *("", "-", "server.log", "a.log b.log", "--full server.log", "server.log --full --lang zh", "-l en -f json -o out.json x"),
        *("--kb one --kb two --no-shipped x", "x --fact a=b --fact c=d", "--together --exit-zero --color never a b", "--follow server.log"),
    ],
)
def test_usual_arguments_take_no_argparse(line: str) -> None:
    arguments = line.split()
    read = usual(arguments)
    assert read is not None
    assert vars(read) == vars(command_parser(None).parse_args(arguments))
    code = f"import sys; from fixbook.cli.arguments import parse; parse({arguments!r}, alone=True); print('argparse' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("a.log --full b.log", "files", ["a.log", "b.log"]),
        ("--lang zh a.log --fact kv_cache_dtype=fp8 b.log -f json - c.log", "files", ["a.log", "b.log", "-", "c.log"]),
        ("a.log --full -- -b.log", "files", ["a.log", "-b.log"]),
        ("show a --lang zh b", "ids", ["a", "b"]),
        ("search a --lang zh b", "words", ["a", "b"]),
    ],
)
def test_options_may_stand_between_files(line: str, name: str, words: list[str]) -> None:
    assert vars(parse(line.split()))[name] == words
    assert vars(parse(line.split(), alone=True))[name] == words


@pytest.mark.parametrize("line", ["a.log --full --zzz b.log", "explain a.log --lang zh b.log", "list vllm"])
def test_what_is_left_over_is_refused(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(line.split())
    assert "unrecognized arguments: " in capsys.readouterr().err


def test_a_value_given_once_leaves_the_next_run_alone() -> None:
    assert parse(["--kb", "one", "x"]).kb == ["one"]
    assert parse(["x"]).kb == []


def test_what_usual_does_not_understand_is_left_to_argparse() -> None:
    for names, how in ((("--n",), {"type": int}), (("--n",), {"nargs": 2}), (("n",), {}), (("--n",), {"action": "count"})):
        parser = Usual()
        parser.add_argument("--flag", action="store_true")
        assert parser.read(["--flag"]) is not None
        assert parser.read(["word"]) is None
        parser.add_argument(*names, **how)
        assert parser.read(["--flag"]) is None


@pytest.mark.parametrize("arguments", [["--frobnicate"], ["--format", "pdf", "x"], ["show"], ["explain"], ["--form", "json"]])
def test_wrong_arguments_are_trouble(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--lnag", "zh", "x"], "unrecognized arguments: --lnag; did you mean --lang?"),
        (["show", "--ful", "x"], "unrecognized arguments: --ful\n"),
        (["x", "--ful"], "unrecognized arguments: --ful; did you mean --full?"),
        (["search", "x", "--fromat=json"], "unrecognized arguments: --fromat=json; did you mean --format?"),
        (["x", "--zzz"], "unrecognized arguments: --zzz\n"),
    ],
)
def test_a_mistyped_option_is_told_what_was_meant(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert says in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert re.fullmatch(r"fixbook \d+\.\d+\.\d+\n", capsys.readouterr().out)


# --- language and colour ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "environment", "expected"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        (None, {"LC_MESSAGES": "zh_TW", "LANG": "de_DE"}, "zh"),
        (None, {"FIXBOOK_LANG": "both", "LANG": "de_DE"}, "both"),
        (None, {"FIXBOOK_LANG": "en", "LANG": "zh_CN"}, "en"),
        ("en", {"LANG": "zh_CN"}, "en"),
        ("zh", {}, "zh"),
    ],
)
def test_language(here: Path, monkeypatch: pytest.MonkeyPatch, choice: str | None, environment: dict[str, str], expected: str) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert language(choice) == expected


@pytest.mark.parametrize(
    ("choice", "environment", "tty", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour(here: Path, monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], tty: bool, expected: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty, raising=False)
    assert use_color(choice, to_file=False) is expected


# --- as a process ----------------------------------------------------------------------------------------------------------------


def command(book: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "fixbook", "--kb", str(book), "--no-shipped", *arguments]


def environment(**more: str) -> dict[str, str]:
    noise = ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS")
    return {**{name: value for name, value in os.environ.items() if name not in noise}, "LANG": "C.UTF-8", **more}


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_a_pipe_is_read(book: Path, arguments: Sequence[str]) -> None:
    done = subprocess.run(command(book, *arguments), input=KNOWN.encode(), capture_output=True, env=environment(), check=False)
    assert done.returncode == 0
    assert b"`stdin:2`" in done.stdout
    assert done.stderr == b""


def test_a_reader_that_goes_away_is_no_error(book: Path, here: Path) -> None:
    for number in range(40):
        write(f"logs/{number}.log", KNOWN)
    process = subprocess.Popen(command(book, "logs", "--full"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141


def test_ctrl_c_ends_quietly_and_leaves_no_half_file(book: Path, here: Path) -> None:
    process = subprocess.Popen(
        command(book, "-o", "report.txt"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    process.stdin.write(KNOWN.encode())
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while not any(path.name.startswith(".report.txt") for path in Path().iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, b"")
    assert list(Path().iterdir()) == []


# What takes longer to import than an answer takes to write, and the rooms that only other answers need.
DEAR = {"dataclasses", "hashlib", "inspect", "jinja2", "markupsafe", "pathlib", "pickle", "regex", "shutil", "tempfile", "typing", "yaml"}
NOT_FOR_TEXT = {"json", "fixbook.cards", "fixbook.compiled", "fixbook.json_report", "fixbook.seen"}
NOT_FOR_JSON = {"fixbook.render", "fixbook.render_text", "fixbook.templates"}
SHIPPED = "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-X1 (size 9637888), error: No space left on device (28)\n"
FORBIDDEN = [
    ((), DEAR | NOT_FOR_TEXT),
    (("--full",), (DEAR | NOT_FOR_TEXT) - {"fixbook.seen"}),
    (("--lang", "zh"), DEAR | NOT_FOR_TEXT),
    (("--format", "json"), DEAR | NOT_FOR_JSON),
]


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user who has asked once before."""
    folder = tmp_path_factory.mktemp("cache")
    settings = environment(FIXBOOK_CACHE=str(folder), PYTHONPATH=str(Path(__file__).parents[1] / "src"))
    subprocess.run([sys.executable, "-m", "fixbook", "--exit-zero"], input=CLEAN, env=settings, text=True, capture_output=True, check=True)
    return settings


@pytest.mark.parametrize("log", [SHIPPED, UNKNOWN, CLEAN])
@pytest.mark.parametrize(("options", "forbidden"), FORBIDDEN)
def test_a_paste_imports_only_what_its_answer_needs(warm: dict[str, str], options: Sequence[str], forbidden: set[str], log: str) -> None:
    """The second time, when nothing is left to keep; without `site`, for which other packages may have hooks that import some of it."""
    code = "import sys; from fixbook.cli import command; command(); print(*sys.modules, file=sys.stderr)"
    line = [sys.executable, "-S", "-c", code, *options]
    for _ in range(2):
        done = subprocess.run(line, input=log, capture_output=True, env=warm, text=True, check=True)
    assert ("nccl" in done.stdout) == (log == SHIPPED)
    assert sorted(forbidden & set(done.stderr.split())) == []


@pytest.mark.parametrize(("locale", "first"), [("C", b"Confirmed cause"), ("zh_CN.UTF-8", "已确认的原因".encode())])
def test_the_locale_chooses_the_language(book: Path, locale: str, first: bytes) -> None:
    done = subprocess.run(command(book), input=KNOWN.encode(), capture_output=True, env=environment(LANG=locale), check=False)
    assert done.stdout.startswith(first)


def test_an_output_that_cannot_show_chinese_still_works(book: Path) -> None:
    settings = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done = subprocess.run(command(book, "--lang", "zh"), input=KNOWN.encode(), capture_output=True, env=settings, check=False)
    assert done.returncode == 0
    assert b"\\u5df2" in done.stdout
    machine = subprocess.run(command(book, "-f", "json"), input=KNOWN.encode(), capture_output=True, env=settings, check=False)
    assert json.loads(machine.stdout.decode("utf-8"))["findings"][0]["title"]["zh"] == "校准器尚未校准"


@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), (">&-", 0)])
def test_closed_streams(book: Path, here: Path, closed: str, code: int) -> None:
    name = "" if "<" in closed else write("server.log", KNOWN)
    line = f"exec {' '.join(command(book, name) if name else command(book))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), check=False)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert (b"pipe a log in" in done.stderr) == (code == 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_full_disk_is_trouble(book: Path, here: Path) -> None:
    line = f"exec {' '.join(command(book, write('server.log', KNOWN)))} > /dev/full"
    done = subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.decode() == "fixbook: the answer could not be written: No space left on device\n"


def on_terminal(arguments: Sequence[str], typed: bytes, **more: str) -> tuple[int, str]:
    """Runs a command with a pseudo-terminal for everything; gives its exit code and what appeared there."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(arguments[0], list(arguments), environment(TERM="xterm-256color", **more))
    shown = b""
    sent = False
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        if not ready:
            os.kill(process, signal.SIGKILL)
            break
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
        if typed and not sent and b"Ctrl-D" in shown:
            os.write(terminal, typed)
            sent = True
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace").replace("\r\n", "\n")


def test_a_terminal_without_input_is_told_to_paste(book: Path) -> None:
    code, shown = on_terminal(command(book), KNOWN.encode() + b"\x04")
    assert code == 0
    assert shown.count("Paste the log, then press Ctrl-D") == 1
    assert "\x1b[1;33mConfirmed cause" in shown


def test_a_terminal_gets_colours_and_nothing_of_the_log_acts(book: Path, here: Path) -> None:
    hostile = "\x1b]0;owned\x07 \x9b2J ValueError: frobnicator f9\u202e is not calibrated \x1b[2J\n" + KNOWN
    code, shown = on_terminal(command(book, write("evil.log", hostile)), b"")
    assert code == 0
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", re.sub(r"\x1b\[[0-9;]+m", "", shown))
    assert "\x1b[" in shown


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours(book: Path, here: Path, setting: dict[str, str]) -> None:
    arguments = command(book, write("server.log", KNOWN), *(("--color", "never") if "TERM" in setting else ()))
    code, shown = on_terminal(arguments, b"", **{name: value for name, value in setting.items() if name != "TERM"})
    assert code == 0
    assert "\x1b" not in shown


def test_a_narrow_terminal_is_kept(book: Path, here: Path) -> None:
    _, shown = on_terminal(command(book, write("server.log", KNOWN), "--lang", "zh", "--full"), b"", COLUMNS="48", NO_COLOR="1")
    from fixbook.terminal import cells

    assert max(cells(line) for line in shown.splitlines() if "http" not in line and "fixbook show" not in line) <= 48


@pytest.mark.parametrize("words", ["NCCL超时", "nccl 超时", "超时NCCL"])
def test_search_parts_words_where_the_script_changes(words: str) -> None:
    from fixbook.api import load

    assert "nccl/nccl-watchdog-collective-timeout" in [article.id for article in load().search(words)]
