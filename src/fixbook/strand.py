"""Text that knows where each of its characters stood in the raw log."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

__all__ = ["Strand"]


class Strand(Value):
    """A piece of text made from a raw text by cutting, joining and replacing.

    `starts` are offsets into `text`, `raws` the offsets into the raw text at which the same characters stand. Between two starts
    both count up together, so an unedited line needs one pair. A replaced run maps to the first character it came from.
    """

    text: str
    starts: tuple[int, ...] = (0,)
    raws: tuple[int, ...] = (0,)

    def __init__(self, text: str, starts: tuple[int, ...] = (0,), raws: tuple[int, ...] = (0,)) -> None:
        # The constructor that all values share looks at each argument; a log of a thousand lines makes twenty thousand strands.
        _set_text(self, text)
        _set_starts(self, starts)
        _set_raws(self, raws)

    @classmethod
    def of(cls, text: str, raw: int = 0) -> Self:
        """`text` as it stands at offset `raw` of the raw text."""
        return cls(text, (0,), (raw,))

    @classmethod
    def join(cls, strands: Iterable[Strand], glue: str = "") -> Strand:
        """One strand out of several; the glue maps to the character after the piece before it."""
        texts: list[str] = []
        starts: list[int] = []
        raws: list[int] = []
        length = 0
        for strand in strands:
            if texts and glue:
                texts.append(glue)
                length += len(glue)
            starts.extend(start + length for start in strand.starts)
            raws.extend(strand.raws)
            texts.append(strand.text)
            length += len(strand.text)
        return cls("".join(texts), tuple(starts) or (0,), tuple(raws) or (0,))

    def __len__(self) -> int:
        return len(self.text)

    def raw(self, offset: int) -> int:
        """The raw offset of the character at `offset` (0 to len, the end included)."""
        at = max(bisect_right(self.starts, offset) - 1, 0)
        step = offset - self.starts[at]
        if at + 1 < len(self.raws) and self.raws[at + 1] >= self.raws[at]:
            step = min(step, max(self.raws[at + 1] - self.raws[at], 0))
        return self.raws[at] + step

    def cut(self, start: int, end: int | None = None) -> Strand:
        """The characters from `start` to `end`, with their way back."""
        stop = len(self.text) if end is None else min(end, len(self.text))
        start = min(max(start, 0), stop)
        if len(self.starts) == 1:  # a line as it stood: nearly all of them
            return Strand(self.text[start:stop], (0,), (self.raws[0] + start,))
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = max(bisect_right(self.starts, max(stop - 1, start)), first + 1)
        starts = (0, *(at - start for at in self.starts[first + 1 : last]))
        raws = (self.raws[first] + start - self.starts[first], *self.raws[first + 1 : last])
        return Strand(self.text[start:stop], starts, raws)

    def splice(self, edits: Iterable[tuple[int, int, str]]) -> Strand:
        """The strand with each `(start, end, new)` replaced; edits in order, not overlapping."""
        pieces: list[Strand] = []
        at = 0
        for start, end, new in edits:
            if start > at:
                pieces.append(self.cut(at, start))
            if new:
                pieces.append(Strand(new, (0,), (self.raw(start),)))
            at = end
        if at < len(self.text) or not pieces:
            pieces.append(self.cut(at))
        return Strand.join(pieces)


_set_text = Strand.text.__set__  # type: ignore[attr-defined]
_set_starts = Strand.starts.__set__  # type: ignore[attr-defined]
_set_raws = Strand.raws.__set__  # type: ignore[attr-defined]
