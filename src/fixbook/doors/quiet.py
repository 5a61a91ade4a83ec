"""A command that says no more: what came so far is looked at, while the command goes on."""

import threading
import time
from collections.abc import Callable

from .record import Kept, Record

__all__ = ["OnQuiet", "Quiet"]

# Called when the command has been silent for a while, with what is kept and how many bytes came since the last time;
# gives what is to be said on stderr, or "".
OnQuiet = Callable[[Kept, int], str]


class Quiet:
    """Has the record looked at when nothing came for `after` seconds; in a thread, as the command may go on any time."""

    def __init__(self, record: Record, look: OnQuiet | None, after: float, wake: Callable[[], None]) -> None:
        self.since = time.monotonic()
        self._record = record
        self._look = look
        self._after = after
        self._wake = wake
        self._looked = 0  # size of the record when it was looked at
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._text = ""

    def patience(self) -> float | None:
        """How long to wait for anything to happen."""
        if self._look is None or self._looked == self._record.size:
            return None
        return max(self.since + self._after - time.monotonic(), 0.0) + 0.01

    def said(self, running: bool) -> str:
        """What is to be said now."""
        if self._thread is not None and self._done.is_set():
            self._thread = None
            self._done.clear()
            text, self._text = self._text, ""
            return text if running else ""
        new = self._record.size - self._looked
        due = self._look is not None and new > 0 and time.monotonic() - self.since >= self._after
        if running and due and self._thread is None:
            self._looked = self._record.size
            self._thread = threading.Thread(target=self._run, args=(self._record.kept(), new), name="fixbook-quiet", daemon=True)
            self._thread.start()
        return ""

    def _run(self, kept: Kept, new: int) -> None:
        assert self._look is not None  # `said` starts no thread without
        try:
            self._text = self._look(kept, new)
        finally:
            self._done.set()
            self._wake()
