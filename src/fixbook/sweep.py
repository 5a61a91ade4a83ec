"""The first pass over a large log: chunks of bytes → literals → the regions that are worth reading as messages.

Cost grows with what is found, not with the size of the log or of the book, and memory with neither. Nothing is decoded but the regions.
Only literals decide what is read: a match whose literals stand in the raw bytes is missed only where `skipped` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from .cutting import Cutter, Part
from .decoding import decode, encoding_of
from .finder import OVERLAP, Finder
from .index import Role
from .lines import LineCounter, Utf8
from .regions import REACH, Anchor, merge
from .report import Skipped
from .searcher import Searcher
from .shelf import Shelf
from .source import Source
from .stream import Stream
from .tuning import Noise, is_noisy
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["Region", "Regions", "sweep"]

CHUNK = 1 << 21
_UNKNOWN = 1 << 30  # bytes that a log has when nobody knows
_TUNE = 3 << 20  # bytes after which noise is judged
KEEP = 3 * REACH  # bytes of the chunk before that stay in the buffer: a region is cut when what follows it is there, too


class Region(NamedTuple):
    """A part of the log to be read as messages, and the 1-based number of its first line."""

    text: str
    first_line: int


class Regions(Value):
    """What the first pass found. `keys` are the probes whose literals were seen, `size` the bytes that were searched."""

    name: str
    parts: tuple[Region, ...]
    keys: frozenset[str]
    size: int
    skipped: tuple[Skipped, ...] = ()


def sweep(source: Source, searcher: Searcher) -> Regions:
    """The regions of one log. Raises FixbookError when it cannot be opened; what cannot be read to its end is in `skipped`."""
    with source.open() as stream:
        return _Sweep(source, stream, searcher).run()


class _Sweep:
    def __init__(self, source: Source, stream: Stream, searcher: Searcher) -> None:
        self._source = source
        self._stream = stream
        self._searcher = searcher
        self._shelf = Shelf(searcher.index.roles, Cutter(searcher.index))
        self._buffer = bytearray(KEEP + CHUNK)
        self._filled = 0
        self._base = 0  # absolute offset of the beginning of the buffer
        self._tuned = 0  # absolute offset at which rows were last exchanged
        self._look = _TUNE  # bytes since then after which noise is judged again
        self._lines = LineCounter()

    def run(self) -> Regions:
        fill = self._reader()
        finder = Finder(self._searcher.rows, self._searcher.engine, self._searcher.index.roles)
        pending: dict[Anchor, None] = {}  # found, but what follows them is not in the buffer yet
        for start, last in self._chunks(fill):
            tail = finder.loud.tail
            noise = self._noise(finder)
            if noise is not None:
                pending.update(dict.fromkeys(finder.compare(self._buffer, self._base, finder.left_over(self._base))))
                self._searcher.retune(noise, bytes(self._buffer[start : self._filled]))
                self._tuned = self._base
                self._look = _TUNE
                finder = Finder(self._searcher.rows, self._searcher.engine, self._searcher.index.roles, back=OVERLAP)
            pending.update(dict.fromkeys(finder.find(self._buffer, self._base, start, self._filled, last)))
            self._shelf.pass_over(finder.passed_over)
            limit = self._base + self._filled - (0 if last else REACH)
            ready = sorted(anchor for anchor in pending if anchor.offset < limit or last)
            if tail:
                self._shelf.wait(self._part(), self._base + start, tail)
            self._shelf.add(ready, self._part(), partial(self._before, finder), final=last)
            pending = {anchor: None for anchor in pending if anchor.offset >= limit and not last}
        return self._regions()

    def _noise(self, finder: Finder) -> Noise | None:
        """The noise since the last exchange, where it is worth another one, which is due at ever longer intervals."""
        since = self._base - self._tuned
        if since < max(self._look, 15 * self._tuned):
            return None
        self._look = since + since // 4
        left = (self._source.size or _UNKNOWN) - self._base
        noise = Noise(since, finder.noise, finder.signatures, finder.loud.heard(), finder.loud.missed)
        return noise if is_noisy(noise, len(self._searcher.rows), left) else None

    def _reader(self) -> Callable[[memoryview], int]:
        """How the buffer is filled: with the bytes as they are, or in UTF-8 where two or four bytes are one character."""
        head = self._stream.read(REACH)
        encoding = encoding_of(head)
        self._stream.unread(head)
        wide = encoding.startswith(("utf-16", "utf-32"))
        return Utf8(self._stream, encoding).readinto if wide else self._stream.readinto

    def _chunks(self, fill: Callable[[memoryview], int]) -> Iterator[tuple[int, bool]]:
        """Fills the buffer again and again: the place in it at which new bytes begin, and whether they are the last ones."""
        view = memoryview(self._buffer)
        last = False
        while not last:
            keep = min(self._filled, KEEP)
            gone = self._filled - keep
            view[:keep] = view[gone : self._filled]
            self._base += gone
            self._filled = keep
            while self._filled < len(view) and not last:
                count = fill(view[self._filled :])
                self._filled += count
                last = not count
            self._lines.feed(self._buffer, keep, self._filled)
            yield keep, last

    def _part(self) -> Part:
        return Part(self._buffer, self._base, self._filled, self._lines)

    def _before(self, finder: Finder, offset: int) -> list[Anchor]:
        return finder.before(self._buffer, self._base, offset - self._base)

    # --- the answer

    def _regions(self) -> Regions:
        pieces, dropped = merge(self._shelf.pieces())
        encoding = encoding_of(b"".join(piece.data for piece in pieces))
        parts = tuple(Region(decode(piece.data, encoding), piece.line) for piece in pieces)
        keys = frozenset(self._searcher.index.keys[key] for key in self._shelf.seen())
        return Regions(self._source.name, parts, keys, self._base + self._filled, tuple(self._skipped(dropped)))

    def _skipped(self, dropped: int) -> Iterator[Skipped]:
        index = self._searcher.index
        if self._stream.problem:
            yield Skipped(self._source.name, self._stream.problem)
        if dropped:
            yield Skipped(self._source.name, f"{dropped} more places with known words were not read: too much text")
        for key, count in sorted(self._shelf.passed_over().items()):
            if index.roles[key] == Role.SIGNATURE:
                yield Skipped(index.keys[key], f"{count} more places with its words were not read, between the first and the last")
        for key in sorted(self._searcher.given_up):
            yield Skipped(index.keys[key], "its words stand on too many lines of this log")
        for name in self._searcher.blind:
            yield Skipped(name, "no fixed text of it stands in a raw log")
