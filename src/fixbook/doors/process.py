"""Starts a command so that it sees what it would see without a runner: a terminal where there is one, pipes where there are pipes.

Two ways. *Session*: input and output are a terminal; the command gets a pseudo-terminal and a session of its own, with job control.
*Plain*: the command stays in the runner's process group with the runner's input; what it prints goes through pipes, or through a
pseudo-terminal that is for output only.
"""

import errno
import fcntl
import os
import resource
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

__all__ = ["Channel", "Child", "NotStartedError", "RawTerminal", "peak", "start"]

_OUT, _ERR = 1, 2
_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl
_LOOK = 0.5  # seconds between two looks whether the runner is still there
_SHELL = 128  # a shell's exit code is that much more than the signal


class NotStartedError(Exception):
    """The command could not be executed; `number` is the errno."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(os.strerror(number))


@dataclass(frozen=True, slots=True)
class Channel:
    """What is read from `source` is to be written to the runner's own `target`."""

    source: int
    target: int


@dataclass(slots=True)
class Child:
    """A command that was started. `leader` is the process of ours that its end shows by; in plain mode the command itself."""

    pid: int
    leader: int
    channels: tuple[Channel, ...]
    session: bool = False
    typed: int = -1  # session: where keys are written to
    status: int = -1  # session: tells stops and the end, as `stop`, `exit 256 4096`: wait status, peak memory
    release: int = -1  # session: closed when the terminal is no longer needed
    screens: tuple[tuple[int, int], ...] = field(default=())  # (terminal, pseudo-terminal) whose sizes go together

    def resize(self) -> None:
        """Gives the pseudo-terminals the size of the terminal."""
        for real, pseudo in self.screens:
            with suppress(OSError):
                termios.tcsetwinsize(pseudo, termios.tcgetwinsize(real))


def start(command: Sequence[str], mask: Iterable[int]) -> Child:
    """Starts `command` with the signal mask `mask`. Raises NotStartedError."""
    failed, fails = os.pipe()
    child = _start_session(command, fails, mask) if _is_interactive() else _start_plain(command, fails, mask)
    os.close(fails)
    with os.fdopen(failed, "rb") as stream:
        number = stream.read()  # ends when the command is executed: the other end is closed then
    if number:
        for channel in child.channels:
            os.close(channel.source)
        if child.session:
            os.close(child.release)
        os.waitpid(child.leader, 0)
        raise NotStartedError(int(number))
    return child


def _is_interactive() -> bool:
    """Whether input and output are a terminal on which this process is in the foreground."""
    try:
        return os.isatty(0) and os.isatty(_OUT) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


# --- in the runner's own session --------------------------------------------------------------------------------------------------


def _start_plain(command: Sequence[str], fails: int, mask: Iterable[int]) -> Child:
    sources: list[int] = []
    sinks: list[int] = []
    screens: list[tuple[int, int]] = []
    targets = (_OUT,) if _are_one(_OUT, _ERR) else (_OUT, _ERR)
    for target in targets:
        source, sink = _screen(target, screens) if os.isatty(target) else os.pipe()
        sources.append(source)
        sinks.append(sink)
    runner = os.getpid()
    pid = os.fork()
    if pid == 0:
        _end_with(runner)
        _become(command, (0, sinks[0], sinks[-1]), fails, mask)
    for sink in sinks:
        os.close(sink)
    return Child(pid, pid, tuple(map(Channel, sources, targets)), screens=tuple(screens))


