"""Mentioned, handled, runs and episodes: what happened, and what was only said."""

import pytest

from fixbook.events import HINT, LISTED
from fixbook.log import read
from fixbook.report import Message, MessageStatus

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def _only(text: str, words: str = "OutOfMemoryError") -> Message:
    told = [message for message in read(text).messages if words in message.text and not message.repairs]
    assert told
    return told[0]


@pytest.mark.parametrize(
    "line",
    [
        "test_memory.py::test_torch_OutOfMemoryError_is_reported[1] PASSED            [ 10%]",
        "tests/test_memory.py::test_told[OutOfMemoryError: CUDA out of memory] PASSED",
        "test_OutOfMemoryError (tests.TestMemory.test_OutOfMemoryError) ... ok",
        "--- PASS: TestOutOfMemoryError (0.00s)",
        "ok 4 - reports OutOfMemoryError # SKIP no GPU",
        f"* fixed: `{OOM}` during warm-up",
        f"- fix: {OOM}",
        f"b77d01e fix: {OOM}",
        "91ac3e0 test: expect OutOfMemoryError when the cache is small",
        f"WARNING 12-01 03:06:51 [utils.py:255] This can lead to errors like `{OOM}`. Lower the utilisation.",
        f"INFO 12-01 03:06:51 [utils.py:255] if you see {OOM}, lower the utilisation",
    ],
)
def test_mentioned(line: str) -> None:
    assert _only("some line before\n" + line + "\n").status is MessageStatus.MENTIONED


@pytest.mark.parametrize(
    "line",
    [
        OOM,
        f"> {OOM}",
        f"`{OOM}`",
        f"- {OOM}",
        f"ERROR 12-01 03:06:51 [core.py:588] {OOM}",
        f"WARNING 12-01 03:06:51 [core.py:588] {OOM}",
        f"3f1c9a2e 2026-12-01 worker died: {OOM}",
        f"[rankx]: {OOM} no template was passed!",
    ],
)
def test_told_for_true(line: str) -> None:
    assert _only(line + "\n").status in (MessageStatus.RAISED, MessageStatus.REPORTED)


def test_a_runner_whose_summary_says_that_all_passed_only_lists() -> None:
    text = f"===== test session starts =====\ntests/test_a.py ..\n{OOM}\n===== 2 passed in 0.10s =====\n"
    assert _only(text).status is MessageStatus.MENTIONED
    failed = text.replace("2 passed", "1 failed, 1 passed")
    assert _only(failed).status is MessageStatus.RAISED


def test_progress_after_a_failure_handles_it() -> None:
    requests = '(APIServer pid=1) INFO:     10.0.0.1:3{} - "POST /v1/completions HTTP/1.1" 200 OK\n'
    text = f"(APIServer pid=1) ERROR 12-01 03:13:38 [serving.py:12] {OOM}\n" + requests.format(1) + requests.format(2)
    assert _only(text).status is MessageStatus.HANDLED
    assert _only(requests.format(1) + requests.format(2) + text.splitlines()[0]).status is MessageStatus.RAISED


THROUGHPUT = (
    "INFO 12-01 09:13:12 [loggers.py:257] Engine 000: Avg prompt throughput: 12.1 tokens/s, Avg generation throughput: 33.0 tokens/s"
)
SERVED = 'INFO:     10.0.0.1:3434 - "POST /v1/chat/completions HTTP/1.1" 200 OK'


@pytest.mark.parametrize(
    ("failed", "goes_on"),
    [
        ("[rank0]: ", "[rank1]: "),
        ("[rank0]: ", ""),  # what torch prints with a rank ends that rank
        ("0: ", "1: "),
        ("[default0]:[rank0]: ", "[default1]:[rank1]: "),
        ("(RayTrainWorker pid=1, ip=10.0.0.1) ", "(RayTrainWorker pid=2, ip=10.0.0.2) "),
        ("(Worker_TP0 pid=5) ", "(Worker_TP1 pid=6) "),
        ("Dec 01 09:00:01 gpu17 kernel: ", "Dec 01 09:00:02 gpu17 train[77]: "),
        ("vllm-a  | ", "vllm-b  | "),
        ("node01: ", "node02: "),
        ("train-0 main ", "train-1 main "),
        ("==> rank0.log <==\n", "==> rank1.log <==\n"),
        ("```\n", "```\nWith an older release it works:\n```\n"),
    ],
)
def test_the_progress_of_others_handles_nothing(failed: str, goes_on: str) -> None:
    steps = "".join(f"{goes_on}step {at}/10 loss 1.0\n" for at in range(2, 6))
    assert _only(f"{failed}step 1/10 loss 1.0\n{failed}{OOM}\n{steps}").status is MessageStatus.RAISED


