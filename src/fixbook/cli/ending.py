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
_OWN_CGROUPS = Path("/proc/self/cgroup")
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


def memory_here(root: Path = _CGROUP, of: Path = _OWN_CGROUPS) -> int:
    """Bytes of memory that a process can have here: the limit of the container or cgroup, else the machine's; 0 where nothing tells."""
    limits = []
    with suppress(ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for folder in _folders(root, of):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with suppress(OSError, ValueError):  # `max`: no limit
                limits.append(int((folder / name).read_text()))
    return min(limits, default=0)


def oom_kills(root: Path = _CGROUP, of: Path = _OWN_CGROUPS) -> int:
    """How many processes the kernel has killed in this container or cgroup for want of memory; 0 where it does not tell."""
    for folder in _folders(root, of):
        for name in ("memory.events", "memory.oom_control"):
            with suppress(OSError):
                words = (folder / name).read_text().split()
                if "oom_kill" in words:
                    return int(words[words.index("oom_kill") + 1])
    return 0


def _folders(root: Path, of: Path) -> Iterator[Path]:
    """Where the kernel tells about memory: this process's own cgroup, then those around it. Of both versions; `of` lists its own."""
    try:
        rows = [row.split(":", 2) for row in of.read_text().splitlines() if row.count(":") >= 2]
    except OSError:
        rows = []
    for _, controllers, path in [*rows, ("", "", "/"), ("", "memory", "/")]:
        if controllers in ("", "memory"):
            top = root / controllers
            own = top / path.strip("/")
            yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(top))
