"""fixbook against its peers, in one run, as a table.

    python bench/run.py --data DIR [--large] [--rg PATH] [-o bench/RESULTS.md]

Each figure is the whole program: started, the book loaded from a warm cache, the log searched, findings confirmed and located, facts read,
JSON written. Its planted failures are checked in every run. Time is CPU time (user and system) of the process and its children, the best
of three; MB are 10^6 bytes. The peers do less: they find lines with the fixed strings of the same patterns, and confirm nothing.
"""

import argparse
import gzip
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from books import write_book, write_literals
from workload import COUNTS, SIZES, Healthy, signatures, write_log

from fixbook.literals import derive

HERE = Path(__file__).resolve().parent
ROUNDS = 3
PROGRAM = [sys.executable, "-c", "import sys; from fixbook.cli import command; sys.exit(command())"]  # what `fixbook` is
WHOLE = [sys.executable, str(HERE / "whole.py")]  # the same under measurement


@dataclass(frozen=True, slots=True)
class Cost:
    cpu: float
    wall: float
    out: str


def run(command: Sequence[str], rounds: int = ROUNDS, **environment: str) -> Cost:
    """The cheapest of some runs of a command. Raises RuntimeError when it fails (1 is a finder's "nothing")."""
    best: Cost | None = None
    for _ in range(rounds):
        with tempfile.TemporaryFile() as out:
            start = time.perf_counter()
            child = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **environment})
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
            code = os.waitstatus_to_exitcode(status)
            assert child.stderr is not None
            errors = child.stderr.read().decode()
            child.stderr.close()
            child.returncode = code
            if code not in (0, 1):
                raise RuntimeError(f"{' '.join(command)}: {code}\n{errors}")
            out.seek(0)
            cost = Cost(usage.ru_utime + usage.ru_stime, wall, out.read().decode("utf-8", "replace"))
        if best is None or cost.cpu < best.cpu:
            best = cost
    assert best is not None
    return best


def rate(size: int, cost: Cost) -> float:
    return size / 1e6 / max(cost.cpu, 1e-4)


