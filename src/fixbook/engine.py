"""Many short windows looked for in bytes at once: with `hyperscan` where it is installed, in plain Python elsewhere.

Only literals, only block mode: its regexes mean something else than ours on bytes, its streaming mode is not safe from Python, and a
scan of more than 4 GiB is silently cut short (callers give chunks).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from .rows import WIDTH, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object

__all__ = ["Engine", "HyperscanEngine", "PlainEngine", "build_database", "make_engine"]

Found = list[tuple[int, int]]  # row, offset of the end of its window

# From about 800 literals on the library searches in another way, which is up to twice as fast as for 60 or 600 of them, when none is
# short. So a small set is filled up with windows that occur nowhere (bench/RESULTS.md).
_ENOUGH = 850


class Engine(Protocol):
    """Where the rows occur, of a loud one the first place. An engine serves one thread at a time."""

    def scan(self, data: memoryview) -> Found: ...


def make_engine(rows: Sequence[Row], stored: Callable[[Callable[[], bytes]], bytes] | None = None) -> Engine:
    """The fastest engine there is. `stored` keeps what takes long to build: it is given how, and returns what it kept or built."""

    def make() -> bytes:
        return build_database(rows)

    for source in (stored, None) if stored else (None,):
        try:
            return HyperscanEngine(source(make) if source else make(), len(rows))
        except ImportError:
            break
        except Exception as error:
            # What was kept may be of another machine that shares this home; then the processor may be unknown to the library.
            if type(error).__module__.partition(".")[0] != "hyperscan":
                raise
    return PlainEngine(rows)


class HyperscanEngine:
    """A database of `build_database`, loaded, of so many rows."""

    def __init__(self, database: bytes, rows: int) -> None:
        import hyperscan

        self._database = hyperscan.loadb(database, hyperscan.HS_MODE_BLOCK)
        self._database.scratch = hyperscan.Scratch(self._database)
        self._found: Found = []
        self._handler = _handler(self._found, rows)

    def scan(self, data: memoryview) -> Found:
        self._found.clear()
        self._database.scan(data, match_event_handler=self._handler)  # type: ignore[type-var]
        return self._found


def _handler(found: Found, rows: int) -> Callable[[int, int, int, int, Any], None]:
    add = found.append

    def handle(row: int, start: int, end: int, flags: int, context: Any) -> None:
        if row < rows:  # not the padding
            add((row, end))

    return handle


def build_database(rows: Sequence[Row]) -> bytes:
    """A serialised database of the windows, for this kind of machine."""
    import hyperscan

    short = any(len(row.window) < WIDTH for row in rows)
    padding = 0 if short else max(_ENOUGH - len(rows), 0)
    windows = [row.window for row in rows] + [_nowhere(number) for number in range(padding)]
    folded, once = int(hyperscan.HS_FLAG_CASELESS), int(hyperscan.HS_FLAG_SINGLEMATCH)
    flags = [folded * row.fold | once * row.loud for row in rows] + [0] * padding
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=windows, ids=list(range(len(windows))), elements=len(windows), flags=flags, literal=True)
    return bytes(hyperscan.dumpb(database))


def _nowhere(number: int) -> bytes:
    """A window that no text has: no UTF-8, no GB18030. Without NUL, at which the library would end it."""
    return b"\xff\x80\xff" + bytes(128 + (number >> 7 * place) % 128 for place in range(WIDTH - 3))


class PlainEngine:
    """Each window by itself, as fast as `bytes.find` is; the same answer."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._windows: dict[bool, list[tuple[int, bytes, bool]]] = defaultdict(list)
        for number, row in enumerate(rows):
            self._windows[row.fold].append((number, row.window, row.loud))

    def scan(self, data: memoryview) -> Found:
        found: Found = []
        for fold, windows in self._windows.items():
            text = bytes(data).lower() if fold else bytes(data)
            for number, window, loud in windows:
                at = text.find(window)
                while at >= 0:
                    found.append((number, at + len(window)))
                    at = -1 if loud else text.find(window, at + 1)
        found.sort(key=lambda each: each[1])
        return found
