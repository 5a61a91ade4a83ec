"""A log that grows is told piece by piece; many logs are read with all cores."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from fixbook.follow import News, follow, follow_pipe
from fixbook.index import Index, Probe
from fixbook.parallel import cores, in_order
from fixbook.searcher import Searcher

QUIET = "INFO all is well\n"
FAIL = "RuntimeError: query and key must have the same dtype\n"


@pytest.fixture
def searcher() -> Searcher:
    return Searcher(Index.build([Probe("dtype", "query and key must have the same dtype")]))


def waits(*steps: Callable[[], object]) -> Callable[[float], bool]:
    """Does one step at each third look, so that what came before is taken for complete; stops after the last."""
    left = [each for step in steps for each in (None, None, None, step)] + [None] * 3

    def wait(seconds: float) -> bool:
        if not left:
            return False
        step = left.pop(0)
        if step:
            step()
        return True

    return wait


def failures(news: Iterator[News]) -> list[tuple[int, bool]]:
    """Line of each failure that was not told before, and whether the log was rotated."""
    out = []
    for each in news:
        for text, first in each.regions.parts:
            for at, line in enumerate(text.split("\n")):
                if "same dtype" in line and first + at >= each.from_line:
                    out.append((first + at, each.rotated))
    return out


def test_what_is_written_later_is_told_with_its_line(tmp_path: Path, searcher: Searcher) -> None:
    path = tmp_path / "a.log"
    path.write_text(QUIET * 100 + FAIL)

    def append(text: str) -> Callable[[], object]:
        return lambda: path.open("a").write(text)

    wait = waits(append(QUIET * 5000), append(FAIL), append(QUIET + FAIL * 2))
    assert failures(follow(path, searcher, wait)) == [(101, False), (5102, False), (5104, False), (5105, False)]


def test_a_failure_that_is_written_in_pieces_is_told_once(tmp_path: Path, searcher: Searcher) -> None:
    path = tmp_path / "a.log"
    path.write_text(QUIET + FAIL[:20])
    wait = waits(lambda: path.open("a").write(FAIL[20:] + QUIET))
    assert failures(follow(path, searcher, wait)) == [(2, False)]


def test_a_log_that_is_moved_away_or_cut_goes_on_from_its_first_line(tmp_path: Path, searcher: Searcher) -> None:
    path = tmp_path / "a.log"
    path.write_text(QUIET * 50)

    def rotate() -> None:
        with path.open("a") as file:
            file.write(FAIL)
        path.rename(tmp_path / "a.log.1")
        path.write_text(QUIET + FAIL)

    wait = waits(rotate, lambda: path.write_text(FAIL))
    assert failures(follow(path, searcher, wait)) == [(51, False), (2, True), (1, True)]


@pytest.mark.parametrize("hole", [0, 500], ids=["grown", "with a hole"])
@pytest.mark.parametrize("from_end", [False, True])
def test_a_log_that_is_cut_and_has_grown_beyond_its_old_size_is_read_from_its_beginning(
    tmp_path: Path, searcher: Searcher, from_end: bool, hole: int
) -> None:
    """Between two looks; a writer that does not append leaves a hole where the log was."""
    path = tmp_path / "a.log"
    path.write_text("INFO the first start\n" + QUIET * 3)
    wait = waits(lambda: path.write_bytes(bytes(hole) + (FAIL + QUIET * 20).encode()), lambda: path.open("a").write(FAIL))
    assert failures(follow(path, searcher, wait, from_end=from_end)) == [(1, True), (22, False)]


def test_a_log_that_is_not_there_yet_is_waited_for(tmp_path: Path, searcher: Searcher) -> None:
    path = tmp_path / "later.log"
    assert failures(follow(path, searcher, waits(lambda: path.write_text(FAIL)))) == [(1, False)]


def test_from_the_end_on(tmp_path: Path, searcher: Searcher) -> None:
    path = tmp_path / "a.log"
    path.write_text(FAIL * 3)
    wait = waits(lambda: path.open("a").write(QUIET + FAIL))
    assert len(failures(follow(path, searcher, wait, from_end=True))) == 1


def test_a_pipe_is_told_before_it_ends(searcher: Searcher) -> None:
    read, write = os.pipe()
    told = threading.Event()

    def feed() -> None:
        os.write(write, (QUIET * 10 + FAIL).encode())
        told.wait(20)
        os.write(write, FAIL.encode())
        os.close(write)

    writer = threading.Thread(target=feed)
    writer.start()
    lines = []
    with os.fdopen(read, "rb", buffering=0) as stream:
        for news in follow_pipe(stream, "stdin", searcher):
            lines += failures(iter([news]))
            told.set()
    writer.join()
    assert lines == [(11, False), (12, False)]


# --- all cores --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_answers_come_in_the_order_of_the_items(jobs: int) -> None:
    factor = 7  # the work may be a closure: it is forked, not sent
    assert list(in_order(lambda item: item * factor, range(50), jobs)) == [item * 7 for item in range(50)]


def test_two_jobs_are_two_processes() -> None:
    assert len(set(in_order(lambda item: os.getpid(), range(100), 2))) <= 2
    assert os.getpid() not in set(in_order(lambda item: os.getpid(), range(100), 2))
    assert set(in_order(lambda item: os.getpid(), range(100), 1)) == {os.getpid()}


def test_items_are_asked_for_as_they_are_needed() -> None:
    asked = []

    def items() -> Iterator[int]:
        for item in range(1000):
            asked.append(item)
            yield item

    answers = in_order(str, items(), 2)
    assert next(answers) == "0"
    answers.close()  # type: ignore[attr-defined]
    assert len(asked) < 20


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_raised_in_its_turn(jobs: int) -> None:
    answers = in_order(lambda item: 1 // (3 - item), range(9), jobs)
    assert [next(answers) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(answers)


@pytest.mark.parametrize("how", [KeyboardInterrupt, GeneratorExit])
def test_nobody_works_on_when_nobody_waits(tmp_path: Path, how: type[BaseException]) -> None:
    """The interrupt of the parent alone, too: the others know nothing of it, and would work on."""

    def work(item: int) -> int:
        if item:
            time.sleep(3)
            (tmp_path / str(item)).touch()
        return item

    answers = in_order(work, range(9), 2)
    assert next(answers) == 0
    with pytest.raises(how):
        answers.throw(how())  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_dies_is_an_error() -> None:
    with pytest.raises(BrokenProcessPool):
        list(in_order(lambda item: os._exit(1), range(4), 2))


def test_cores() -> None:
    assert cores() >= 1
