"""Signs that a program went on after a failure: looked for behind each failure that is kept, not in the whole log.

A server that serves on prints them on every second line. Those that come next are read with the failure, so that it is judged as it is when
the whole log is read.
"""

import re
from bisect import bisect_left

from .index import Index, Role

__all__ = ["Progress"]

_MOST = 6  # signs that are read with one failure
_LETTERS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


class Progress:
    """Finds the lines that bear a sign. Each byte is searched once, however many failures stand before it."""

    def __init__(self, index: Index) -> None:
        self._signs = [_sign(index, number) for number, role in enumerate(index.roles) if role == Role.PROGRESS]
        self._found: list[tuple[int, int]] = []  # absolute begin and end of lines
        self._from = self._to = 0  # what has been searched, absolute

    def after(self, buffer: bytes | bytearray, base: int, start: int, stop: int) -> list[tuple[int, int]]:
        """Begin and end in the buffer of the first lines with a sign in `buffer[start:stop]`, which begins with a whole line."""
        if not self._signs:
            return []
        if not self._from <= base + start <= self._to:
            self._found, self._from, self._to = [], base + start, base + start
        while self._to < base + stop and len(self._next(base + start)) < _MOST:
            self._search(buffer, base, self._to - base)
        return [(begin - base, end - base) for begin, end in self._next(base + start) if end <= base + stop]

    def _next(self, start: int) -> list[tuple[int, int]]:
        at = bisect_left(self._found, (start, 0))
        return self._found[at : at + _MOST]

    def _search(self, buffer: bytes | bytearray, base: int, at: int) -> None:
        """One line more."""
        end = buffer.find(b"\n", at) + 1 or len(buffer)
        line = bytes(buffer[at:end])
        low = line.lower()
        if any(any(word in low for word in words) and pattern.search(line) for words, pattern in self._signs):
            self._found.append((base + at, base + end))
        self._to = base + end


def _sign(index: Index, number: int) -> tuple[tuple[bytes, ...], re.Pattern[bytes]]:
    """A pattern over bytes, and the words of which a line with a match has one: the empty one when nothing is known."""
    pattern, flags = index.patterns[number]
    words = [word.encode() for need in index.needs(number)[1] for word in need]
    return tuple(words) or (b"",), re.compile(pattern.encode(), sum(_LETTERS[flag] for flag in flags))
