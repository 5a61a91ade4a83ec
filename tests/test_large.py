"""A large log is judged as it is when it is read whole, also where a failure is one line that no entry knows."""

import io
import re
from pathlib import Path
from typing import Any

import pytest

import fixbook
from fixbook.api import Book
from fixbook.events import ENDED, FAULT
from fixbook.log import MARKS
from fixbook.rows import WIDTH
from fixbook.source import Source, Stream
from one_line import FAILURES as ONE_LINE
from one_line import HEALTHY

QUIET = (
    "INFO 12-01 09:00:{0:02} [loader.py:7] shard {0} of 300 is in place\n",
    'time="2026-12-01T09:00:{0:02}Z" level=info msg="volume {0} is mounted"\n',
    "2026-12-01 09:00:{0:02},120 - cache - DEBUG - {0} blocks were looked at\n",
)
FAILURES = (
    "Error: disk quota exceeded at step 7",
    "error: the disk is full",
    "ERROR: the disk is full",
    "error[E0425]: cannot find the value",
    "FATAL: the database is gone",
    "FATAL 12-01 09:00:01 [db.py:3] the database is gone",
    "fatal: the repository is gone",
    "panic: the repository is gone",
    "thread 'main' panicked at src/main.rs:4",
    "terminate called without an active exception",
    "libc++abi: the object is gone",
    "Fatal Python error: none of the threads is alive",
    "Segmentation fault (core dumped)",
    "Bus error",
    "Illegal instruction",
    "Exception in thread Thread-3 (watch)",
    "Uncaught exception: the queue is gone",
    "Out of memory: Killed process 4307 (python)",
    "run.sh: line 3:  4307 Killed                  python serve.py",
    "the worker exited with code 3",
    "the worker: exitcode: -9",
    "Error response from daemon: the image is gone",
    "ASSERTION FAILED: the queue is empty",
    "a.cpp:12: Assertion `queue > 0' failed.",
    "npm ERR! the package is gone",
    "a.out: error while loading shared libraries: the library is gone",
    "ERROR 12-01 09:00:01 [core.py:3] the queue is gone",
    "[ERROR] the queue is gone",
    "2026-12-01 09:00:00,120 - core - ERROR - the queue is gone",
    "CRITICAL the queue is gone",
)
PREFIXES = ("", "2026-12-01T09:00:01Z ", "(EngineCore_DP0 pid=41) ", "[rank0]: ")
GOES_ON = 'INFO:     10.0.0.1:4 - "POST /v1/completions HTTP/1.1" 200 OK\n' * 3


@pytest.fixture(scope="module")
def book() -> Book:
    return fixbook.load()


def verdicts(book: Book, text: str) -> tuple[str, str]:
    """Read whole, and as a log that is too large for that."""
    data = text.encode()
    source = Source("large.log", 1 << 30, plain=True, opener=lambda: Stream(io.BytesIO(data)))
    return str(book.diagnose(text).verdict), str(book.diagnose_source(source).verdict)


def body(start: int) -> str:
    return "".join(QUIET[at % 3].format(at % 60) for at in range(start, start + 120))


def test_a_healthy_log_is_clean(book: Book) -> None:
    assert verdicts(book, body(0) + GOES_ON + body(120)) == ("clean", "clean")


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_of_one_line_is_seen(book: Book, failure: str) -> None:
    got = {prefix: verdicts(book, f"{body(0)}{prefix}{failure}\n{body(120)}") for prefix in PREFIXES}
    assert got[""] == ("unknown", "unknown")
    assert {prefix: large for prefix, (_, large) in got.items()} == {prefix: whole for prefix, (whole, _) in got.items()}


@pytest.mark.parametrize("failure", ONE_LINE)
def test_a_failure_that_no_entry_knows_is_unknown_in_both_readings(book: Book, failure: str) -> None:
    for prefix in ("", "2026-12-01T09:00:01Z "):
        log = "\n".join(prefix + line for line in failure.split("\n"))
        assert verdicts(book, f"{body(0)}{log}\n{body(120)}") == ("unknown", "unknown")


def test_their_healthy_neighbours_are_clean_in_both_readings(book: Book) -> None:
    assert verdicts(book, "\n".join([body(0), *HEALTHY, body(120)])) == ("clean", "clean")


def test_one_that_the_program_gets_over_is_none_in_either_reading(book: Book) -> None:
    nameless = [each for each in ONE_LINE if not each.startswith(("node1:", "Dec "))]  # what another process goes on doing tells nothing
    for failure in (FAILURES[1], *(each for each in nameless if FAULT.seen(each, each.lower()) or ENDED.seen(each, each.lower()))):
        assert verdicts(book, f"{body(0)}{failure}\n{GOES_ON}{body(120)}") == ("clean", "clean"), failure


def test_no_mark_is_shorter_than_what_is_searched_at_full_speed() -> None:
    assert min(len(mark.encode()) for texts in MARKS for mark in texts) >= WIDTH


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_are_a_log(book: Book, kind: type[bytes]) -> None:
    assert book.diagnose(kind(b"RuntimeError: query and key must have the same dtype")).verdict == "known"


@pytest.mark.parametrize(
    ("log", "says"),
    [
        (None, "a log is given as its text or its bytes, not as NoneType"),
        (5, "a log is given as its text or its bytes, not as int"),
        (Path("a.log"), "a log is given as its text or its bytes, not as PosixPath: read the file first"),
    ],
)
def test_what_is_no_log_is_refused_in_words(book: Book, log: Any, says: str) -> None:
    for ask in (book.diagnose, book.explain):
        with pytest.raises(TypeError, match=f"^{re.escape(says)}"):
            ask(log)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"tensor_parallel_size": 3}, "the fact 'tensor_parallel_size' is given as 3: .* as in {'tensor_parallel_size': '3'}$"),
        ({3: "x"}, "the fact 3 is given as 'x': "),
        ("platform=cuda", "facts are given as a mapping of names to texts, not as str$"),
    ],
)
def test_facts_that_are_no_texts_are_refused_by_name(book: Book, facts: Any, says: str) -> None:
    with pytest.raises(TypeError, match=f"^{says}"):
        book.diagnose("", facts)
    with pytest.raises(TypeError, match=f"^{says}"):
        next(book.follow("none.log", facts))
