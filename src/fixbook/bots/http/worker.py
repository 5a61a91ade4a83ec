"""A worker: a process that loads the book, says what it loaded, and answers one task after the other until its input ends."""

import os
import pickle
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import FixbookError
from ...masked import masked
from .answering import answer
from .frames import pack, read
from .settings import ServeSettings
from .task import Answer, Task, problem

if TYPE_CHECKING:
    from ...api import Book

__all__ = ["main", "start_header"]


def main() -> int:
    """Reads frames from stdin, writes frames to what was stdout. 1 when the book cannot be loaded."""
    stdin, stdout = _streams()
    first = read(stdin)
    if first is None:
        return 0
    settings = ServeSettings(**{**first[0], "kb": tuple(first[0]["kb"])})
    try:
        book = _book(settings, first[1])
    except FixbookError as error:
        _send(stdout, pack({"ready": False, "problems": [str(error)]}))
        return 1
    _warm(book)
    _send(stdout, pack(_hello(book), b"" if first[1] else pickle.dumps(book)))
    while (frame := read(stdin)) is not None:
        done = _done(book, Task.of_header(frame[0]), frame[1], settings)
        _send(stdout, pack(done.to_header(), done.body))
    return 0


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes. What anything prints goes to stderr, so that it cannot break a frame."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends its workers
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, output


def _send(stdout: BinaryIO, frame: bytes) -> None:
    stdout.write(frame)
    stdout.flush()


def _book(settings: ServeSettings, snapshot: bytes) -> "Book":
    """The book of the first worker, or the one on disk. The snapshot comes from another worker of the same server."""
    from ...api import load

    if not snapshot:
        return load(*settings.kb, shipped=settings.shipped)
    book: Book = pickle.loads(snapshot)
    return book


def _hello(book: "Book") -> dict[str, Any]:
    problems = [f"{each.where}: {each.what}" for each in book.problems if each.severity == "error"]
    info = book.info
    return {"ready": True, "problems": problems, "book": {"version": info.version, "digest": info.digest, "entries": info.entries}}


def _warm(book: "Book") -> None:
    """Uses the book once, so that the first request does not wait for imports."""
    sample = next((sample.text for article in book.entries for sample in article.entry.samples if sample.expect), "")
    report = book.diagnose(sample)
    for format in ("json", "text", "markdown", "html", "slack"):
        masked(report).render(format)


def _done(book: "Book", task: Task, body: bytes, settings: ServeSettings) -> Answer:
    try:
        return answer(book, task, body, settings)
    except Exception as error:
        # The message of an exception may quote the log, which is not ours to write down; where it happened may be.
        print(f"fixbook: {task.action}: {type(error).__name__} at {_place(error)}", file=sys.stderr, flush=True)
        return problem(500, "the server could not answer; its log has the place")


def _place(error: BaseException) -> str:
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)
    return " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames[-4:]))


def start_header(settings: ServeSettings) -> Mapping[str, Any]:
    """What a worker is told first: everything but the token, which it does not need."""
    return {**asdict(settings), "token": ""}


if __name__ == "__main__":
    sys.exit(main())
