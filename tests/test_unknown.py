"""Failures that no entry explains: what counts as one, one fingerprint for one failure, what comes near, what is missing."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook.failures import failures, fingerprint, mask
from fixbook.log import read
from fixbook.model import Condition, Kind
from fixbook.report import Verdict
from one_line import FAILURES, HEALTHY
from triage_parts import diagnose, engine, entry, facts, ids

FIELD = Path(__file__).parent / "field_cases"

# --- what is a failure ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "exception"),
    [
        ("Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in f\nKeyError: 'qty'\n", "KeyError"),
        ("ERROR 12-01 00:00:00 [core.py:5] RuntimeError('bad thing')\n", "RuntimeError"),
        ("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n", "std::bad_alloc"),
        ("thread 'main' (29265) panicked at parse.rs:1:60:\ninvalid port\n", "panicked at"),
        ("fatal error: all goroutines are asleep - deadlock!\n", "fatal error"),
        ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n', "java.lang.OutOfMemoryError"),
        ("/bin/bash: line 1: 32333 Killed                  python oom.py\n", "Killed"),
        ("Segmentation fault (core dumped)\n", "Segmentation fault"),
        ("nvcc fatal   : Unsupported gpu architecture 'compute_120'\n", "fatal"),
        ("docker: Error response from daemon: could not select device driver\n", "Error response from daemon"),
    ],
)
def test_what_failed(log: str, exception: str) -> None:
    report = diagnose(log)
    assert report.verdict is Verdict.UNKNOWN
    assert [failure.exception for failure in report.unknown] == [exception]


@pytest.mark.parametrize(
    "log",
    [
        "INFO 12-01 00:00:00 [x.py:1] all is well\n",
        "model weights loaded (0 errors)\n",
        "KeyboardInterrupt\n",
        "WARNING 12-01 00:00:00 [x.py:1] failed to load the optional kernel, falling back\n",
        "node:1:2 [0] misc/cudawrap.cc:188 NCCL WARN Failed to find CUDA library libcuda.so\n",
        "",
    ],
)
def test_what_did_not_fail(log: str) -> None:
    assert diagnose(log).verdict is Verdict.CLEAN


@pytest.mark.parametrize("log", FAILURES)
def test_one_line_that_no_entry_knows(log: str) -> None:
    assert diagnose(log + "\n").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("log", HEALTHY)
def test_its_healthy_neighbour(log: str) -> None:
    assert diagnose(log + "\n").verdict is Verdict.CLEAN


def test_who_only_tells_that_something_failed_stands_behind_what_tells_what() -> None:
    ends = "make: *** [Makefile:3: all] Error 1\nninja: build stopped: subcommand failed.\n"
    fault = "a.cpp:3:1: fatal error: queue.h: No such file or directory\n"
    assert [failure.message for failure in diagnose(fault + "\n\n\n\n" + ends).unknown] == [fault.strip()]


def test_words_of_a_failure_count_where_nothing_surer_does() -> None:
    weak = "[TM][ERROR] CUDA runtime error: misaligned address\n"
    assert [failure.message for failure in diagnose(weak).unknown] == [weak.strip()]
    assert [failure.exception for failure in diagnose(weak + "hello\n\n\nKeyError: 'x'\n").unknown] == ["KeyError"]


def test_exit_codes_count_where_nothing_tells_what_failed() -> None:
    """torchrun sums up what its workers died of; where the reason stands above, the sum is no failure of its own."""
    summary = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n  exitcode  : 1 (pid: 26709)\n"
    assert diagnose(summary).verdict is Verdict.UNKNOWN
    assert [failure.exception for failure in diagnose("ValueError: bad shard\nhello\n\n" + summary).unknown] == ["ValueError"]


OTHER = 'Traceback (most recent call last):\n  File "/app/x.py", line 3, in f\nValueError: bad shard\n'
QUIET = "".join(f"INFO 12-01 00:00:{at:02} [x.py:5] all is well in part {at}\n" for at in range(40))


@pytest.mark.parametrize(
    ("log", "shared", "left"),
    [
        (OTHER + QUIET + "RuntimeError: the frobnicator burned\n", False, ["ValueError"]),  # long before the cause
        (OTHER + "RuntimeError: the frobnicator burned\n", False, []),  # shortly before it: told in another order
        ("RuntimeError: the frobnicator burned\n" + QUIET + OTHER, False, []),  # its consequence
        ("RuntimeError: the frobnicator burned\n" + QUIET + OTHER, True, ["ValueError"]),  # what may be another cause explains less
        ("RuntimeError: the frobnicator burned\n" + OTHER, True, []),
        (OTHER + "RuntimeError: the frobnicator burned\n", True, ["ValueError"]),  # nor what may have brought it about
    ],
)
def test_a_cause_explains_what_follows_it_and_what_stands_near(log: str, shared: bool, left: list[str]) -> None:
    report = diagnose(log, entry("a/burned", r"the frobnicator burned", shared=shared))
    assert ids(report.findings) == ["a/burned"]
    assert [failure.exception for failure in report.unknown] == left


def test_a_cut_traceback_is_a_failure() -> None:
    report = diagnose('Traceback (most recent call last):\n  File "/app/x.py", line 3, in f\n')
    assert (report.verdict, [part.what for part in report.missing]) == (Verdict.UNKNOWN, ["traceback-end"])
    assert report.unknown[0].frames == ("/app/x.py:3 in f",)


# --- what belongs together --------------------------------------------------------------------------------------------------------

CHAIN = """Traceback (most recent call last):
  File "/app/x.py", line 3, in f