@pytest.mark.parametrize(
    "said",
    [
        "NVRM: Xid (PCI:0000:4f:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "Out of memory: Killed process 812 (python) total-vm:9kB, anon-rss:8kB",
    ],
)
def test_what_the_kernel_tells_no_program_handles(said: str) -> None:
    """`dmesg` writes no name before it, unlike a system's log."""
    steps = "".join(f"[rank{at % 2}]: step {at}/10 loss 1.0\n" for at in range(2, 9))
    (status,) = {message.status for message in read(f"[  812.331234] {said}\n{steps}").messages if said[:9] in message.text}
    assert status is MessageStatus.RAISED


@pytest.mark.parametrize(
    ("failed", "goes_on"),
    [
        ("(EngineCore_DP0 pid=7) ERROR 12-01 09:13:02 [core.py:9] ", "(APIServer pid=1) "),
        ("(Worker_TP0 pid=5) ERROR 12-01 09:13:02 [core.py:9] ", ""),
        ("Dec 01 09:00:01 gpu17 vllm[99]: ", "Dec 01 09:00:02 gpu17 vllm[99]: "),
        ("vllm-a  | ", "vllm-a  | "),
        ("[rank0]: ", "[rank0]: "),
        ("node01: ", "node01: "),
        ("", ""),
    ],
)
def test_the_progress_of_the_same_program_handles_it(failed: str, goes_on: str) -> None:
    told = f"{failed}{OOM}\n" + f"{goes_on}{SERVED}\n{goes_on}{THROUGHPUT}\n" * 3
    assert _only(told).status is MessageStatus.HANDLED


def test_one_sign_of_progress_may_be_left_over() -> None:
    text = f"[rank1]: {OOM}\n[rank0]: step=12 loss=1.9\n"
    assert _only(text).status is MessageStatus.RAISED


def test_health_probes_are_no_progress() -> None:
    probe = 'INFO:     10.0.0.1:31 - "GET /health HTTP/1.1" 200 OK\n'
    assert _only(f"ERROR 12-01 03:13:38 [core.py:12] {OOM}\n" + probe * 5).status is MessageStatus.RAISED


def test_a_server_that_says_500_has_not_handled_it() -> None:
    text = (
        f"ERROR 12-01 03:13:38 [core.py:12] {OOM}\n"
        + 'INFO:     10.0.0.1:31 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error\n'
        + 'INFO:     10.0.0.1:32 - "POST /v1/completions HTTP/1.1" 200 OK\n' * 3
    )
    assert _only(text).status is MessageStatus.RAISED


def test_what_comes_after_progress_is_not_handled_by_it() -> None:
    text = f"I get this error:\nINFO:     Application startup complete.\nWARNING 12-01 03:13:38 [core.py:1] {OOM}\n"
    assert _only(text).status is MessageStatus.RAISED


def test_a_retry_at_a_soft_level_is_handled() -> None:
    line = f"WARNING 12-01 03:13:38 [client.py:1] attempt 1/5 failed: {OOM}; will retry"
    assert _only(line).status is MessageStatus.HANDLED
    assert _only(line.replace("WARNING", "ERROR")).status is MessageStatus.RAISED


def test_the_teardown_after_ctrl_c_is_handled_until_the_next_run() -> None:
    start = "INFO 12-01 09:00:00 [api.py:1] vLLM API server version 0.31.0\n"
    text = start + "^CKeyboardInterrupt\n" + f"ERROR 12-01 09:00:09 [core.py:1] {OOM}\n"
    assert _only(text).status is MessageStatus.HANDLED
    again = text + start + f"ERROR 12-01 09:01:09 [core.py:1] {OOM}\n"
    told = [message for message in read(again).messages if "OutOfMemoryError" in message.text]
    assert [(message.run, message.status) for message in told] == [(0, MessageStatus.HANDLED), (1, MessageStatus.RAISED)]


def test_a_title_before_the_first_start_line_belongs_to_the_first_run() -> None:
    text = f"{OOM}\nINFO 12-01 09:00:00 [core.py:1] Initializing a V1 LLM engine (v0.31.0) with config: model='m'\n"
    assert {message.run for message in read(text).messages} == {0}


def test_two_engines_of_one_program_are_one_run() -> None:
    engine = "(EngineCore_DP{0} pid=1{0}) INFO 12-01 09:00:00 [core.py:1] Initializing a V1 LLM engine (v0.31.0) with config: model='m'\n"
    assert {message.run for message in read(engine.format(0) + engine.format(1)).messages} == {0}


def test_the_words_of_signs_stand_in_what_they_match() -> None:
    for text in ("errors like this", "may cause trouble", "to avoid it", "to opt out", "will raise"):
        assert HINT.pattern.search(text)
        assert HINT.seen(text, text.lower())
    assert LISTED.search("1. [BugFix] repair it: now") is None
