"""`fixbook serve` under load, over loopback: requests a second and p99 for a paste of 5 KB, and what happens beyond what it can do.

    python bench/http_load.py [--seconds 10] [-o bench/RESULTS.md]

Each paste is healthy serving output round the text of one of the shipped samples, all of them in turn, so no answer can be reused. The
client runs on the same machine and is asyncio over plain sockets that stay open. Wall time depends on what else the machine does; the CPU
time of the server's processes beside it does not. With -o only this section of the file is written.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workload import Healthy

import fixbook

SIZE = 5_000
HEADING = "## HTTP on loopback"
_HEAD = re.compile(rb"HTTP/1\.1 (\d+) ")
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_LISTENS = re.compile(r"listening on http://[^ ]*:(\d+)")


@dataclass
class Tally:
    """What became of the requests of one round."""

    sent: int = 0
    broken: int = 0  # connections that gave no answer
    wrong: int = 0  # answers without the entry that the paste is about
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of the answers with 200

    def quantile(self, part: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000 if ordered else 0.0


def pastes() -> list[tuple[bytes, bytes]]:
    """`(paste, id that its answer has to hold)`: the failure at the end, as in the log of a server that went down."""
    healthy, book = Healthy(7), fixbook.load()
    out = []
    for article in book.entries:
        sample = next((each.text for each in article.entry.samples if each.expect and isinstance(each.text, str)), "")
        lines: list[str] = []
        while sum(len(line) + 1 for line in lines) < SIZE - len(sample.encode()):
            lines.append(healthy.block())
        text = "\n".join([*lines, sample])
        findings = book.diagnose(text).findings
        if sample and len(text.encode()) < 2 * SIZE and findings:
            out.append((text.encode(), json.dumps(findings[0].entry.id).encode()))
    return out


@contextmanager
def server(*arguments: str) -> Iterator[tuple[int, list[int]]]:
    """The port and the process ids: the server's, then its workers'."""
    command = [sys.executable, "-m", "fixbook", "serve", "--port", "0", "--watch", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    port = 0
    for line in process.stderr:
        if found := _LISTENS.search(line):
            port = int(found[1])
            break
    # Its log is read on, or the pipe would be full and the server would wait.
    reader = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    try:
        yield port, [process.pid, *map(int, children)]
    finally:
        process.terminate()
        process.wait()
        reader.wait()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, paste: bytes) -> tuple[int, bytes]:
    head = f"POST /v1/diagnose HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: {len(paste)}\r\n\r\n"
    writer.write(head.encode() + paste)
    answer = await reader.readuntil(b"\r\n\r\n")
    status, length = _HEAD.match(answer), _LENGTH.search(answer)
    assert status is not None
    assert length is not None
    return int(status[1]), await reader.readexactly(int(length[1]))


async def client(port: int, work: list[tuple[bytes, bytes]], start: int, until: float, tally: Tally) -> None:
    """Asks one paste after the other over one connection, which is opened again when it broke."""
    at = start
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    while time.perf_counter() < until:
        paste, expected = work[at % len(work)]
        at += 1
        tally.sent += 1
        began = time.perf_counter()
        try:
            connection = connection or await asyncio.open_connection("127.0.0.1", port, limit=2**24)
            status, body = await ask(*connection, paste)
        except (OSError, asyncio.IncompleteReadError):
            tally.broken += 1
            connection = None
            continue
        tally.statuses[status] += 1
        if status == 200:
            tally.seconds.append(time.perf_counter() - began)
            tally.wrong += expected not in body
        else:
            await asyncio.sleep(0.01)  # a client that is sent away comes back, though sooner than it was told
    if connection is not None:
        connection[1].close()


async def load(port: int, work: list[tuple[bytes, bytes]], clients: int, seconds: float) -> Tally:
    tally = Tally()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, work, n * 7, until, tally) for n in range(clients)))
    return tally


def measure(workers: int, clients: int, seconds: float, queue: int, work: list[tuple[bytes, bytes]]) -> str:
    """One row of the table."""
    with server("--workers", str(workers), "--queue", str(queue)) as (port, pids):
        asyncio.run(load(port, work, workers, 2.0))  # every entry is unpacked once, as in a server that has been running
        before = [cpu_seconds(pid) for pid in pids]
        tally = asyncio.run(load(port, work, clients, seconds))
        used = [cpu_seconds(pid) - was for pid, was in zip(pids, before, strict=True)]
    done = tally.statuses[200]
    cells = [workers, clients, queue, tally.sent, done, tally.statuses[429], tally.sent - done - tally.statuses[429], tally.wrong]
    cells += [f"{done / seconds:.0f}", f"{tally.quantile(0.5):.1f}", f"{tally.quantile(0.99):.1f}"]
    cells += [f"{sum(used[1:]) / max(done, 1) * 1000:.1f}", f"{used[0] / max(tally.sent, 1) * 1000:.2f}"]
    return f"| {' | '.join(map(str, cells))} |"


def section(rows: list[str], seconds: float, note: str) -> str:
    counts = ("workers", "clients", "queue", "sent", "200", "429", "lost", "wrong")
    names = (*counts, "200 a second", "p50 ms", "p99 ms", "worker CPU ms", "server CPU ms")
    busy = os.getloadavg()[0]
    return "\n".join(
        [
            HEADING,
            "",
            f"`python bench/http_load.py`: pastes of {SIZE:,} bytes answered as JSON, {seconds:g} s a row, the client on the same machine.",
            f"{os.cpu_count()} cores, Python {platform.python_version()}, load average of the machine during the last row: {busy:.1f}.",
            "CPU: for one answer in the worker, for one request in the process that speaks HTTP. Lost: neither answered nor sent away.",
            "Requests that are sent away cost CPU of the client and the server on the same cores, so beyond the limit fewer are answered.",
            *([note] if note else []),
            "",
            f"| {' | '.join(names)} |",
            f"|{'---:|' * len(names)}",
            *rows,
            "",
        ]
    )


def write_section(path: Path, text: str) -> None:
    """Puts the section in place of the one of before, or at the end; the rest of the file stays."""
    old = path.read_text("utf-8") if path.exists() else ""
    before, _, after = old.partition(HEADING + "\n")
    rest = re.search(r"^## ", after, re.MULTILINE)
    kept = [before.rstrip("\n") + "\n"] if before.strip() else []
    path.write_text("\n".join([*kept, text, *([after[rest.start() :]] if rest else [])]), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--note", default="", help="what else is to be said of this run")
    options = parser.parse_args()
    work = pastes()
    print(f"{len(work)} pastes", file=sys.stderr)
    rows = []
    for workers, clients, queue in ((1, 1, 32), (1, 8, 32), (2, 2, 32), (2, 8, 32), (1, 64, 8), (2, 128, 8)):
        rows.append(measure(workers, clients, options.seconds, queue, work))
        print(rows[-1], file=sys.stderr)
    text = section(rows, options.seconds, options.note)
    if options.output:
        write_section(options.output, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
