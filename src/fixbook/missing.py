"""What a log refers to and does not hold, and the command that gets it from the launcher at hand."""

import re
from collections.abc import Iterator, Mapping, Sequence

from .expressions import expression
from .model import Kind, Place
from .report import Fact, Finding, Log, Message, MessageStatus, Missing, Verdict

__all__ = ["missing_parts"]

# Keys of the labels: root-cause, traceback-end, first-rank, nccl-reason, cuda-sync.
_ABOVE = expression(r"[Ss]ee (?:the )?(?:root cause|stack ?trace|error|traceback)s? \(?above\)?")
_RANK = expression(
    r"Root Cause \(first observed failure\)|traceback : To enable traceback see|[Cc]onnection closed by remote peer|by peer\b"
    r"|remote process exited"
)
_NCCL = expression(
    r"run with NCCL_DEBUG=\w+ for details|ncclSystemError: System call|ncclUnhandledCudaError|unhandled (?:system|cuda) error"
)
_ASYNC = expression(r"CUDA kernel errors might be asynchronously reported|HIP kernel errors might be asynchronously reported")

# How the rest of a log is had, by how the program was started. Words in capitals are the reader's to fill in.
_WHOLE: Mapping[str, str] = {
    "kubectl": "kubectl logs POD --all-containers --previous",
    "docker": "docker logs CONTAINER 2>&1",
    "compose": "docker compose logs --no-color --no-log-prefix SERVICE",
    "systemd": "journalctl -u UNIT --no-pager -o cat",
    "ray": "tail -n 200 /tmp/ray/session_latest/logs/worker-*.err",
    "slurm": "srun --output=rank-%t.log COMMAND",
    "torchrun": "torchrun --log-dir logs --redirects 3 SCRIPT",
    "mpirun": "mpirun --output-filename logs COMMAND",
}
_START = "COMMAND 2>&1 | tee full.log"
_NCCL_COMMAND = "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log COMMAND"
_ASYNC_COMMAND = "CUDA_LAUNCH_BLOCKING=1 COMMAND"


def missing_parts(log: Log, verdict: Verdict, findings: Sequence[Finding], facts: Sequence[Fact]) -> tuple[Missing, ...]:
    """The parts that are needed and not there, each once; nothing where a cause was found or nothing failed."""
    if verdict not in (Verdict.WRAPPER, Verdict.UNKNOWN):
        return ()
    return tuple({part.what: part for part in _parts(log, verdict, findings, _whole(facts))}.values())


def _parts(log: Log, verdict: Verdict, findings: Sequence[Finding], whole: str) -> Iterator[Missing]:
    live = [message for message in log.messages if message.status not in (MessageStatus.MENTIONED, MessageStatus.HANDLED)]
    cut = _cut_traceback(log, live)
    if cut is not None:
        yield Missing("traceback-end", cut.line, whole)
    above = _first(live, _ABOVE)
    if verdict is Verdict.WRAPPER and above is not None:
        yield Missing("root-cause", above.line, whole)
    cascade = any(finding.entry.kind is Kind.CASCADE for finding in findings)
    rank = _first(live, _RANK)
    if rank is not None and (cascade or not log.tracebacks):
        yield Missing("first-rank", rank.line, whole)
    nccl = _first(live, _NCCL)
    if nccl is not None:
        yield Missing("nccl-reason", nccl.line, _NCCL_COMMAND)
    later = _first(live, _ASYNC)
    if later is not None:
        yield Missing("cuda-sync", later.line, _ASYNC_COMMAND)


def _whole(facts: Sequence[Fact]) -> str:
    launchers = [fact.value for fact in facts if fact.name == "launcher"]
    containers = [fact.value for fact in facts if fact.name == "container"]
    for name in (*reversed(launchers), *("kubectl" if value == "kubernetes" else value for value in reversed(containers))):
        if name in _WHOLE:
            return _WHOLE[name]
    return _START


def _first(messages: Sequence[Message], pattern: re.Pattern[str]) -> Message | None:
    return next(
        (message for message in messages if message.place in (Place.MESSAGE, Place.EXCEPTION) and pattern.search(message.text)), None
    )


def _cut_traceback(log: Log, live: Sequence[Message]) -> Message | None:
    """The last frame of the log's last traceback, when no exception ends it and none stands elsewhere."""
    if not log.tracebacks or any(message.place is Place.EXCEPTION for message in live):
        return None
    last = max(log.tracebacks, key=lambda traceback: traceback.line)
    if last.exception is not None or not last.frames:
        return None
    frame = log.messages[last.frames[-1]]
    return frame if frame in live else None
