"""Signals of a runner, passed on to its command. They are waited for in a thread, so that a blocked output does not hold them up."""

import os
import signal
import threading
from contextlib import suppress

from .process import Child

__all__ = ["SIGNALS", "Signals"]

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
SIGNALS = (*_STOPS, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCHLD)
_KERNEL = 0  # a signal with a greater code comes from the kernel: a key of the terminal, its hang-up


class Signals:
    """Holds the signals back from its beginning to `stop`; passes them on from `start`."""

    def __init__(self) -> None:
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.wakes, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self.wakes, False)
        self.asked = False  # somebody asked the command to stop
        self._child: Child | None = None
        self._thread: threading.Thread | None = None
        self._done = False

    def start(self, child: Child) -> None:
        self._child = child
        self._thread = threading.Thread(target=self._pass_on, name="fixbook-signals", daemon=True)
        self._thread.start()
        self.wake()  # what happened before the thread was there

    def wake(self) -> None:
        """Makes `wakes` readable."""
        with suppress(BlockingIOError):
            os.write(self._wake, b"!")

    def stop(self) -> None:
        """Ends the passing on and gives the process its signals back."""
        self._done = True
        if self._thread is not None and self._thread.ident is not None:
            signal.pthread_kill(self._thread.ident, signal.SIGCHLD)
            self._thread.join()
        with suppress(AttributeError):  # where a signal cannot be waited for without taking it
            while signal.sigtimedwait((signal.SIGCHLD, signal.SIGWINCH), 0):
                pass
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)
        os.close(self._wake)
        os.close(self.wakes)

    def _pass_on(self) -> None:
        while not self._done:
            number, code = _next()
            if number == signal.SIGCHLD:
                self.wake()
            else:
                self._deliver(number, code)

    def _deliver(self, number: int, code: int) -> None:
        child = self._child
        if child is None or self._done:
            return
        if number == signal.SIGWINCH:
            child.resize()
        if number in _STOPS:
            self.asked = True
        # What a key of the terminal sent to the whole process group has reached the command already.
        if child.session or code <= _KERNEL or number not in _STOPS:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child.pid, number)


def _next() -> tuple[int, int]:
    """The next signal and its code; without codes, as on macOS, those that keys send count as sent by the terminal."""
    wait = getattr(signal, "sigwaitinfo", None)
    if wait is not None:
        info = wait(SIGNALS)
        return info.si_signo, info.si_code
    number = signal.sigwait(SIGNALS)
    return number, int(number in (signal.SIGINT, signal.SIGQUIT))
