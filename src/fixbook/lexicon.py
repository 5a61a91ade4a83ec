"""A quick no to the question whether a literal stands in a log: the different words of a log are a tenth of it."""

from __future__ import annotations

from functools import cache

__all__ = ["Lexicon", "as_bytes"]

_LETTERS = bytes(code if chr(code).isalpha() and code < 128 else 32 for code in range(256))


class Lexicon:
    """The words of one text, runs of ASCII letters."""

    def __init__(self, text: bytes) -> None:
        """`text` as `as_bytes` would give it."""
        words = b" ".join(set(text.translate(_LETTERS).split()))
        self._words = words if len(words) < len(text) // 4 else None  # no words of a language: then this is no quick no

    def may_have(self, literal: str) -> bool:
        """False only when the literal does not stand in the text."""
        return self._words is None or _longest(literal) in self._words


def as_bytes(text: str) -> bytes:
    """One byte a character: a single `█` of a banner would make every search four times as dear."""
    return text.encode("ascii", "replace")


@cache
def _longest(literal: str) -> bytes:
    return max(as_bytes(literal).translate(_LETTERS).split(), key=len, default=b"")
