"""What once broke the program: short inputs, each with the right answer."""

from functools import cache
from pathlib import Path

import pytest

import fixbook
from fixbook.api import Book, Report
from fixbook.cli import main
from fixbook.log import read
from fixbook.report import MessageStatus, Verdict

LORA = "ValueError: LoRA rank 64 is greater than max_lora_rank 16."
LONG = 120_000  # characters: with work that grows with the square of a line, a test over so many does not end


@cache
def book() -> Book:
    return fixbook.load()


def diagnose(log: str) -> Report:
    return book().diagnose(log)


# --- work is bounded by the length of a line --------------------------------------------------------------------------------------


def test_a_line_full_of_exceptions_is_read_a_few_times_not_once_for_each() -> None:
    line = "RuntimeError: query and key must have " * 300
    log = read(line)
    assert sum(len(message.text) for message in log.messages) < 8 * len(line)


def test_exceptions_told_in_mid_line_keep_their_whole_text() -> None:
    told = "failed: ImportError: a (original error: ValueError('b')) then KeyError: c"
    texts = [message.text for message in read(told).messages]
    assert "ImportError: a (original error: ValueError('b')) then KeyError: c" in texts
    assert "ValueError: b" in texts
    assert "KeyError: c" in texts


def test_a_log_of_many_writers_comes_to_an_end() -> None:
    """Each fails, others go on: whose progress it is, is not asked of all that failed."""
    failed = "".join(f"node{number}: RuntimeError: x\n" for number in range(8000))
    others = "".join(f"node{number}: step 1/9 loss 1.0\n" for number in range(8000, 16_000))
    statuses = {message.status for message in read(failed + others).messages if "RuntimeError" in message.text}
    assert statuses == {MessageStatus.RAISED, MessageStatus.REPORTED}


