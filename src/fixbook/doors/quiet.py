"""A command that goes on after it has failed: what came so far is looked at while it runs.

Two occasions. *Silence*: nothing came for a while. *Chatter*: a server without its engine goes on answering probes, so a look is taken
from time to time also while output comes, ever more rarely where there was nothing to say.
"""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from .record import Kept, Record

__all__ = ["Look", "OnQuiet", "Quiet"]

_RAREST = 600.0  # seconds between two looks into a command that prints


class Look(NamedTuple):
    """What is kept of an output, how many bytes came since the last look, and whether the command is silent."""

    kept: Kept
    new: int
    silent: bool


# Gives what is to be said on stderr, or "". None: there may be something to say, if the next look, which is to come soon, still shows it.
OnQuiet = Callable[[Look], str | None]


class Quiet:
    """Has the record looked at when nothing came for `after` seconds, and from time to time; in a thread, as the command goes on."""

    def __init__(self, record: Record, look: OnQuiet | None, after: float, wake: Callable[[], None]) -> None:
        self.since = time.monotonic()
        self._record = record
        self._look = look
        self._after = after
        self._wait = after  # until the next look while output comes
        self._last = self.since
        self._soonest = self.since
        self._wake = wake
        self._looked = 0  # size of the record when it was looked at
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._text: str | None = ""

    def patience(self) -> float | None:
        """How long to wait for anything to happen."""
        if self._look is None or self._looked == self._record.size:
            return None
        return max(self._due() - time.monotonic(), 0.0) + 0.01

    def said(self, running: bool) -> str:
        """What is to be said now."""
        if self._thread is not None:
            return self._answer(running) if self._done.is_set() else ""
        new, now = self._record.size - self._looked, time.monotonic()
        if running and self._look is not None and new > 0 and now >= self._due():
            look = Look(self._record.kept(), new, now - self.since >= self._after)
            self._looked, self._last = self._record.size, now
            self._thread = threading.Thread(target=self._run, args=(look,), name="fixbook-quiet", daemon=True)
            self._thread.start()
        return ""

    def _due(self) -> float:
        return max(min(self.since + self._after, self._last + self._wait), self._soonest)

    def _answer(self, running: bool) -> str:
        self._thread = None
        self._done.clear()
        text, self._text = self._text, ""
        if text is None:  # all of it is looked at again, also when nothing more comes
            self._looked, self._wait = 0, self._after
            self._soonest = time.monotonic() + self._after
            return ""
        self._wait = min(2 * self._wait, _RAREST)
        return text if running else ""

    def _run(self, look: Look) -> None:
        assert self._look is not None  # `said` starts no thread without
        try:
            self._text = self._look(look)
        finally:
            self._done.set()
            self._wake()