IndexError: pop from empty list

{words}

Traceback (most recent call last):
  File "/app/x.py", line 9, in g
ConnectionError: cannot reach the broker
"""


@pytest.mark.parametrize(
    "words",
    [
        "The above exception was the direct cause of the following exception:",
        "During handling of the above exception, another exception occurred:",
    ],
)
def test_a_chain_is_one_failure_and_ends_it(words: str) -> None:
    (failure,) = diagnose(CHAIN.format(words=words)).unknown
    assert failure.exception == "ConnectionError"


def test_a_chain_is_explained_by_any_of_its_links() -> None:
    log = CHAIN.format(words="The above exception was the direct cause of the following exception:")
    for pattern in ("pop from empty list", "cannot reach the broker"):
        assert diagnose(log, entry("a/known", pattern, kind=Kind.WRAPPER)).unknown == ()


def test_unrelated_failures_are_two() -> None:
    log = CHAIN.format(words="[x] the next job starts")
    assert [failure.exception for failure in diagnose(log).unknown] == ["IndexError", "ConnectionError"]


def test_the_same_failure_told_twice_is_one() -> None:
    line = "(Worker_TP{0} pid={1}) ERROR 12-01 00:00:00 [x.py:1] ValueError: bad shard {0}\n"
    assert len(diagnose(line.format(0, 41) + line.format(1, 42)).unknown) == 1


def test_beside_a_cause_the_rest_are_consequences() -> None:
    log = "RuntimeError: the known one\nhello\n\n\n(Worker_TP1 pid=4) ConnectionError: peer is gone\n"
    assert diagnose(log, entry("a/known", "the known one")).unknown == ()
    assert len(diagnose(log, entry("a/known", "the known one", kind=Kind.WRAPPER)).unknown) == 1


# --- fingerprints -----------------------------------------------------------------------------------------------------------------

PREFIXES = (
    "",
    "ERROR 07-18 03:16:02 [core.py:588] ",
    "(EngineCore_DP0 pid=3547) ",
    "[rank0]: ",
    "2026-12-01T03:13:02.507000000Z stderr F ",
    "vllm-1  | ",
    "> ",
)
ROOTS = ("/usr/local/lib/python3.12/dist-packages", "/home/u/.venv/lib/python3.10/site-packages", "C:/Users/u/venv/Lib/site-packages")
FAILURE = """Traceback (most recent call last):
  File "{app}/serve.py", line {one}, in main
  File "{root}/somelib/engine/core.py", line {two}, in step