@pytest.mark.parametrize("unit", ["`", "│ ", "| ", "~^", "version 1.2.3 ", "RuntimeError: x ", "ValueError('x "])
def test_a_line_of_nothing_but_closers_comes_to_an_end(unit: str) -> None:
    report = diagnose(LORA + "\n" + unit * (LONG // len(unit)) + "x" + unit)
    assert report.findings[0].entry.id == "vllm/lora-rank-exceeds-max"


@pytest.mark.parametrize("before", ["", "$ grep x\n", 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n', "= 1 passed "])
@pytest.mark.parametrize("unit", ["\t", " ", "\n", "="])
def test_a_run_of_blanks_or_rules_comes_to_an_end(before: str, unit: str) -> None:
    report = diagnose(LORA + "\n" + before + unit * LONG + "x")
    assert [finding.entry.id for finding in report.findings] == ["vllm/lora-rank-exceeds-max"]


def test_settings_with_quotes_that_nothing_closes_come_to_an_end() -> None:
    dump = "vLLM API server version 0.31.0\nargs: Namespace(dtype='half', " + '\\"' * 8_000 + '"}'
    assert {fact.value for fact in diagnose(LORA + "\n" + 8 * dump).facts if fact.name == "model_dtype"} == {"float16"}


def test_closers_at_the_end_of_a_line_are_cut_in_any_stack() -> None:
    assert read("a text of the program" + " |" * 5 + "  ").messages[0].text == "a text of the program"
    assert read("(w pid=1) it broke [repeated 3x across cluster] │").messages[0].text == "it broke"


# --- restarts ---------------------------------------------------------------------------------------------------------------------

BANNER = "(APIServer pid=1) INFO 01-07 01:00:00 [api_server.py:1034] vLLM API server version 0.31.0\n"
NO_ROOM = "(EngineCore pid=9) ERROR 01-07 01:00:19 [core.py:1018] ValueError: No available memory for the cache blocks.\n"
OTHER = "(EngineCore pid=12) ERROR 01-07 01:05:19 [core.py:1018] KeyError: 'layers.0.strange_proj'\n"
SERVES = '(APIServer pid=1) INFO:     10.0.0.1:5522 - "POST /v1/completions HTTP/1.1" 200 OK\n' * 2


def test_the_last_crash_of_a_pod_comes_first() -> None:
    report = diagnose(BANNER + NO_ROOM + BANNER + LORA + "\n")
    assert [finding.entry.slug for finding in report.findings] == ["lora-rank-exceeds-max", "no-available-memory-for-cache-blocks"]


def test_the_cause_of_an_earlier_crash_does_not_explain_the_last_one() -> None:
    report = diagnose(BANNER + NO_ROOM + BANNER + OTHER)
    assert [unknown.exception for unknown in report.unknown] == ["KeyError"]


def test_a_restart_that_serves_has_handled_the_crashes_before() -> None:
    assert diagnose(BANNER + NO_ROOM + BANNER + OTHER + BANNER + SERVES).verdict is Verdict.CLEAN


def test_a_second_engine_that_starts_is_no_restart() -> None:
    engine = "(EngineCore_DP{0} pid=3{0}) INFO 01-07 01:00:09 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='m'\n"
    log = read(engine.format(0) + NO_ROOM + engine.format(1) + engine.format(0).replace("pid=30", "pid=77"))
    assert [message.run for message in log.messages if "Initializing" in message.text] == [0, 0, 1]


# --- one log of several containers ------------------------------------------------------------------------------------------------

POD = "[pod/vllm-{0}/vllm] "


def test_another_pod_that_serves_has_not_handled_a_crash() -> None:
    serves = "".join(POD.format("b") + line for line in SERVES.splitlines(keepends=True))
    assert diagnose(POD.format("a") + NO_ROOM + serves).verdict is Verdict.KNOWN
    assert diagnose(POD.format("b") + NO_ROOM + serves).verdict is Verdict.CLEAN


def test_another_container_that_is_stopped_or_starts_is_another_program() -> None:
    stop = "embed-1  | (APIServer pid=1) INFO 01-07 01:00:00 [launcher.py:110] Shutting down FastAPI HTTP server.\n"
    assert diagnose(stop + "chat-1   | " + NO_ROOM).verdict is Verdict.KNOWN
    assert diagnose(stop + "embed-1  | " + NO_ROOM).verdict is Verdict.CLEAN
    log = read("chat-1   | " + BANNER + "chat-1   | " + NO_ROOM + "embed-1  | " + BANNER)
    assert {message.run for message in log.messages} == {0}


def test_json_records_name_their_pods() -> None:
    record = '{{"pod": "vllm-{0}", "log": "{1}"}}\n'
    crash, serves = NO_ROOM.strip(), SERVES.splitlines()[0].replace('"', '\\"')
    assert diagnose(record.format("a", crash) + 2 * record.format("b", serves)).verdict is Verdict.KNOWN
    assert diagnose(record.format("a", crash) + 2 * record.format("a", serves)).verdict is Verdict.CLEAN


# --- what is only told ------------------------------------------------------------------------------------------------------------

ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"


@pytest.mark.parametrize(
    "log",
    [
        f"INFO 01-05 09:02:19 [logger.py:41] Received request c-1: prompt: '<s>user\\nWhat does\\n{ILLEGAL}\\nmean?</s>', params: x",
        f'INFO 01-05 09:02:19 [api.py:41] body: {{"messages": [{{"role": "user", "content": "explain {ILLEGAL}"}}]}}',
        f"INFO 01-05 09:02:29 [async_llm.py:300] Generated response c-9: 'You got {ILLEGAL}', finish_reason=stop",
        f"If you see `{ILLEGAL}`, lower the clock.\n\nTo avoid `{LORA}`, give more.",
        f"WARNING 01-05 09:02:29 [x.py:1] attempt 1/5: ConnectionError: refused\nWARNING 01-05 09:02:30 [x.py:1] {LORA} Retrying in 2s",
        "[rank0]:[W301 12:00:18.000000000 ProcessGroupGloo.cpp:727] Warning: Unable to resolve hostname to a (local) address.",
        f"* Revert [Bugfix] {ILLEGAL} in warmup (#12500)\n* Raise {ILLEGAL} by @carol in https://github.com/a/b/pull/2",
        f"$ git log --oneline -2\nd4e5f6a fix {ILLEGAL}\nf6a7b8c GPU has fallen off the bus handling",
        f"PASS ./a.test.js\n  ✓ {ILLEGAL}\nTests: 3 passed, 3 total",
        f'diff --git a/x.py b/x.py\n@@ -1,2 +1,2 @@\n-    raise E("{ILLEGAL}")\n+        raise E("{LORA}")',
    ],
    ids=["prompt", "chat", "answer", "docs", "retries", "torch warning", "release notes", "commits", "runner", "diff"],
)
def test_an_error_in_a_question_or_a_list_did_not_happen(log: str) -> None:
    assert diagnose(log).verdict is Verdict.CLEAN


@pytest.mark.parametrize(
    "log",
    [
        f"- {ILLEGAL}",
        f"my steps:\n1. start it\n2. {ILLEGAL} (see #12500 for the same)",
        f"$ grep -c x server.log\n3\n- {ILLEGAL}",
        f"ERROR 01-05 09:02:19 [logger.py:41] Received request c-1: prompt: 'x'\n{ILLEGAL}",
    ],
)
def test_a_list_of_what_happened_is_no_listing(log: str) -> None:
    assert diagnose(log).findings[0].entry.id == "cuda/cuda-illegal-memory-access"


STATISTICS = "Engine 000: Avg prompt throughput: {0} tokens/s, Avg generation throughput: {0} tokens/s, Running: 0 reqs\n"
IDLE = "(APIServer pid=1) INFO 01-05 10:10:10 [loggers.py:127] " + STATISTICS


def test_a_listing_under_a_long_line_of_a_process_is_still_one() -> None:
    assert (
        diagnose(IDLE.format("0.0") + f"## What's Changed\n* [Bugfix] Fix `{ILLEGAL}` in MLA (#12345) by @alice\n").verdict is Verdict.CLEAN
    )


def test_the_statistics_of_an_idle_engine_are_no_progress() -> None:
    assert diagnose(BANNER + NO_ROOM + 4 * IDLE.format("0.0")).verdict is Verdict.KNOWN
    assert diagnose(BANNER + NO_ROOM + 4 * IDLE.format("12.5")).verdict is Verdict.CLEAN


# --- the answer -------------------------------------------------------------------------------------------------------------------

WRAPPED = OTHER + "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_an_unexplained_failure_stands_before_the_shell_around_it(format: str) -> None:
    answer = diagnose(WRAPPED).render(format, lang="en")
    assert 0 < answer.index("strange_proj") < answer.index("outer error") < answer.index("vllm/engine-core-init-failed")
    assert "Quick fix" not in answer


# --- the words of a failure -------------------------------------------------------------------------------------------------------


def test_a_cpp_exception_is_called_by_its_class() -> None:
    (unknown,) = diagnose("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\nAborted\n").unknown
    assert (unknown.exception, unknown.message) == ("std::bad_alloc", "std::bad_alloc")


def test_the_advice_under_an_asynchronous_error_is_not_its_message() -> None:
    error = "RuntimeError: CUDA error: device-side assert triggered"
    (unknown,) = diagnose(f"{error}\nCUDA kernel errors might be asynchronously reported at some other API call.\n").unknown
    (alone,) = diagnose(error).unknown
    assert unknown == alone


def test_a_box_around_a_traceback_is_no_text_of_its_own() -> None:
    box = "╭───── Traceback (most recent call last) ─────╮\n│ /u/serve.py:3 in <module> │\n│ ❱ 3 import torch │\n"
    log = read(box + "╰─────╯\nModuleNotFoundError: No module named 'torch'")
    plain = [(message.place.value, message.text) for message in log.messages if not message.repairs]
    assert plain == [
        ("frame", "/u/serve.py:3 in <module>"),
        ("source", "import torch"),
        ("exception", "ModuleNotFoundError: No module named 'torch'"),
    ]


def test_a_mark_of_a_failure_is_told_once() -> None:
    answer = diagnose("Segmentation fault (core dumped)").render("text", lang="en")
    assert "line 1: `Segmentation fault (core dumped)`" in answer


# --- the command line -------------------------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_read_is_not_told_as_an_answer_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: list[str], alone: bool) -> int:
        raise OSError(40, "Too many levels of symbolic links", str(tmp_path / "again"))

    monkeypatch.setattr("fixbook.cli._run", broken)
    monkeypatch.setattr("fixbook.cli._drop_output", lambda: None)
    assert main([]) == 2
    assert capsys.readouterr().err == f"fixbook: {tmp_path / 'again'}: Too many levels of symbolic links\n"
