"""Rows that turn out to be noisy in the log at hand are exchanged for windows that are rare in it.

The table of what is common (background.py) is made from other logs. Where this log is of another kind, a few windows may stand in every
second line. Which other windows of the same patterns are rare is counted in a piece of the log itself.
"""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence, Set

from .background import Sample, level_of
from .index import Index, Role
from .rows import LOUD, Row, Target, is_beside, make_rows, windows_of
from .value import Value

__all__ = ["Noise", "Window", "is_noisy", "retuned"]

# Seconds, roughly: to look at one window that was found, of a signature, and of a fact or mark, most of which are passed over; to look
# for a literal far away; for an exchange; for each row of it.
_LOOK = 2.5e-6
_PASS = 0.8e-6
_FAR = 7e-4
_BASE = 0.04
_ROW = 1e-4
_SHARE = 1  # of a row in a megabyte, from which on it is exchanged
_HOPELESS = level_of(32, 1 << 20)  # cost of a window that stands 32 times in a megabyte
_SAMPLE = 1 << 17  # bytes in which windows are counted, and so many more for each probe that needs another one
_EACH = 1 << 9
_MISSES = 5  # of a literal, with which its row is no longer loud
_HEARD = 1 << 19  # bytes in which those are counted again that seem to be on many lines

Window = tuple[bytes, bool]  # with whether it matches in either case


class Noise(Value):
    """What was seen in vain in so many bytes."""

    size: int
    found: Mapping[int, int]  # how often each row was
    signatures: Container[int]  # the rows of signatures
    heard: Set[bytes]  # literals of loud rows that are there
    missed: Mapping[bytes, int]  # how often one of them had to be looked for far away

    def levels(self, rows: Sequence[Row]) -> dict[Window, float]:
        """How often the windows of the rows stand in the log, of one that was not seen half a time; what loud rows tell says nothing."""
        return {
            (row.window, row.fold): level_of(self.found.get(number) or 0.5, self.size) for number, row in enumerate(rows) if not row.loud
        }

    def cost(self) -> float:
        """Seconds for each byte."""
        found = sum(count * (_LOOK if row in self.signatures else _PASS) for row, count in self.found.items())
        return (found + _FAR * sum(self.missed.values())) / max(self.size, 1)


def is_noisy(noise: Noise, rows: int, left: int) -> bool:
    """Whether the noise is worth an exchange, which takes its time, with `left` bytes still to search."""
    return noise.cost() * left > 1.5 * (_BASE + rows * _ROW)


def retuned(
    index: Index, rows: Sequence[Row], noise: Noise, text: bytes, known: Mapping[Window, float], given_up: Container[int]
) -> tuple[tuple[Row, ...], frozenset[int]]:
    """The rows without those that were seen too often: others for the same probes, which are rare in `text`, a piece of the log, or `known`
    to be. Facts that had none, because the table said that they are everywhere, get rows where they are not.

    And the probes that have no row any more: facts whose every window stands on many lines are not worth it; nor were those `given_up`.
    """
    noisy = [row for row, count in noise.found.items() if count * (1 << 20) > _SHARE * noise.size]
    probes = {target.key for row in noisy for target in rows[row].targets}
    held = {target.key for row in rows for target in row.targets}
    probes.update(key for key, role in enumerate(index.roles) if role == Role.FACT and key not in held and key not in given_up)
    windows: tuple[set[bytes], set[bytes]] = (set(), set())
    for number in probes:
        windows[index.needs(number)[0]].update(windows_of(index, number))
    sample = Sample(text[: _SAMPLE + _EACH * len(probes)], {False: windows[False], True: windows[True]}, known)
    rare = make_rows(index, sample=sample, only=probes)
    hopeless = frozenset(
        target.key
        for row in rare
        if sample.levels(row.fold).get(row.window, 0.0) > _HOPELESS
        for target in row.targets
        if index.roles[target.key] == Role.FACT
    )
    table: dict[Window, set[Target]] = defaultdict(set)
    loud = {(row.window, row.fold) for row in (*rows, *rare) if row.loud and _is_heard(row, noise, text[:_HEARD])}
    for row in rows:
        table[row.window, row.fold].update(target for target in row.targets if target.key not in probes)
    for row in rare:
        table[row.window, row.fold].update(target for target in row.targets if target.key not in hopeless)
    made = (Row.of(*window, targets, window in loud and is_beside(index, targets)) for window, targets in sorted(table.items()) if targets)
    return tuple(made), hopeless


def _is_heard(row: Row, noise: Noise, sample: bytes) -> bool:
    """Whether each literal of a row is on many lines; one that is not would be looked for in vain in every chunk."""
    literals = {target.literal for target in row.targets}
    if literals <= noise.heard and not any(noise.missed.get(literal) for literal in literals):
        return True
    return all(noise.missed.get(literal, 0) < _MISSES and sample.count(literal) * (1 << 20) > LOUD * len(sample) for literal in literals)