somelib.errors.ShardError: shard '{name}' of {path}/part-{one} at {host}:{two} wants {size} GiB (0x{address:x})
"""


def render(prefix: str, **values: object) -> str:
    return "".join(f"{prefix}{line}\n" for line in FAILURE.format(**values).splitlines())


VALUES = st.fixed_dictionaries(
    {
        "app": st.sampled_from(["/app", "/workspace/src/app", "/home/u/project"]),
        "root": st.sampled_from(ROOTS),
        "one": st.integers(1, 9999),
        "two": st.integers(1000, 65000),
        "name": st.from_regex(r"[a-z0-9_-]{1,20}", fullmatch=True),
        "path": st.sampled_from(["/data/ckpt", "/mnt/a/b/c", "/models/m-7b.v2"]),
        "host": st.sampled_from(["10.0.0.1", "192.168.77.3"]),
        "size": st.floats(0.01, 900, allow_nan=False).map(lambda number: f"{number:.2f}"),
        "address": st.integers(2**16, 2**48),
    }
)


@settings(max_examples=60)
@given(st.sampled_from(PREFIXES), VALUES)
def test_one_failure_has_one_fingerprint(prefix: str, values: dict[str, object]) -> None:
    reference = {
        "app": "/srv/app",
        "root": ROOTS[0],
        "one": 1,
        "two": 5000,
        "name": "a",
        "path": "/data/x",
        "host": "10.1.1.1",
        "size": "1.50",
        "address": 2**20,
    }
    (expected,) = {failure.fingerprint for failure in failures(read(render("", **reference)))}
    got = {failure.fingerprint for failure in failures(read(render(prefix, **values)))}
    assert got == {expected}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("KeyError", "'a'", ()), ("ValueError", "'a'", ())),
        (("RuntimeError", "mat1 and mat2 shapes", ()), ("RuntimeError", "expected a tensor", ())),
        (("AssertionError", "", ("/app/x.py:1 in f",)), ("AssertionError", "", ("/app/y.py:1 in f",))),
        (("AssertionError", "", ("/v/site-packages/a/b.py:1 in f",)), ("AssertionError", "", ("/v/site-packages/a/b.py:1 in g",))),
    ],
)
def test_different_failures_differ(one: tuple[str, str, tuple[str, ...]], other: tuple[str, str, tuple[str, ...]]) -> None:
    assert fingerprint(*one) != fingerprint(*other)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("tried to allocate 1.61 GiB on device 0", "tried to allocate # on device #"),
        ("Connection to https://x.example:8080/v1/models refused", "Connection to <url> refused"),
        ("no file /a/b/c.bin for 'x' at 0x7f00aa", "no file <path> for <value> at <id>"),
        ("request 6b0e38cd-2154-5745-9e52-abfa3c000001 from 10.0.0.1:4000", "request <id> from <host>"),
        ("q.dtype torch.bfloat16 != k.dtype torch.float16", "q.dtype torch.bfloat# != k.dtype torch.float#"),
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    assert mask(text) == masked


@given(st.text(max_size=300))
def test_masking_takes_any_text(text: str) -> None:
    assert "\n" not in mask(text)
    assert fingerprint("E", text, ()) == fingerprint("E", text, ())


@settings(max_examples=40)
@given(
    st.text(max_size=200), st.lists(st.sampled_from([FAILURE, "Killed\n", "Error: x\n", CHAIN, '  File "x", line 3, in f\n']), max_size=4)
)
def test_no_text_breaks_it(noise: str, parts: list[str]) -> None:
    report = diagnose(noise.join(parts) + noise, entry("a/known", "empty list"))
    assert report.verdict in Verdict


# --- what comes near --------------------------------------------------------------------------------------------------------------

NEIGHBOURS = (
    entry("cuda/oom", r"CUDA out of memory\. Tried to allocate"),
    entry("nccl/closed", r"Connection closed by remote peer"),
    entry("vllm/kv", r"KV cache is needed, which is larger than the available KV cache memory"),
)


def test_the_nearest_entry_comes_with_what_is_not_there() -> None:
    (failure,) = diagnose("RuntimeError: NPU out of memory. Tried to allocate 3.39 GiB\n", *NEIGHBOURS).unknown
    (near,) = failure.nearest
    assert (near.entry, near.because) == ("cuda/oom", "✓ allocate, memory, out, tried · ✗ cuda")


def test_a_ruled_out_entry_is_near_with_the_fact_against_it() -> None:
    native = entry("vllm/native", "same dtype", shared=True, requires=facts(Condition("kv_cache_dtype", any_of=("float16",))))
    report = diagnose(engine("fp8") + "\nRuntimeError: query and key must have the same dtype\n", native)
    (near,) = report.unknown[0].nearest
    assert (near.entry, near.because) == ("vllm/native", "✗ kv_cache_dtype = float16 (fp8)")


def test_nothing_near_is_nothing() -> None:
    (failure,) = diagnose("KeyError: 'qty'\n", *NEIGHBOURS).unknown
    assert failure.nearest == ()


# --- what is missing --------------------------------------------------------------------------------------------------------------

SHELL = entry("vllm/engine-core", r"Engine core initialization failed", kind=Kind.WRAPPER)
CLOSED = entry("nccl/closed", r"Connection closed by remote peer", kind=Kind.CASCADE)
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above.\n"


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("", "COMMAND 2>&1 | tee full.log"),
        ("$ kubectl logs vllm-0\n", "kubectl logs POD --all-containers --previous"),
        ("$ docker run --gpus all vllm/vllm-openai:v0.9.1 --model m\n", "docker logs CONTAINER 2>&1"),
        ("$ docker compose up\n", "docker compose logs --no-color --no-log-prefix SERVICE"),
        ("Apr 09 20:14:51 node-1 systemd[1]: Started vLLM.\n", "journalctl -u UNIT --no-pager -o cat"),
        ("(raylet) Task failed\n", "tail -n 200 /tmp/ray/session_latest/logs/worker-*.err"),
        ("srun: job 5 queued and waiting for resources\n", "srun --output=rank-%t.log COMMAND"),
        ("$ torchrun --nproc-per-node 8 train.py\n", "torchrun --log-dir logs --redirects 3 SCRIPT"),
        ("$ mpirun -np 8 python train.py\n", "mpirun --output-filename logs COMMAND"),
        ("vllm-1  | the weights are there\nvllm-1  | ", "docker compose logs --no-color --no-log-prefix SERVICE"),
        ("[pod/vllm-0/server] the weights are there\n[pod/vllm-0/server] ", "kubectl logs POD --all-containers --previous"),
        (
            "2026-12-01T03:13:00.000000000Z stderr F the weights are there\n2026-12-01T03:13:00.000000000Z stderr F ",
            "kubectl logs POD --all-containers --previous",
        ),
        (
            "Dec 01 09:00:00 gpu-1 vllm[812]: the weights are there\nDec 01 09:00:00 gpu-1 vllm[812]: ",
            "journalctl -u UNIT --no-pager -o cat",
        ),
        (
            "(RayWorkerWrapper pid=12, ip=10.0.0.1) the weights are there\n(RayWorkerWrapper pid=12, ip=10.0.0.1) ",
            "tail -n 200 /tmp/ray/session_latest/logs/worker-*.err",
        ),
    ],
)
def test_the_command_is_that_of_the_launcher(before: str, command: str) -> None:
    (part,) = diagnose(before + WRAPPER, SHELL).missing
    assert (part.what, part.command) == ("root-cause", command)


def test_the_first_rank_is_missing_where_only_its_victims_spoke() -> None:
    report = diagnose("[rank3]: RuntimeError: NCCL communicator was aborted: Connection closed by remote peer\n", CLOSED)
    assert (ids(report.findings), report.verdict) == (["nccl/closed"], Verdict.WRAPPER)
    assert "first-rank" in [part.what for part in report.missing]


@pytest.mark.parametrize(
    ("log", "what", "command"),
    [
        ("RuntimeError: NCCL error, unhandled system error (run with NCCL_DEBUG=INFO for details)\n", "nccl-reason", "NCCL_DEBUG=INFO "),
        ('Traceback (most recent call last):\n  File "/app/a.py", line 3, in main\n', "traceback-end", "COMMAND 2>&1 | tee full.log"),
    ],
)
def test_what_else_may_be_missing(log: str, what: str, command: str) -> None:
    (part,) = diagnose(log).missing
    assert part.what == what
    assert part.command.startswith(command)


def test_blocking_launches_only_where_the_error_may_be_late() -> None:
    late = "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported\n"
    assert [part.command for part in diagnose(late).missing] == ["CUDA_LAUNCH_BLOCKING=1 COMMAND"]
    assert diagnose(late, entry("cuda/illegal", "illegal memory access")).missing == ()
    assert diagnose("RuntimeError: CUDA error: out of memory\n").missing == ()


def test_nothing_is_missing_where_the_cause_is_known_or_nothing_failed() -> None:
    assert diagnose("RuntimeError: the known one\n" + WRAPPER, SHELL, entry("a/known", "the known one")).missing == ()
    assert diagnose("INFO hello\n", SHELL).missing == ()


# --- real logs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", sorted((FIELD / "negative" / "unknown-app-error").glob("*/log.txt")), ids=lambda path: path.parent.name)
def test_field_failures_of_other_programs_are_unknown(case: Path) -> None:
    report = diagnose(case.read_text(encoding="utf-8", errors="replace"))
    assert report.verdict is Verdict.UNKNOWN
    assert all(failure.line > 0 and failure.fingerprint for failure in report.unknown)
