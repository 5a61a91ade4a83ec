"""The same work on many files, with all cores: in processes, in the order of the files, without waiting for the slowest."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

__all__ = ["cores", "in_order"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_AHEAD = 4  # items a process that are begun before their turn: enough to keep all busy, few enough to hold their answers

# What the children do; they are forked with it, so that neither the work nor the book that it holds has to travel.
_work: Callable[[Any], Any] | None = None


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(work: Callable[[Item], Answer], items: Iterable[Item], jobs: int | None = None) -> Iterator[Answer]:
    """`work` of each item, in order. `jobs` processes, as many as there are cores when left out.

    Items and answers must be picklable. Where processes cannot be forked, or for one job or item, all is done here. What `work` raises is
    raised here, in its turn; a child that dies raises BrokenProcessPool.
    """
    jobs = cores() if jobs is None else jobs
    rest = iter(items)
    first = list(islice(rest, 2))
    if jobs < 2 or len(first) < 2 or not hasattr(os, "fork"):
        for item in (*first, *rest):
            yield work(item)
        return
    yield from _forked(work, (item for part in (first, rest) for item in part), jobs)


def _forked(work: Callable[[Item], Answer], items: Iterator[Item], jobs: int) -> Iterator[Answer]:
    global _work
    _work = work
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("fork"))
    waiting: deque[Future[Any]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(_do, item))
            if len(waiting) >= jobs * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        # Nobody waits for the rest: Ctrl-C, a reader that is gone. What is begun may take minutes, also for those that were sent no signal.
        for child in set(active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        _work = None


def _do(item: Any) -> Any:
    assert _work is not None
    return _work(item)
