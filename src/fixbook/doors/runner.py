"""Runs a command, passes on what it prints unchanged and at once, and keeps a bounded record of it."""

import errno
import os
import select
import selectors
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .process import Channel, Child, RawTerminal, peak, start
from .quiet import OnQuiet, Quiet
from .record import Record
from .signals import Signals

__all__ = ["Ended", "die_interrupted", "run"]

_PIECE = 1 << 16
_LINGER = 1.0  # seconds without output after which the children of an ended command are left to themselves
_LAST = 10.0  # seconds after which they are, however much they print


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `code` is what a shell would give: 128 + n for the signal n."""

    code: int
    signal: int | None
    pid: int
    asked: bool  # somebody asked it to stop: Ctrl-C, SIGTERM
    peak: int  # bytes of memory that the largest of its processes had; 0 where nothing tells
    trouble: str  # what kept its output from being passed on; ""
    typed: bool  # the key that interrupts was typed, and reached nobody but the command
    record: Record


def run(command: Sequence[str], on_quiet: OnQuiet | None = None, quiet: float = 30.0) -> Ended:
    """Runs to the end. Raises NotStartedError."""
    signals = Signals()
    try:
        child = start(command, signals.mask)
        signals.start(child)
        pump = _Pump(child, signals, on_quiet, quiet)
        status = pump.run()
    finally:
        signals.stop()
    _let_go(child, pump.channels)
    code = os.waitstatus_to_exitcode(status)
    asked = signals.asked or pump.interrupted
    return Ended(
        code if code >= 0 else 128 - code,
        -code if code < 0 else None,
        pump.pid,
        asked,
        pump.peak,
        pump.trouble,
        pump.interrupted,
        pump.record,
    )


def die_interrupted(ended: Ended) -> None:
    """Ends this process as the command ended, where an interrupt did that: loops and scripts of a shell go on behind anything else.

    Comes back where it was no interrupt, and in the first process of a container, which cannot end itself so.
    """
    if not (ended.asked and ended.signal == signal.SIGINT):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # On a terminal the key would have reached the script around the command, too.
    os.kill(0 if ended.typed else os.getpid(), signal.SIGINT)


class _Pump:
    """One loop over all that can happen."""

    def __init__(self, child: Child, signals: Signals, on_quiet: OnQuiet | None, quiet: float) -> None:
        self.record = Record()
        self.channels = list(child.channels)
        self.interrupted = False  # the key that interrupts was typed
        self.pid = child.pid
        self._child = child
        self._signals = signals
        self.peak = 0
        self.trouble = ""
        self._status: int | None = None
        self._ended_at = 0.0
        self._raw = RawTerminal() if child.session else None
        self._typed = bytearray()
        self._quiet = Quiet(self.record, on_quiet, quiet, signals.wake)
        self._events = selectors.DefaultSelector()

    def run(self) -> int:
        """The wait status of the command."""
        self._register(self._signals.wakes, self._woken)
        for channel in self.channels:
            self._register(channel.source, self._print, channel)
        if self._child.session:
            self._register(self._child.status, self._told)
            self._register(0, self._key)
        if self._raw:
            self._raw.enter()
        try:
            while not self._is_done():
                for key, _ in self._events.select(self._patience()):
                    action, arguments = key.data
                    action(*arguments)
                if not self.channels:
                    self._reap()
                self._say(self._quiet.said(self._status is None))
        finally:
            if self._raw:
                self._raw.leave()
            self._events.close()
        assert self._status is not None  # that is what being done means
        return self._status

    def _register(self, number: int, action: Callable[..., None], *arguments: Any, event: int = selectors.EVENT_READ) -> None:
        with suppress(KeyError, PermissionError):  # a file as input can always be read: a terminal it is not
            self._events.register(number, event, (action, arguments))

    def _is_done(self) -> bool:
        if self._status is None:
            return False
        now = time.monotonic()
        silent = now - max(self._quiet.since, self._ended_at)
        return not self.channels or silent >= _LINGER or now - self._ended_at >= _LAST

    def _patience(self) -> float | None:
        return 0.1 if self._status is not None or not self.channels else self._quiet.patience()

    # --- what can happen ----------------------------------------------------------------------------------------------------------

    def _print(self, channel: Channel) -> None:
        try:
            data = os.read(channel.source, _PIECE)
        except BlockingIOError:
            return
        except OSError as error:  # a pseudo-terminal whose last user is gone
            if error.errno != errno.EIO:
                raise
            data = b""
        trouble = _write(channel.target, data) if data else None
        if data and trouble is None:
            self.record.add(data, channel.target)
            self._quiet.since = time.monotonic()
            return
        # At its end; or nobody reads any more, and the command is to notice.
        if trouble is not None and trouble.errno != errno.EPIPE:
            self.trouble = os.strerror(trouble.errno or 0)
        self._close(channel)

    def _close(self, channel: Channel) -> None:
        self.channels.remove(channel)
        self._child.screens = tuple(pair for pair in self._child.screens if pair[1] != channel.source)
        for number in (channel.source, *((self._child.typed,) if self._child.session and channel.target == 1 else ())):
            with suppress(KeyError):
                self._events.unregister(number)
            os.close(number)

    def _woken(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._signals.wakes, 4096)
        self._reap()

    def _reap(self) -> None:
        """Whether the command has ended; in a session its leader tells."""
        if not self._child.session and self._status is None:
            pid, status, usage = os.wait4(self._child.leader, os.WNOHANG)
            if pid:
                self._end(status, peak(usage))

    def _told(self) -> None:
        """The leader of the session has news."""
        lines = os.read(self._child.status, 4096).split(b"\n")
        for line in lines:
            word, _, numbers = line.partition(b" ")
            if word == b"exit":
                self._end(*map(int, numbers.split()))
            elif word == b"stop":
                self._suspend()
        if lines == [b""]:
            self._events.unregister(self._child.status)
            if self._status is None:  # the leader was killed
                self._end(signal.SIGKILL)

    def _end(self, status: int, peak: int = 0) -> None:
        self._status = status
        self.peak = peak
        self._ended_at = time.monotonic()

    def _suspend(self) -> None:
        """The command was stopped from its keyboard: so is this process, until the shell lets both go on.

        With its whole group, as the key would do it: a script around it that went on waiting would keep the terminal from the shell.
        """
        if self._raw:
            self._raw.leave()
        os.kill(0, signal.SIGTSTP)
        if self._raw:
            self._raw.enter()
        self._child.resize()
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGCONT)

    def _key(self) -> None:
        """Something was typed."""
        with suppress(BlockingIOError):
            try:
                data = os.read(0, 4096)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                data = b""  # the terminal is gone
            if not data:
                self._events.unregister(0)
            self.interrupted = self.interrupted or b"\x03" in data
            if not self._typed and self.channels:
                self._register(self._child.typed, self._type, event=selectors.EVENT_WRITE)
            self._typed += data

    def _type(self) -> None:
        try:
            count = os.write(self._child.typed, self._typed[:1024])
        except OSError:
            count = len(self._typed)
        del self._typed[:count]
        if not self._typed:
            self._events.unregister(self._child.typed)

    def _say(self, text: str) -> None:
        if text:
            _write(2, text.replace("\n", "\r\n" if self._raw else "\n").encode("utf-8", "backslashreplace"))


def _write(target: int, data: bytes) -> OSError | None:
    """Writes all; gives what kept it from that: there is nobody to read it, a disk is full."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:  # somebody else made it so
            select.select((), (target,), ())
        except OSError as error:
            return error
    return None


def _let_go(child: Child, channels: Sequence[Channel]) -> None:
    """Ends what served the command. Where it left behind who still prints, a process of its own passes that on to its end."""
    if channels and not os.fork():
        _pass_on(channels)
    if child.session:
        os.close(child.release)
        os.close(child.status)
        if not channels:
            os.waitpid(child.leader, 0)
    for channel in channels:
        os.close(channel.source)


def _pass_on(channels: Sequence[Channel]) -> None:
    """Does not return."""
    try:
        os.setsid()  # no key of the terminal is meant for it
        while channels:
            ready, _, _ = select.select([channel.source for channel in channels], (), ())
            ended = [channel for channel in channels if channel.source in ready and not _passed(channel)]
            channels = [channel for channel in channels if channel not in ended]
    finally:
        os._exit(0)


def _passed(channel: Channel) -> bool:
    try:
        data = os.read(channel.source, _PIECE)
    except OSError:
        return False
    return bool(data) and _write(channel.target, data) is None