class Bench:
    def __init__(self, data: Path, rg: str | None, large: bool) -> None:
        self.data = data
        self.rg = rg
        self.names = ["200m", *(["1g"] if large else [])]
        self.lines: list[str] = []

    # --- what is measured

    def prepare(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        made = signatures(COUNTS[-1])
        sizes = {**SIZES, "1g": 1_000_000_000}
        for number, name in enumerate(("5k", "20m", *self.names)):
            if not self.log(name).exists():
                write_log(self.log(name), sizes[name], made[: COUNTS[0]], seed=number)
        if not self.log("many").exists():
            write_log(self.log("many"), SIZES["20m"], made[: COUNTS[0]], seed=9, each=100)
        self._healthy()
        for count in COUNTS:
            write_book(self.book(count), made[:count])
            write_literals(
                self.literals(count), {literal for each in made[:count] for literal in derive(each.pattern, each.flags).needs[0]}
            )
            self.whole(count, "5k", rounds=1)
            self.whole(count, "20m", rounds=1)
            run([sys.executable, str(HERE / "raw.py"), str(self.log("5k")), *map(str, self.raw(count))], 1)

    def _healthy(self) -> None:
        """A serving log in which nothing is wrong, and the same compressed; four files for two cores."""
        path = self.log("healthy")
        if not path.exists():
            healthy = Healthy(4242)
            pool = [line for line in (healthy.block() for _ in range(60_000)) if "Traceback" not in line and "Error" not in line]
            text = ("\n".join(pool) + "\n").encode()
            path.write_bytes(text * (200_000_000 // len(text)))
        if not self.log("200m").with_suffix(".log.gz").exists():
            with self.log("200m").open("rb") as plain, gzip.open(self.log("200m").with_suffix(".log.gz"), "wb", 6) as packed:
                shutil.copyfileobj(plain, packed)
        (self.data / "four").mkdir(exist_ok=True)
        for number in range(4):
            link = self.data / "four" / f"{number}.log"
            if not link.exists():
                os.link(self.log("200m"), link)

    def log(self, name: str) -> Path:
        return self.data / f"{name}.log"

    def book(self, count: int) -> Path:
        return self.data / f"book-{count}"

    def literals(self, count: int) -> Path:
        return self.data / f"literals-{count}.txt"

    def raw(self, count: int) -> tuple[Path, Path]:
        """Literals and the database that is made of them once."""
        return self.literals(count), self.data / f"literals-{count}.hsdb"

    def whole(self, count: int | None, name: str, *options: str, rounds: int = ROUNDS, background: str = "shipped") -> Cost:
        """The whole program on one log; `count` None is the shipped book."""
        book = [] if count is None else ["--kb", str(self.book(count)), "--no-shipped"]
        path = self.data / name if "." in name or name == "four" else self.log(name)
        cache = self.data / f"cache-{background}"
        watched = background != "shipped" or "FIXBOOK_BENCH" in os.environ
        program = [*WHOLE, background] if watched else PROGRAM
        return run([*program, *book, "--format", "json", *options, str(path)], rounds, FIXBOOK_CACHE=str(cache))

    def told(self, count: int | None, name: str) -> tuple[str, str]:
        """One more run that tells how many of the planted failures were found at their lines, and the peak of memory."""
        path = self.data / "told.json"
        os.environ["FIXBOOK_BENCH"] = str(path)
        self.whole(count, name, rounds=1)
        del os.environ["FIXBOOK_BENCH"]
        told = json.loads(path.read_text())
        truth = self.log(name.split(".")[0]).with_suffix(".truth.json")
        planted = json.loads(truth.read_text())["planted"] if truth.exists() else []
        found = {(signature, line) for signature, line in told["hits"]}
        here = sum((f"s{id.rsplit('/', 1)[-1]}", line) in found for id, line in planted)
        return f"{here}/{len(planted)}", f"{told['peak'] / 1e6:.0f} MB"

    # --- the tables

    def speed(self) -> None:
        self.table(
            "Whole program, MB per CPU second",
            "log",
            "signatures",
            "fixbook",
            "found",
            "rg -F -f",
            "grep -F -f",
            "hyperscan alone",
            "x rg",
            "share of cat",
            "peak",
        )
        for name in self.names:
            size = self.log(name).stat().st_size
            cat = rate(size, run(["cat", str(self.log(name))]))
            for count in COUNTS:
                cost = self.whole(count, name)
                rg = rate(size, run([self.rg, "-j1", "-c", "-F", "-f", str(self.literals(count)), str(self.log(name))])) if self.rg else 0.0
                grep = ["grep", "-c", "-F", "-f", str(self.literals(count)), str(self.log(name))]
                peer = rate(size, run(grep, 1, LC_ALL="C"))
                raw = rate(size, run([sys.executable, str(HERE / "raw.py"), str(self.log(name)), *map(str, self.raw(count))]))
                ours = rate(size, cost)
                found, peak = self.told(count, name)
                self.row(
                    name,
                    f"{count:,}",
                    f"{ours:,.0f}",
                    found,
                    number(rg),
                    number(peer),
                    number(raw),
                    ratio(ours, rg),
                    f"1/{cat / ours:.0f}",
                    peak,
                )

    def naive(self) -> None:
        columns = [cell for name in self.names for cell in (f"fixbook on {name}", "x naive")]
        self.table("Against every pattern over the whole text (`regex`, one thread)", "signatures", "naive MB/s", *columns)
        for count, size in zip(COUNTS, (4_000_000, 1_000_000, 250_000), strict=True):
            slow = float(run([sys.executable, str(HERE / "naive.py"), str(count), str(self.log("20m")), str(size)], 1).out)
            cells = [f"{count:,}", f"{slow:.3g}"]
            for name in self.names:
                ours = rate(self.log(name).stat().st_size, self.whole(count, name))
                cells += [f"{ours:,.0f}", ratio(ours, slow)]
            self.row(*cells)

    def foreign(self) -> None:
        title = "With a table of what is common that knows nothing of such logs"
        self.table(title, "log", "signatures", "only the negative logs", "x rg", "none", "x rg")
        for name in self.names:
            size = self.log(name).stat().st_size
            for count in COUNTS:
                peer = [self.rg or "", "-j1", "-c", "-F", "-f", str(self.literals(count)), str(self.log(name))]
                rg = rate(size, run(peer)) if self.rg else 0.0
                cells = [name, f"{count:,}"]
                for background in ("foreign", "none"):
                    self.whole(count, "20m", rounds=1, background=background)
                    ours = rate(size, self.whole(count, name, background=background))
                    cells += [f"{ours:,.0f}", ratio(ours, rg)]
                self.row(*cells)

    def other(self) -> None:
        self.table("Other logs", "what", "MB", "MB per CPU s", "wall s", "peak")
        for what, count, name in (
            ("shipped book, healthy serving log", None, "healthy"),
            ("1,000 signatures, one failure in 100 lines", 1_000, "many"),
            ("1,000 signatures, gzip (MB unpacked)", 1_000, "200m.log.gz"),
        ):
            size = self.log(name.split(".")[0]).stat().st_size
            cost = self.whole(count, name)
            self.row(what, f"{size / 1e6:,.0f}", f"{rate(size, cost):,.0f}", f"{cost.wall:.2f}", self.told(count, name)[1])
        size = 4 * self.log("200m").stat().st_size
        one = run(["taskset", "-c", "0", *self._four()], FIXBOOK_CACHE=str(self.data / "cache-shipped"))
        two = run(["taskset", "-c", "0,1", *self._four()], FIXBOOK_CACHE=str(self.data / "cache-shipped"))
        self.row("four files of 200 MB, one core", f"{size / 1e6:,.0f}", f"{rate(size, one):,.0f}", f"{one.wall:.2f}", "")
        self.row(
            f"the same, two cores ({one.wall / two.wall:.2f}x)",
            f"{size / 1e6:,.0f}",
            f"{rate(size, two):,.0f}",
            f"{two.wall:.2f}",
            "",
        )

    def _four(self) -> list[str]:
        return [*PROGRAM, "--kb", str(self.book(1_000)), "--no-shipped", "--format", "json", str(self.data / "four")]

    def paste(self) -> None:
        self.table("A paste of 5 KB, CPU ms of the whole process over `python -c pass`", "book", "JSON, warm", "text, warm", "JSON, cold")
        empty = run([sys.executable, "-c", "pass"], 25).cpu
        for count in (None, *COUNTS):
            warm = self.whole(count, "5k", rounds=25).cpu
            text = self.whole(count, "5k", "--format", "text", rounds=25).cpu
            cold_cache = self.data / "cache-cold"
            shutil.rmtree(cold_cache, ignore_errors=True)
            book = [] if count is None else ["--kb", str(self.book(count)), "--no-shipped"]
            cold = run([*PROGRAM, *book, "--format", "json", str(self.log("5k"))], 1, FIXBOOK_CACHE=str(cold_cache)).cpu
            name = "shipped" if count is None else f"{count:,} signatures"
            self.row(name, *(f"{1000 * (each - empty):,.0f}" for each in (warm, text, cold)))
        self.lines.append(f"\n`python -c pass` takes {1000 * empty:.0f} ms.")

    # --- how they look

    def table(self, title: str, *heads: str) -> None:
        print(f"\n{title}", file=sys.stderr)
        self.lines += ["", f"## {title}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]

    def row(self, *cells: str) -> None:
        print("  " + "  ".join(cells), file=sys.stderr, flush=True)
        self.lines.append(f"| {' | '.join(cells)} |")


def number(value: float) -> str:
    return f"{value:,.0f}" if value else "–"


def ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:,.1f}" if theirs else "–"


def machine(rg: str | None) -> str:
    processor = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?")
    first: Callable[[list[str]], str] = lambda command: run(command, 1).out.split("\n")[0]  # noqa: E731
    parts = [processor, f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    parts += [f"{name} {version(name)}" for name in ("regex", "hyperscan")]
    parts += [first([rg, "--version"])] if rg else []
    load = os.getloadavg()[0]
    return ", ".join([*parts, first(["grep", "--version"]), f"load {load:.1f} at the end"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder for logs, books and caches: 1 GB, 3 GB with --large")
    parser.add_argument("--large", action="store_true", help="a log of 1 GB, too")
    parser.add_argument("--rg", default=shutil.which("rg"), help="ripgrep")
    parser.add_argument("--only", nargs="*", default=["speed", "naive", "foreign", "other", "paste"])
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    bench = Bench(args.data, args.rg, args.large)
    bench.prepare()
    for part in args.only:
        getattr(bench, part)()
    text = "\n".join(["# Speed", "", __doc__.split("\n\n", 2)[2].strip(), "", machine(args.rg), *bench.lines, ""])
    (args.output.write_text if args.output else print)(text)


if __name__ == "__main__":
    main()
