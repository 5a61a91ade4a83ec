"""How common a piece of text is in logs where nothing is wrong: what makes one literal a better thing to look for than another.

The table ships with the code: the commonest runs of four characters in healthy logs, with the logarithm of their frequency. It only
chooses between literals that are all sound; a wrong table costs speed, never a match.
"""

import math
import os
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from operator import itemgetter
from struct import iter_unpack

__all__ = ["GRAM", "PER", "RARE", "Background", "Sample", "level_of", "shipped"]

GRAM = 4
RARE = 3.0  # assumed of a run that the table does not hold: no evidence is not evidence of rarity
PER = 1 << 24  # frequencies are counted in so many characters
_ROW = GRAM + 1


def level_of(times: float, size: int) -> float:
    """The logarithm of how often something occurs in PER bytes that occurs so many times in `size` of them."""
    return math.log2(1 + times * PER / max(size, 1))


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
        common = counts.most_common(most)
        return cls({gram: min(255, round(8 * level_of(count, total))) for gram, count in common if count > 2})

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


class Sample:
    """How often the windows that may be chosen stand in a piece of the log at hand. With `fold` they match in either case."""

    def __init__(self, text: bytes, windows: Mapping[bool, Collection[bytes]], known: Mapping[tuple[bytes, bool], float]) -> None:
        """`windows` by their fold; `known` are the levels of some, with their fold, that were counted in more of the log."""
        levels: dict[bool, dict[bytes, float]] = {False: {}, True: {}}
        for fold, wanted in windows.items():
            counts = _counted(text.lower() if fold else text, wanted)
            levels[fold] = {window: level_of(count, len(text)) for window, count in counts.items() if count}
        for (window, fold), level in known.items():
            levels[fold][window] = level
        self._levels = levels
        self.unseen = level_of(0.5, len(text)) / math.log2(PER)  # of a window that does not stand here: so much of what the table guesses

    def levels(self, fold: bool) -> Mapping[bytes, float]:
        """The logarithm of how often each window occurs that does."""
        return self._levels[fold]


def _counted(text: bytes, windows: Collection[bytes]) -> Counter[bytes]:
    """How often each of the windows stands in the text. Of each length but the commonest there are few."""
    counts: Counter[bytes] = Counter()
    widths = Counter(map(len, windows))
    width = max(widths, key=lambda each: widths[each], default=0)
    wanted = frozenset(window for window in windows if len(window) == width).__contains__
    for start in range(width):  # all that begin at a multiple of `width`, then those one byte behind …
        whole = (len(text) - start) // width * width
        if whole > 0:
            counts.update(filter(wanted, map(itemgetter(0), iter_unpack(f"{width}s", text[start : start + whole]))))
    counts.update({window: text.count(window) for window in windows if len(window) != width})
    return counts


@cache
def shipped() -> Background:
    """The table of the package."""
    name = os.path.join(os.path.dirname(__file__), "data", "background.bin")
    if not os.path.isfile(name):
        return Background.load(b"")
    with open(name, "rb") as file:
        return Background.load(file.read())
