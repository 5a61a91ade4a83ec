"""What a log of any size may take: memory, bytes in one call of the engine; and files that change while they are read."""

import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fixbook
from fixbook import searcher as searcher_room
from fixbook.api import Book
from fixbook.engine import Engine, make_engine
from fixbook.index import Index, Probe
from fixbook.searcher import Searcher
from fixbook.source import Source, Stream, open_sources
from fixbook.stream import once
from fixbook.sweep import CHUNK, KEEP, sweep
from fixbook.value import replace

ROOT = Path(__file__).parent.parent
WORDS = "RuntimeError: query and key must have the same dtype\n"
QUIET = "INFO 12-01 09:00:01 [loggers.py:123] Engine 000: 12 requests, all is well\n"
LOG = (QUIET * 90_000 + WORDS + QUIET * 30_000).encode()  # some chunks
LINE = 90_001


@pytest.fixture(scope="module")
def book() -> Book:
    return fixbook.load()


# --- memory -----------------------------------------------------------------------------------------------------------------------

LARGE = """
import io, resource, sys
sys.path[:0] = sys.argv[1:3]
import fixbook
from fixbook.source import Source, Stream
from fixbook.stream import once
from workload import Healthy

SIZE = int(sys.argv[3]) << 30
healthy = Healthy(3)
block = "".join(f"{healthy.block()}\\n" for _ in range(2_500)).encode()
failure = b"RuntimeError: query and key must have the same dtype\\n"

class Log(io.RawIOBase):
    size = lines = ended = 0
    rest = memoryview(b"")
    def more(self):
        data = block if self.size < SIZE else failure if not self.ended else b""
        self.ended = data != block
        self.size += len(data)
        self.lines += data.count(b"\\n")
        return memoryview(data)
    def readinto(self, buffer):
        self.rest = self.rest or self.more()
        size = min(len(self.rest), len(buffer))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size

log = Log()
report = fixbook.load().diagnose_source(Source("log", opener=once(Stream(log))))
try:
    with open("/proc/self/status") as status:  # the other counts what the process was before it became this one, too
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) << 10
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)
print(peak >> 20, log.size >> 20, log.lines, report.findings[0].hits[0].line, report.facts[-1].line)
"""


def test_memory_does_not_grow_with_the_log() -> None:
    command = [sys.executable, "-c", LARGE, str(ROOT / "bench"), str(ROOT / "src"), "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, size, lines, found, stated = map(int, done.stdout.split())
    assert size >= 2 << 10
    assert found == lines
    assert lines - 10_000 < stated < lines, "what was stated last holds"
    assert peak < 300


# --- what the engine is given -----------------------------------------------------------------------------------------------------


class Watched:
    """An engine that writes down how many bytes it was given."""

    def __init__(self, engine: Engine, sizes: list[int]) -> None:
        self._engine = engine
        self._sizes = sizes

    def scan(self, data: memoryview) -> list[tuple[int, int]]:
        self._sizes.append(len(data))
        return self._engine.scan(data)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sizes: list[int] = []
    monkeypatch.setattr(searcher_room, "make_engine", lambda *each: Watched(make_engine(*each), sizes))
    return sizes


def _packed(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(data, 1))
    elif name.endswith(".xz"):
        path.write_bytes(lzma.compress(data, preset=0))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("a.log", data)
    elif name.endswith(".tar"):
        with tarfile.open(path, "w") as archive:
            member = tarfile.TarInfo("a.log")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    else:
        path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["a.log", "a.log.gz", "a.log.xz", "a.zip", "a.tar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_engine_is_never_given_more_than_a_chunk(name: str, encoding: str, given: list[int], tmp_path: Path) -> None:
    data = LOG.decode().encode(encoding)
    sources = open_sources([_packed(tmp_path, name, data)])  # a member can be read until the next one is asked for
    regions = sweep(next(sources), Searcher(Index.build([Probe("dtype", "have the same dtype")])))
    assert regions.keys == {"dtype"}
    assert sum(given) >= len(LOG) > 3 * CHUNK
    assert max(given) <= CHUNK + KEEP < 1 << 30


@pytest.mark.parametrize("text", ["x", "\x1b[1m", "\0"], ids=["one line", "colours", "a hole"])
def test_the_engine_is_never_given_more_than_a_chunk_of_one_line(text: str, given: list[int]) -> None:
    data = (text * (9_000_000 // len(text)) + WORDS).encode()
    source = Source("pipe", opener=once(Stream(io.BytesIO(data))))
    assert sweep(source, Searcher(Index.build([Probe("dtype", "have the same dtype")]))).keys == {"dtype"}
    assert 0 < max(given) <= CHUNK + KEEP


# --- a file that changes while it is read -----------------------------------------------------------------------------------------


class Changing(io.FileIO):
    """A file that somebody changes after it was read once."""

    def __init__(self, path: str, change: Callable[[Path], object], after: int) -> None:
        super().__init__(path)
        self._path = Path(path)
        self._change = change
        self._left = after

    def readinto(self, buffer: Any) -> int:
        if self._left == 0:
            self._change(self._path)
        self._left -= 1
        return super().readinto(buffer) or 0


def _replace(path: Path) -> None:
    path.with_suffix(".new").write_text("another log\n")
    path.with_suffix(".new").replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, 1 << 20),
    "cut in the part that comes": lambda path: os.truncate(path, (7 << 20) + 7),
    "emptied": lambda path: os.truncate(path, 0),
    "emptied and written anew": lambda path: path.write_text(QUIET * 9),
    "deleted": lambda path: path.unlink(),
    "replaced": _replace,
}


def changed(path: Path, change: Callable[[Path], object], after: int) -> Source:
    (source,) = open_sources([path])
    return replace(source, opener=lambda: Stream(Changing(str(path), change, after)))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("size", [1, 100_000], ids=["small", "large"])
def test_of_a_file_that_changes_between_two_reads_holds_what_was_read(change: str, size: int, book: Book, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(WORDS + QUIET * size)
    report = book.diagnose_source(changed(path, CHANGES[change], after=1))
    assert (report.verdict, report.findings[0].hits[0].line) == ("known", 1)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_before_it_is_read_is_read_as_it_is_then(change: str, book: Book, tmp_path: Path) -> None:
    """One that was deleted or replaced is still the one that was opened."""
    path = tmp_path / "a.log"
    path.write_text(WORDS + QUIET * 100_000)
    report = book.diagnose_source(changed(path, CHANGES[change], after=0))
    assert report.verdict == ("clean" if change.startswith("emptied") else "known")


@pytest.mark.parametrize("change", ["emptied", "cut", "deleted"])
def test_a_file_that_changed_between_the_look_at_it_and_its_reading(change: str, book: Book, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    (source,) = open_sources([path])
    CHANGES[change](path)
    if change == "deleted":
        with pytest.raises(fixbook.FixbookError, match="No such file"):
            book.diagnose_source(source)
    else:
        assert book.diagnose_source(source).verdict == "clean"
