"""The words of a book's signatures: which entries speak like a failure that none of them explains. Made with the book, kept with it."""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .expressions import expression
from .model import Entry, Status
from .table import numbers_of, to_bytes
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Vocabulary", "pattern_words", "words_of"]

_WORD = expression(r"[A-Za-z][A-Za-z0-9_]{2,}")
_SYNTAX = expression(r"\\[A-Za-z]|\(\?P<\w+>|\(\?[:=!<]+|\{\d*,?\d*\}|\[[^\]]*\]")
_COMMON = frozenset(
    ("and", "are", "but", "can", "error", "exception", "failed", "for", "from", "has", "have", "not", "that", "the", "this")
)
_COMMON |= {"value", "was", "with", "you", "your"}


class Vocabulary(Value):
    """The words of all signatures of active entries, by number of the signature in the order of the book."""

    entries: int  # active ones
    owners: tuple[str, ...]  # the entry of each signature
    texts: tuple[str, ...]  # the words of each signature, with blanks between
    places: dict[str, bytes]  # of each word: the signatures that have it, as `table.to_bytes` writes numbers

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Vocabulary:
        active = [entry for entry in entries if entry.status is Status.ACTIVE]
        owners: list[str] = []
        texts: list[str] = []
        places: dict[str, list[int]] = defaultdict(list)
        for entry in active:
            for signature in entry.signatures:
                words = sorted(pattern_words(signature.pattern))
                for word in words:
                    places[word].append(len(texts))
                owners.append(entry.id)
                texts.append(" ".join(words))
        packed = {word: to_bytes(numbers) for word, numbers in sorted(places.items())}
        return cls(len(active), tuple(owners), tuple(texts), packed)

    def dump(self) -> bytes:
        """The vocabulary as bytes, equal for equal ones."""
        return marshal.dumps((self.entries, self.owners, self.texts, self.places), 2)

    @classmethod
    def load(cls, data: bytes | memoryview) -> Vocabulary:
        """The inverse of `dump`."""
        parts: Any = marshal.loads(data)
        return cls(*parts)

    def having(self, word: str) -> Iterator[int]:
        """The signatures that have a word."""
        return iter(numbers_of(self.places.get(word, b"")))

    def words(self, signature: int) -> frozenset[str]:
        """The words of a signature."""
        return frozenset(self.texts[signature].split())


def words_of(text: str) -> frozenset[str]:
    """The words of a message that tell something, in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text)) - _COMMON


def pattern_words(pattern: str) -> frozenset[str]:
    """The words that stand in a pattern."""
    return words_of(_SYNTAX.sub(" ", pattern))
