"""The worker processes: who is idle, who is ended because it took too long, and how a new book takes over."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress
from typing import Any

from .frames import pack, receive
from .settings import ServeSettings
from .task import Answer, Task
from .worker import start_header

__all__ = ["BookRefusedError", "CrashedError", "Pool", "TooLongError"]

_START_TIME = 120.0  # seconds to load a book
_CLOSE_TIME = 5.0


class TooLongError(Exception):
    """The answer took longer than its limit; the worker was ended."""


class CrashedError(Exception):
    """The worker ended while it worked."""


class BookRefusedError(Exception):
    """A book that does not replace the one in use, with what is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class _Worker:
    """One process. `hello` is what it said of its book, `snapshot` the book itself for the workers after it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.hello: dict[str, Any] = {}
        self.snapshot = b""
        self.retired = False

    @classmethod
    async def start(cls, settings: ServeSettings, snapshot: bytes = b"") -> "_Worker":
        """A process that has loaded the book, from `snapshot` if there is one. Raises BookRefusedError when it cannot."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "fixbook.bots.http.worker", stdin=PIPE, stdout=PIPE, limit=2**20
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_TIME):
                worker.hello, worker.snapshot = await worker._ask(pack(dict(start_header(settings)), snapshot))
        except (asyncio.IncompleteReadError, TimeoutError, OSError) as error:
            raise BookRefusedError(["a worker ended before it had loaded the book"]) from error
        finally:
            if not worker.hello.get("ready"):
                worker.kill()
        if not worker.hello["ready"]:
            raise BookRefusedError(worker.hello["problems"])
        return worker

    async def _ask(self, frame: bytes) -> tuple[dict[str, Any], bytes]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(frame)
        # Written and read at once: a worker that answers before it has read everything would wait for a reader.
        _, answered = await asyncio.gather(self._drain(), receive(self._process.stdout))
        return answered

    async def _drain(self) -> None:
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # told by the reader's side
            await self._process.stdin.drain()

    async def work(self, task: Task, body: bytes, limit: float) -> Answer:
        """Raises TooLongError or CrashedError, after which the process is no more."""
        try:
            async with asyncio.timeout(limit):
                header, data = await self._ask(pack(task.to_header(), body))
        except TimeoutError as error:
            self.kill()
            raise TooLongError from error
        except (asyncio.IncompleteReadError, OSError) as error:
            self.kill()
            raise CrashedError from error
        except BaseException:  # cancelled in the middle of a frame
            self.kill()
            raise
        return Answer.of_header(header, data)

    @property
    def alive(self) -> bool:
        """False once its end of the pipe is closed, which is seen before the process is."""
        output = self._process.stdout
        return self._process.returncode is None and output is not None and not output.at_eof()

    def kill(self) -> None:
        self.retired = True
        with suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> None:
        """Lets the process end by itself; kills one that does not."""
        self.retired = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(_CLOSE_TIME):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()


class Pool:
    """A number of workers on one book. Callers wait in the order in which they came."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self._workers: list[_Worker] = []
        self._idle: deque[_Worker] = deque()
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._snapshot = b""  # the book in use: a worker in place of a lost one must not see what was edited since
        self.hello: dict[str, Any] = {}
        self.lost = 0  # workers that ended or were ended

    @property
    def alive(self) -> int:
        return sum(worker.alive for worker in self._workers)

    @property
    def idle(self) -> int:
        return sum(worker.alive for worker in self._idle)

    async def start(self) -> None:
        """Starts the workers. Raises BookRefusedError."""
        await self._replace(await self._started())

    async def reload(self) -> None:
        """Starts workers on the book as it is now and puts them in place of the others, which finish what they are at.

        A book with problems is refused: raises BookRefusedError, and the old workers stay.
        """
        workers = await self._started()
        problems = workers[0].hello["problems"]
        if problems:
            await asyncio.gather(*(worker.close() for worker in workers))
            raise BookRefusedError(problems)
        await self._replace(workers)

    async def _started(self) -> list[_Worker]:
        """One first, which finds out whether the book is good; then the others."""
        first = await _Worker.start(self._settings)
        if first.hello["problems"] and self._workers:
            return [first]
        others = await asyncio.gather(*(_Worker.start(self._settings, first.snapshot) for _ in range(self._settings.workers - 1)))
        return [first, *others]

    async def _replace(self, workers: list[_Worker]) -> None:
        old, self._workers = self._workers, workers
        self.hello, self._snapshot = workers[0].hello, workers[0].snapshot
        idle = list(self._idle)
        self._idle.clear()
        for worker in old:
            worker.retired = True
        for worker in workers:
            self._release(worker)
        await asyncio.gather(*(worker.close() for worker in idle))

    async def run(self, task: Task, body: bytes) -> Answer:
        """The answer of the next idle worker. Raises TimeoutError when none came free, TooLongError or CrashedError."""
        async with asyncio.timeout(self._settings.queue_time):
            worker = await self._acquire()
        try:
            return await worker.work(task, body, self._settings.time_limit)
        finally:
            self._after(worker)

    async def _acquire(self) -> _Worker:
        while self._idle:
            worker = self._idle.popleft()
            if worker.alive:
                return worker
            self._renew(worker)  # it ended while it was idle
        future: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._release(future.result())
            raise

    def _release(self, worker: _Worker) -> None:
        """Gives the worker to who waits longest, else lays it aside."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        self._idle.append(worker)

    def _after(self, worker: _Worker) -> None:
        if worker not in self._workers:  # of an older book
            self._spawn(worker.close())
        elif worker.retired or not worker.alive:
            self._renew(worker)
        else:
            self._release(worker)

    def _renew(self, worker: _Worker) -> None:
        self.lost += 1
        if worker in self._workers:
            self._workers.remove(worker)
        if not self._closing:
            self._spawn(self._add())

    async def _add(self) -> None:
        """One worker in place of a lost one; tried until there is one, because with none left the server is of no use."""
        pause = 0.5
        while not self._closing:
            try:
                worker = await _Worker.start(self._settings, self._snapshot)
            except BookRefusedError:
                await asyncio.sleep(pause)
                pause = min(pause * 2, 30)
                continue
            if len(self._workers) < self._settings.workers:
                self._workers.append(worker)
                self._release(worker)
            else:  # a new book came in between
                await worker.close()
            return

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Ends all workers."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(worker.close() for worker in self._workers), return_exceptions=True)