def _end_with(runner: int) -> None:
    """Runs in the child: a runner that is killed cannot pass that on, so the kernel does where it can."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != runner:  # it was killed before
        os._exit(_SHELL + signal.SIGTERM)


def _are_one(first: int, second: int) -> bool:
    """Whether two descriptors write to the same place, so that the order of what comes on both is kept."""
    try:
        one, other = os.fstat(first), os.fstat(second)
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def _screen(target: int, screens: list[tuple[int, int]]) -> tuple[int, int]:
    """A pseudo-terminal for output: it changes nothing, because the real terminal behind it does what a terminal does."""
    source, sink = os.openpty()
    attributes = termios.tcgetattr(sink)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(sink, termios.TCSANOW, attributes)
    termios.tcsetwinsize(sink, termios.tcgetwinsize(target))
    screens.append((target, source))
    return source, sink


# --- in a session of its own ------------------------------------------------------------------------------------------------------


def _start_session(command: Sequence[str], fails: int, mask: Iterable[int]) -> Child:
    """The command under a leader, which keeps the session when the command ends: its children may still have something to say."""
    pseudo, terminal = os.openpty()
    termios.tcsetattr(terminal, termios.TCSANOW, termios.tcgetattr(0))
    termios.tcsetwinsize(terminal, termios.tcgetwinsize(0))
    apart = None if os.isatty(_ERR) else os.pipe()
    status, says = os.pipe()
    held, release = os.pipe()
    leader = os.fork()
    if leader == 0:
        for number in (pseudo, status, release, *(apart[:1] if apart else ())):
            os.close(number)
        _lead(command, (terminal, terminal, apart[1] if apart else terminal), (fails, says, held), mask)
    for number in (terminal, says, held, *(apart[1:] if apart else ())):
        os.close(number)
    pid = int(os.read(status, 16) or leader)
    channels = [Channel(pseudo, _OUT), *([Channel(apart[0], _ERR)] if apart else [])]
    return Child(pid, leader, tuple(channels), True, os.dup(pseudo), status, release, ((0, pseudo),))


def _lead(command: Sequence[str], streams: tuple[int, int, int], pipes: tuple[int, int, int], mask: Iterable[int]) -> None:
    """Runs in the leader; does not return."""
    fails, says, held = pipes
    terminal = streams[0]
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        # Taking the terminal from the background stops a process, unless it does not listen.
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
        os.tcsetpgrp(terminal, os.getpid())
        _become(command, streams, fails, mask)
    os.write(says, b"%d" % pid)
    for number in {*streams, fails, 0, _OUT, _ERR}:
        os.close(number)
    while True:
        changed, status, usage = os.wait4(pid, os.WUNTRACED | os.WNOHANG)
        if not changed:
            _await_change(pid, held)
            continue
        stopped = os.WIFSTOPPED(status)
        os.write(says, b"stop\n" if stopped else b"exit %d %d\n" % (status, peak(usage)))
        if not stopped:
            break
    os.close(says)
    os.read(held, 1)  # comes back when the runner lets go, or is gone
    os._exit(0)


def _await_change(pid: int, held: int) -> None:
    """Returns when a child of this process may have changed. A runner that is gone is a terminal that was closed: that ends the command."""
    if select.select((held,), (), (), 0)[0]:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGHUP)
            os.killpg(pid, signal.SIGCONT)  # one that is stopped has to hear it
        os._exit(_SHELL + signal.SIGHUP)
    if hasattr(signal, "sigtimedwait"):  # the runner holds SIGCHLD back, and so does this process
        signal.sigtimedwait((signal.SIGCHLD,), _LOOK)
    else:
        time.sleep(_LOOK / 5)


def peak(usage: resource.struct_rusage) -> int:
    """Bytes of memory that the largest of the processes had at most."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _become(command: Sequence[str], streams: tuple[int, int, int], fails: int, mask: Iterable[int]) -> None:
    """Runs in the child: the command instead of this program. Does not return."""
    for number, stream in enumerate(streams):
        if number == stream:
            os.set_inheritable(number, True)
        else:
            os.dup2(stream, number)
    for each in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(each, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # who calls may want it ignored: nohup, `… &`
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        os.write(fails, b"%d" % (error.errno or errno.ENOENT))
    except ValueError:  # an empty name
        os.write(fails, b"%d" % errno.ENOENT)
    finally:
        os._exit(127)


class RawTerminal:
    """The real terminal while a session runs: every key goes to the command, every byte from it to the screen."""

    def __init__(self) -> None:
        self._before = termios.tcgetattr(0)

    def enter(self) -> None:
        tty.setraw(0, termios.TCSADRAIN)

    def leave(self) -> None:
        termios.tcsetattr(0, termios.TCSADRAIN, self._before)
