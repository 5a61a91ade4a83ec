"""Files, folders, globs, pipes and archives → logs with names. What cannot be read is a value that says why."""

import os
import stat
import sys
from collections.abc import Iterator, Sequence

from .decoding import decode, encoding_of
from .errors import FixbookError
from .stream import HEAD, Source, Stream, explain, is_log_name, is_picture, once, packing
from .value import Value, replace

__all__ = ["PASTE", "STDIN", "Head", "Source", "Stream", "decode", "encoding_of", "find_files", "head_of", "open_file", "open_sources"]

PASTE = 1_000_000  # bytes; what is not longer is read whole
STDIN = "-"


def open_sources(paths: Sequence[str | os.PathLike[str]]) -> Iterator[Source]:
    """The logs behind `paths`, in order: files, folders (recursive, sorted), globs, `-` for standard input, archives unpacked.

    A Source with a `problem` stands where something cannot be read; the others follow all the same.
    """
    for path in paths:
        for file in find_files(path):
            if isinstance(file, Source):
                yield file
            else:
                yield from open_file(file)


def find_files(path: str | os.PathLike[str]) -> Iterator[str | Source]:
    """The files that one argument means, archives not yet opened; `-` for standard input; a Source with its problem for what is none."""
    text = os.fspath(path)
    if text == STDIN:
        yield STDIN
    elif os.path.isdir(text):
        files = _walk(text)
        first = next(files, None)
        yield first or Source(text, problem="no log in this folder", path=text)
        yield from files
    elif os.path.lexists(text):
        yield text
    else:
        yield from _matching(text)


def open_file(path: str) -> Iterator[Source]:
    """The logs in one file, `-` for standard input: itself, or the members of an archive."""
    if path == STDIN:
        whole = _stdin()
        if whole.problem:
            yield whole
            return
    else:
        try:
            status = os.stat(path)
            size = status.st_size if stat.S_ISREG(status.st_mode) else None
            whole = Source(path, size, path=path, opener=lambda: Stream(open(path, "rb", buffering=0)))  # noqa: SIM115
            if size is None:
                whole = replace(whole, opener=once(whole.open()))
            yield from _opened(whole)
        except FixbookError as error:  # there, but not to be opened
            yield Source(path, problem=str(error).removeprefix(f"{path}: "), path=path)
        except OSError as error:
            yield Source(path, problem=explain(error), path=path)
        return
    yield from _opened(whole)


def _stdin() -> Source:
    if sys.stdin is None:
        return Source("stdin", problem="standard input is closed: give a FILE, or a pipe, as in `kubectl logs POD | fixbook -`")
    if sys.stdin.closed or sys.stdin.buffer.closed:
        return Source("stdin", problem="standard input can be read only once: leave out all `-` but the first")
    return Source("stdin", opener=once(Stream(sys.stdin.buffer)))


class Head(Value):
    """The beginning of a log: all of it in `data` when it is short, else `data` is None and `source` still gives everything."""

    data: bytes | None
    source: Source
    problem: str | None = None  # why the data may not be all


def head_of(source: Source, limit: int = PASTE) -> Head:
    """The whole of a log of at most `limit` bytes. Raises FixbookError when it cannot be opened."""
    if source.plain and source.size is not None and source.size > limit:
        return Head(None, source)
    stream = source.open()
    data = stream.read(limit + 1)
    if len(data) <= limit:
        stream.close()
        return Head(data, source, stream.problem)
    stream.unread(data)
    return Head(None, replace(source, plain=False, opener=once(stream)))


def _opened(whole: Source) -> Iterator[Source]:
    stream = whole.open()
    head = stream.read(HEAD)
    if whole.size is None:
        stream.unread(head)
    else:
        stream.close()
    if stream.problem and not head:
        yield replace(whole, problem=stream.problem)
    elif is_picture(head):
        yield replace(whole, problem="this is a picture, not text")
    elif packing(head):
        from .unpack import unpack  # tarfile, zipfile and lzma cost a paste 20 ms

        yield from unpack(whole)
    else:
        yield replace(whole, plain=whole.size is not None)


def _walk(folder: str) -> Iterator[str | Source]:
    """Log files under a folder in the order of their names, then the folders that may not be read.

    Links to folders are not followed, so that no circle is walked.
    """
    closed: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = os.path.join(root, name)
            if is_log_name(name) and os.path.isfile(path) and ("." in name or _is_text(path)):
                yield path
    for error in closed:
        yield Source(str(error.filename), problem=explain(error), path=str(error.filename))


def _is_text(path: str) -> bool:
    """Whether a file without a suffix is text rather than a program."""
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return True  # so that it is named with its error
    return b"\0" not in head or encoding_of(head).startswith(("utf-16", "utf-32")) or packing(head) is not None


def _matching(pattern: str) -> Iterator[str | Source]:
    wild = any(char in pattern for char in "*?[")
    found = sorted(set(_expanded(pattern))) if wild else []
    for path in found:
        if os.path.isdir(path):
            yield from _walk(path)
        else:
            yield path
    if not found:
        yield Source(pattern, problem="no file matches" if wild else "no such file or folder")


def _expanded(pattern: str) -> Iterator[str]:
    """The paths that a pattern means. `**` is any folders, and follows no links, so that no circle is walked."""
    from glob import escape, iglob

    if os.path.basename(pattern) == "**":
        yield from iglob(os.path.dirname(pattern) or os.curdir)
        return
    head, stars, tail = pattern.partition(f"**{os.sep}")
    if not stars or (head and not head.endswith(os.sep)):
        yield from iglob(pattern)
        return
    for top in iglob(head) if head else ("",):
        for folder, folders, _ in os.walk(top or os.curdir):
            folders[:] = [name for name in folders if not name.startswith(".")]
            inside = os.path.join(top, os.path.relpath(folder, top or os.curdir)).removesuffix(os.curdir)
            yield from _expanded(os.path.join(escape(inside), tail) if inside else tail)
