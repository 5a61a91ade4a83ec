"""Files of the site → a folder. What did not change is kept; the folder is replaced as a whole, so a failed build leaves the old one."""

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import FixbookError
from .output import Output

__all__ = ["MANIFEST", "Built", "Progress", "write_site"]

MANIFEST = ".fixbook-site.json"
_FORMAT = 1
_MANY = 400  # files; fewer are made faster by one process

Progress = Callable[[int, int], None]  # files done, files in all
_Record = tuple[str, int]  # key of an output, size of its file


@dataclass(frozen=True, slots=True)
class Built:
    """How many files the site has, and how many of them had to be made."""

    files: int
    made: int


def write_site(outputs: Sequence[Output], out: Path, progress: Progress = lambda done, all: None) -> Built:
    """Writes the site. Raises FixbookError when the folder holds anything that no build put there, or cannot be written."""
    out = Path(os.path.realpath(out))
    old = _manifest(out)
    _check(out, old)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            records = dict(_fill(stage, outputs, out, old, progress))
            _write(stage / MANIFEST, _dumped(records))
            _replace(out, stage)
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
    except OSError as error:
        raise FixbookError(f"{error.filename or out}: {error.strerror or error}; choose another folder for the site") from error
    return Built(len(outputs), sum(old.get(path, ("",))[0] != record[0] for path, record in records.items()))


def _manifest(out: Path) -> Mapping[str, _Record]:
    """What the last build left, by path; empty where there was none."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        read = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        if read["format"] == _FORMAT:
            return {path: (str(key), int(size)) for path, (key, size) in read["files"].items()}
    return {}


def _dumped(records: Mapping[str, _Record]) -> bytes:
    files = {path: list(record) for path, record in sorted(records.items())}
    return (json.dumps({"format": _FORMAT, "files": files}) + "\n").encode()


def _check(out: Path, old: Mapping[str, _Record]) -> None:
    """The folder will be replaced: nothing may be lost that somebody else put there."""
    if out.exists() and not out.is_dir():
        raise FixbookError(f"{out} is a file: give a folder for the site")
    strange = next((path for path in _paths(out) if path not in old and path != MANIFEST), None)
    if strange is not None:
        raise FixbookError(f"{out} holds {strange}, which no build of the site put there: give another folder, or move it away")


def _paths(out: Path) -> Iterator[str]:
    for folder, _, names in os.walk(out):
        inside = os.path.relpath(folder, out).replace(os.sep, "/")
        yield from (name if inside == "." else f"{inside}/{name}" for name in sorted(names))


def _fill(
    stage: Path, outputs: Sequence[Output], out: Path, old: Mapping[str, _Record], progress: Progress
) -> Iterator[tuple[str, _Record]]:
    """Puts every file into the stage, and tells its record."""
    for folder in sorted({output.path.rpartition("/")[0] for output in outputs}):
        (stage / folder).mkdir(parents=True, exist_ok=True)
    todo = []
    here, there = str(out), str(stage)  # thousands of Path objects would take longer than the rest
    for output in outputs:
        record = old.get(output.path)
        if record is not None and record[0] == output.key and _kept(f"{here}/{output.path}", f"{there}/{output.path}", record[1]):
            yield output.path, record
        else:
            todo.append(output)
    done = len(outputs) - len(todo)
    progress(done, len(outputs))
    for output, size in _make_all(todo, stage):
        done += 1
        progress(done, len(outputs))
        yield output.path, (output.key, size)


def _kept(path: str, target: str, size: int) -> bool:
    """Takes an unchanged file over; False when it is not there as it was written."""
    try:
        if os.stat(path).st_size != size:  # noqa: PTH116
            return False
        try:
            os.link(path, target)
        except OSError:  # no hard links there
            shutil.copyfile(path, target)
    except OSError:
        return False
    return True


def _make_all(outputs: Sequence[Output], stage: Path) -> Iterator[tuple[Output, int]]:
    """Makes the files, by all processors where it pays. A fork shares the book; beside other threads it could deadlock."""
    processors = os.cpu_count() or 1
    if len(outputs) < _MANY or processors < 2:
        yield from ((output, _make(output, stage)) for output in outputs)
        return
    import multiprocessing  # not needed for a small change

    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    if not can_fork:
        yield from ((output, _make(output, stage)) for output in outputs)
        return
    global _SHARED
    _SHARED = (outputs, stage)
    with multiprocessing.get_context("fork").Pool(processors) as pool:
        for number, size in pool.imap_unordered(_make_shared, range(len(outputs)), chunksize=24):
            yield outputs[number], size


_SHARED: tuple[Sequence[Output], Path] = ((), Path())  # what forked processes find


def _make_shared(number: int) -> tuple[int, int]:
    outputs, stage = _SHARED
    return number, _make(outputs[number], stage)


def _make(output: Output, stage: Path) -> int:
    content = output.make()
    _write(stage / output.path, content)
    return len(content)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)


def _replace(out: Path, stage: Path) -> None:
    """The stage becomes the site; the old one goes, or comes back when that fails."""
    stage.chmod(out.stat().st_mode if out.exists() else 0o777 & ~_umask())
    if not out.exists():
        stage.rename(out)
        return
    old = stage.with_name(f"{stage.name}.old")
    out.rename(old)
    try:
        stage.rename(out)
    except OSError:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
