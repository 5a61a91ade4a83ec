"""How common a piece of text is in logs where nothing is wrong: what makes one literal a better thing to look for than another.

The table ships with the code: the commonest runs of four characters in healthy logs, with the logarithm of their frequency. It only
chooses between literals that are all sound; a wrong table costs speed, never a match.
"""

import math
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

__all__ = ["GRAM", "PER", "RARE", "Background", "shipped"]

GRAM = 4
RARE = 3.0  # assumed of a run that the table does not hold: no evidence is not evidence of rarity
PER = 1 << 24  # frequencies are counted in so many characters
_ROW = GRAM + 1


class Background:
    """Frequencies of runs of GRAM characters, ASCII letters in lower case."""

    def __init__(self, levels: Mapping[bytes, int]) -> None:
        self._levels = levels

    @classmethod
    def count(cls, texts: Iterable[bytes], most: int = 12_000) -> "Background":
        """The table of the given logs: their `most` commonest runs."""
        counts: Counter[bytes] = Counter()
        total = 0
        for text in texts:
            low = text.lower()
            counts.update(low[at : at + GRAM] for at in range(len(low) - GRAM + 1))
            total += len(low)
        scale = PER / max(total, 1)
        common = counts.most_common(most)
        return cls({gram: min(255, round(8 * math.log2(1 + count * scale))) for gram, count in common if count > 2})

    @classmethod
    def load(cls, data: bytes) -> "Background":
        """The inverse of `dump`. An empty table where there is no data."""
        plain = zlib.decompress(data) if data else b""
        return cls({plain[at : at + GRAM]: plain[at + GRAM] for at in range(0, len(plain) - GRAM, _ROW)})

    def dump(self) -> bytes:
        return zlib.compress(b"".join(gram + bytes([level]) for gram, level in sorted(self._levels.items())), 9)

    def levels(self, literal: bytes) -> list[float]:
        """The logarithm of how often each run of GRAM characters in `literal` occurs, from left to right."""
        low, get = literal.lower(), self._levels.get
        return [get(low[at : at + GRAM], 0) / 8 or RARE for at in range(len(low) - GRAM + 1)]


@cache
def shipped() -> Background:
    """The table of the package."""
    name = os.path.join(os.path.dirname(__file__), "data", "background.bin")
    if not os.path.isfile(name):
        return Background.load(b"")
    with open(name, "rb") as file:
        return Background.load(file.read())
