"""What the routes share: the pool behind its queue, the counters, and the book that is watched."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from .metrics import Metrics
from .pool import BookRefusedError, CrashedError, Pool, TooLongError
from .settings import ServeSettings
from .task import Answer, Task, problem
from .watch import Fingerprint, fingerprint, watched

__all__ = ["Service"]

_log = logging.getLogger("fixbook.http")
_SHOWN = 20  # problems of a refused book that /readyz lists


class Service:
    """One server's state. Lives in one event loop."""

    def __init__(self, settings: ServeSettings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.pool = Pool(settings)
        self.inside = 0  # requests between the door and their answer
        self.refused: list[str] = []  # what is wrong with the edit that was not taken over
        self.loaded_at = ""
        self._reloading = asyncio.Lock()
        self._folders = watched(settings.kb, settings.shipped)
        self._seen: Fingerprint = frozenset()
        self._watcher: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Starts the workers and the watch. Raises BookRefusedError."""
        self._seen = await asyncio.to_thread(fingerprint, self._folders)
        await self.pool.start()
        self._say_loaded()
        for each in self.pool.hello["problems"]:
            _log.warning("left out: %s", each)
        if self.settings.watch:
            self._watcher = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
        await self.pool.close()

    @property
    def full(self) -> bool:
        """Whether a further request would wait behind more than the queue holds."""
        return self.inside >= self.settings.workers + self.settings.queue

    async def answer(self, task: Task, body: bytes) -> Answer:
        """The answer to a task; a problem where there is none."""
        try:
            try:
                answer = await self.pool.run(task, body)
            except CrashedError:  # it may have been dead when it got the task; a task that kills workers gets no third one
                answer = await self.pool.run(task, body)
        except TooLongError:
            _log.warning("%s: ended after %g s", task.action, self.settings.time_limit)
            return problem(504, f"the answer took longer than {self.settings.time_limit:g} s: send the part of the log with the failure")
        except CrashedError:
            _log.error("%s: two workers ended while they worked on it", task.action)
            return problem(500, "two workers ended while they worked on this request")
        except TimeoutError:
            return problem(503, "no worker came free")
        if answer.verdict:
            self.metrics.diagnosis(answer.verdict, answer.entries)
        return answer

    async def reload(self) -> bool:
        """Takes over the book as its files are now. False when it has problems: then the old one stays, and `refused` says why."""
        async with self._reloading:
            try:
                await self.pool.reload()
            except BookRefusedError as error:
                self.refused = error.problems[:_SHOWN]
                self.metrics.reload(ok=False)
                for each in self.refused:
                    _log.error("edited book not taken over: %s", each)
                return False
            self.refused = []
            self.metrics.reload(ok=True)
            self._say_loaded()
            return True

    def _say_loaded(self) -> None:
        self.loaded_at = datetime.now(UTC).isoformat(timespec="seconds")
        book = self.pool.hello["book"]
        _log.info("book %s: %s entries", book["digest"], book["entries"])

    async def _watch(self) -> None:
        """Reloads once the files have changed and then stand still for one look: an editor may be writing several."""
        pending = self._seen
        while True:
            await asyncio.sleep(self.settings.watch)
            now = await asyncio.to_thread(fingerprint, self._folders)
            if now != self._seen and now == pending:
                self._seen = now
                await self.reload()
            pending = now

    def status(self) -> Mapping[str, object]:
        """What /readyz says."""
        return {
            "ready": self.pool.alive > 0,
            "book": {**self.pool.hello["book"], "loaded_at": self.loaded_at, "left_out": len(self.pool.hello["problems"])},
            "reload": {"ok": not self.refused, "problems": self.refused},
            "workers": {"alive": self.pool.alive, "idle": self.pool.idle},
        }

    def metrics_text(self) -> str:
        gauges = {
            "fixbook_book_entries": ("Entries of the book in use.", self.pool.hello["book"]["entries"]),
            "fixbook_reload_refused": ("1 while the files of the book have problems and an older one is in use.", int(bool(self.refused))),
            "fixbook_requests_inside": ("Requests that wait or are worked on.", self.inside),
            "fixbook_workers_alive": ("Worker processes.", self.pool.alive),
            "fixbook_workers_idle": ("Worker processes without work.", self.pool.idle),
            "fixbook_workers_lost_total": ("Worker processes that ended or were ended at work.", self.pool.lost),
        }
        return self.metrics.text(gauges, self.pool.hello["book"])
