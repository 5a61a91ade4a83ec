"""Patterns of many alternatives: a text is held only against those whose words it has, which are few.

An engine that backtracks tries every alternative at every character. Which words each of them needs is derived from its parse tree, once
on a machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .expressions import expression, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Parts = tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]

__all__ = ["Alternatives"]

_VERSION = 1  # of what is kept of a pattern
_LETTERS = ((re.I, "i"), (re.M, "m"), (re.S, "s"))


class Alternatives:
    """Says what its whole `pattern` says. Safe to share between threads: to make the parts twice is harmless."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = expression(pattern, flags)
        self._source = pattern
        self._flags = int(flags)
        self._made: _Parts | None = None

    def seen(self, text: str, low: str) -> bool:
        """Whether the pattern matches somewhere; `low` is the text in lower case."""
        for words, part in self._made or self._parts():
            for word in words:
                if word in low:
                    if part.search(text) is not None:
                        return True
                    break
        return False

    def search(self, text: str, low: str) -> re.Match[str] | None:
        """The first match."""
        return self.pattern.search(text) if self.seen(text, low) else None

    def _parts(self) -> _Parts:
        known = recall(f"alternatives {_VERSION}", self._source, self._flags, _split)
        self._made = tuple((words, expression(part, self._flags)) for words, part in known)
        return self._made


def _split(pattern: str, flags: int) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The alternatives, each with words in lower case of which every match of it has one."""
    letters = "".join(letter for flag, letter in _LETTERS if flags & flag)
    return tuple((_words(part, letters), part) for part in _alternatives(pattern))


def _words(pattern: str, letters: str) -> tuple[str, ...]:
    from .literals import derive

    needs: Any = derive(pattern, letters).needs
    return tuple(dict.fromkeys(literal.lower() for literal in needs[0])) if needs else ("",)


def _alternatives(pattern: str) -> Iterator[str]:
    from .pattern_tree import scan_source

    depth = begin = 0
    for at, character, in_class in scan_source(pattern):
        if in_class:
            continue
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            yield pattern[begin:at]
            begin = at + 1
    yield pattern[begin:]
