"""Ranks of one job, which torchrun, Slurm or mpirun started on this host: they fail together, and one of them tells the cause.

Which one: the first that fails, as it is the only one that is sure to fail. It takes a name of the kernel's (an abstract Unix socket),
which ends with the process however that ends: nothing waits, and nothing is left behind. Where there are no such names, every rank tells.
"""

import errno
import os
import socket
import sys
from collections.abc import Mapping

from ..digest import digest

__all__ = ["rank", "tells"]

_LOCAL = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK")
_GLOBAL = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")
# What tells one start of one job from another on the same host.
_JOB = (
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "PMIX_NAMESPACE",
)
_held: list[socket.socket] = []  # until this process ends


def rank(environment: Mapping[str, str] = os.environ) -> str:
    """The rank of this process in its job; "" where it is none of several on this host."""
    if not any(name in environment for name in _LOCAL) or environment.get("LOCAL_WORLD_SIZE") == "1":
        return ""
    return next((environment[name] for name in (*_GLOBAL, *_LOCAL) if environment.get(name, "").isdigit()), "")


def tells(id: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this process is to tell an entry: no other rank of the job that still lives here has told it."""
    if not rank(environment) or sys.platform != "linux":
        return True
    words = "\0".join([str(os.getuid()), id, *(environment.get(name, "") for name in _JOB)])
    name = digest(words.encode("utf-8", "surrogateescape"), 16)
    try:
        mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        mark.bind(f"\0fixbook-{name}".encode())
    except OSError as error:  # anything but a name that is taken: better told twice than not at all
        return error.errno != errno.EADDRINUSE
    _held.append(mark)
    return True
