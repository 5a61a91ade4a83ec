"""Rows that turn out to be noisy in the log at hand are exchanged for windows that are rare in it.

The table of what is common (background.py) is made from other logs. Where this log is of another kind, a few windows may stand in every
second line. Which other windows of the same patterns are rare is counted in a piece of the log itself.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from .background import PER
from .index import Index, Role
from .rows import WIDTH, Row, make_rows, windows_of

__all__ = ["is_noisy", "retuned"]

# Seconds, roughly: to look at one window that was found; for an exchange; for each row of it.
_LOOK = 2e-6
_BASE = 0.1
_ROW = 1e-4
_SHARE = 1  # of a row in a megabyte, from which on it is exchanged
_HOPELESS = math.log2(1 + 32 * 16)  # cost of a window that stands 32 times in a megabyte
_SAMPLE = 1 << 18  # bytes in which windows are counted


def is_noisy(noise: Counter[int], size: int, rows: int, left: int) -> bool:
    """Whether so many windows in `size` bytes are worth an exchange, which takes its time, with `left` bytes still to search."""
    saved = noise.total() / size * left * _LOOK
    return saved > 2 * (_BASE + rows * _ROW)


def retuned(
    index: Index, rows: Sequence[Row], noise: Mapping[int, int], size: int, sample: bytes
) -> tuple[tuple[Row, ...], frozenset[int]]:
    """The rows without those that were seen too often in `size` bytes: others for the same probes, which are rare in `sample`.

    And the probes that have no row any more: facts whose every window stands on many lines are not worth it.
    """
    loud = [row for row, count in noise.items() if count * (1 << 20) > _SHARE * size]
    probes = {target.key for row in loud for target in rows[row].targets}
    measured = _measured(index, probes, sample[:_SAMPLE])
    rare = make_rows(index, measured=measured, only=probes)
    hopeless = frozenset(
        target.key
        for row in rare
        if measured.get(row.window, 0.0) > _HOPELESS
        for target in row.targets
        if index.roles[target.key] == Role.FACT
    )
    table: dict[tuple[bytes, bool], set[tuple[int, bytes, int]]] = defaultdict(set)
    for row in rows:
        table[row.window, row.fold].update(target for target in row.targets if target.key not in probes)
    for row in rare:
        table[row.window, row.fold].update(target for target in row.targets if target.key not in hopeless)
    return tuple(Row.of(window, fold, targets) for (window, fold), targets in sorted(table.items()) if targets), hopeless


def _measured(index: Index, probes: Collection[int], sample: bytes) -> dict[bytes, float]:
    """What the windows of these probes cost, by how often they stand in the sample."""
    windows: tuple[set[bytes], set[bytes]] = (set(), set())
    for number in probes:
        fold, needs = index.needs(number)
        windows[fold].update(windows_of(needs))
    scale = PER / max(len(sample), 1)
    out: dict[bytes, float] = {}
    for fold, text in ((False, sample), (True, sample.lower())):
        wanted = windows[fold]
        slices = (text[at : at + WIDTH] for at in range(len(text) - WIDTH + 1)) if wanted else ()
        counts = Counter(window for window in slices if window in wanted)
        counts.update({window: text.count(window) for window in wanted if len(window) < WIDTH})
        for window in wanted:
            out[window] = max(math.log2(1 + counts[window] * scale), out.get(window, 0.0))
    return out
