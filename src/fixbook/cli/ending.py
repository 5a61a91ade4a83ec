"""How a command ended, in words: what was seen, and what to look at where the program itself had no time to say anything."""

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .console import lines

if TYPE_CHECKING:
    from ..doors.record import Kept
    from ..doors.runner import Ended
    from ..model import Lang

__all__ = ["advice", "memory_here", "oom_kills", "signal_name", "with_last_words"]

_CGROUP = Path("/sys/fs/cgroup")
_CRASHES = tuple(getattr(signal, f"SIG{name}") for name in ("SEGV", "BUS", "ABRT", "ILL", "FPE"))
_MUCH = 1 << 28  # bytes; a process that used less was hardly killed for its size
_SHELL = 128  # a shell's exit code is that much more than the signal that ended its command


def signal_name(number: int | None) -> str:
    """`Killed`, `Segmentation fault`: as a shell says it."""
    return (signal.strsignal(number) or str(number)) if number else ""


def with_last_words(ended: "Ended", command: list[str]) -> "Kept":
    """The output with what a shell says to such an end, as entries are written for: a killed program says nothing itself."""
    kept = ended.record.kept()
    if ended.signal is None:
        return kept
    gap = b"" if kept.data.endswith(b"\n") or not kept.data else b"\n"
    words = f"fixbook run: {ended.pid} {signal_name(ended.signal):<23} {shlex.join(command)}\n"
    return kept._replace(data=kept.data + gap + words.encode("utf-8", "surrogateescape"))


def advice(ended: "Ended", oom_killed: int, lang: "Lang") -> Iterator[str]:
    """Sentences for an end that the output does not explain, the first one about what was seen."""
    from ..filling import Marked

    number = ended.signal
    if number is None and ended.code - _SHELL in (signal.SIGKILL, *_CRASHES):
        number = ended.code - _SHELL
        yield lines("run.stands", lang, code=ended.code, signal=number, name=Marked(signal_name(number)))
    if number == signal.SIGKILL:
        if ended.peak >= _MUCH:
            here = memory_here()
            yield lines("run.peak" if here else "run.peak_only", lang, peak=Marked(_gib(ended.peak)), here=Marked(_gib(here)))
        yield lines("run.killed_memory" if oom_killed > 0 else "run.killed", lang)
    elif number in _CRASHES:
        yield lines("run.crashed", lang)
        if number == signal.SIGBUS:
            yield lines("run.bus", lang)
        elif number == signal.SIGILL:
            yield lines("run.illegal", lang)


def _gib(number: int) -> str:
    return f"{number / (1 << 30):.1f} GiB"


def memory_here(folder: Path = _CGROUP) -> int:
    """Bytes of memory that a process can have here: the limit of the container or cgroup, else the machine's; 0 where nothing tells."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        machine = 0
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # `max`: no limit
            limit = int((folder / name).read_text())
            return min(limit, machine) if machine else limit
    return machine


def oom_kills(folder: Path = _CGROUP) -> int:
    """How many processes the kernel has killed in this container or cgroup for want of memory; 0 where it does not tell."""
    for name in ("memory.events", "memory/memory.oom_control"):
        try:
            words = (folder / name).read_text().split()
        except OSError:
            continue
        return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0
    return 0
