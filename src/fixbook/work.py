"""How much work a backtracking search for a pattern can be, read off its tree, so that a cheap one needs no watch.

`regex` can be stopped, but takes longer to load than a paste takes to read; `re` is there already and cannot be stopped. Their matches
are the same (tests/test_pattern.py). So `re` searches where the bound below is small for the text at hand, and nowhere else.
"""

from __future__ import annotations

from re import _constants as op  # type: ignore[attr-defined]

from . import pattern_tree as tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple, Self
else:
    from .value import NamedTuple

__all__ = ["BLANKS", "LENGTHS", "VERSION", "Starts", "steps"]

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 16_384)  # of texts for which the bound is told
VERSION = 4  # of the bound, for those who keep it
BLANKS = 32
_MOST = 1 << 40  # what is more is not told apart


def steps(nodes: Sequence[tuple[Any, Any]], flags: str, length: int) -> int:
    """The most nodes that a search tries from one place of a text of `length`, in which no more than BLANKS blanks stand in a row."""
    return min(_sequence(list(nodes), _END, flags, length)[1], _MOST)


class Starts(NamedTuple):
    """Where in a text a search for a pattern can begin, so that more than its first letters are tried there."""

    heads: tuple[str, ...]  # it begins with one of them, none of which overlaps itself; without any, everywhere
    fold: bool
    once: bool  # at the first character of the text alone
    beside: int  # nodes tried at a place where none of them stands

    @classmethod
    def of(cls, nodes: Sequence[tuple[Any, Any]], flags: str) -> Self:
        heads = tuple(map(_clear, tree.heads(nodes, flags)))
        once = len(nodes) > 0 and tuple(nodes[0]) == (op.AT, op.AT_BEGINNING) and "m" not in flags
        return cls(heads, "i" in flags, once, _refusal(list(nodes), 0, flags, BLANKS) + 2 * len("".join(heads)))

    def most(self, tried: int, text: str) -> int:
        """The most nodes that a search tries in the whole text, of which `steps` says what it tries from one place."""
        return tried * self._count(text) + self.beside * (len(text) + 1)

    def _count(self, text: str) -> int:
        if self.once:
            return 1
        if not self.heads:
            return len(text) + 1
        text = text.lower() if self.fold else text
        return sum(text.count(head) for head in self.heads)


def _clear(head: str) -> str:
    """Its longest beginning that cannot overlap itself."""
    apart = _apart(head)
    return head if apart == len(head) else _clear(head[:apart])


def _apart(letters: str) -> int:
    """How far two places are apart at least at which the same letters stand."""
    return next((shift for shift in range(1, len(letters)) if letters.startswith(letters[shift:])), max(len(letters), 1))


# What can follow some nodes: the characters with which it can begin, and the nodes that are tried before it refuses another one.
_After = tuple[int, int]
_END: _After = (0, 0)


# Each function gives: in how many ways the nodes can match from one place on such that the search goes on behind them, and the nodes that
# are tried for it. A way that ends before a character with which nothing can go on is no way, and costs a refusal.


def _sequence(nodes: list[tuple[Any, Any]], after: _After, flags: str, length: int) -> tuple[int, int]:
    ways, tried = 1, 0
    before = 0  # ways before the repeat of one character whose ends are the places at hand; 0 when there is none
    letters = ""
    for number, node in enumerate(nodes):
        more, here = _node(node, _begin(nodes[number + 1 :], after, flags, length), flags, length)
        tried += ways * here
        if node[0] is op.LITERAL:
            letters += chr(node[1]).lower()
            if before:  # the letters stand at few of these places
                ways = min(ways, before * (length // _apart(letters) + 1))
        elif more > 1:
            letters = ""
            before = ways if _is_run(node, flags) else 0
        elif node[0] is not op.AT:
            letters = ""
            before = 0
        ways *= more
        if tried > _MOST or ways > _MOST:
            return _MOST, _MOST
    return ways, tried


def _is_run(node: tuple[Any, Any], flags: str) -> bool:
    """Whether the node repeats one character, so that each of its ways ends at another place; also as a group."""
    while node[0] is op.SUBPATTERN and len(node[1][3]) == 1:
        node = node[1][3][0]
    return node[0] in (op.MAX_REPEAT, op.MIN_REPEAT) and len(node[1][2]) == 1 and tree.chars(node[1][2][0], flags) is not None


def _node(node: tuple[Any, Any], after: _After, flags: str, length: int) -> tuple[int, int]:
    code, value = node
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        return _repeat(value, after, flags, length)
    if code is op.SUBPATTERN:
        return _sequence(list(value[3]), after, flags, length)
    if code is op.BRANCH:
        return _branch([list(branch) for branch in value[1]], after, flags, length)
    if code in (op.ASSERT, op.ASSERT_NOT):
        return 1, 1 + _sequence(list(value[1]), _END, flags, length)[1]
    return 1, 1


def _branch(branches: list[list[tuple[Any, Any]]], after: _After, flags: str, length: int) -> tuple[int, int]:
    ways = tried = seen = 0
    alike = False
    for branch in branches:
        more, here = _sequence(branch, after, flags, length)
        start = tree.first(branch, after[0], flags)
        alike |= bool(seen & start)
        seen |= start
        ways = ways + more if alike else max(ways, more)
        tried += here + 1
    return ways, tried


def _repeat(value: Any, after: _After, flags: str, length: int) -> tuple[int, int]:
    least, body = value[0], list(value[2])
    again = _begin(body, _END, flags, length)
    longest = length if again[0] & ~tree.SPACE else BLANKS
    most = min(int(value[1]), longest)
    ways, tried = _sequence(body, (after[0] | again[0], after[1] + again[1]), flags, length)
    rounds = most + (int(value[1]) > longest)  # where only the text ends it, one more is refused
    free = max(most - least, 0) + 1 if again[0] & after[0] else 1  # ends from which the search can go on
    if ways == 1:
        return free, rounds * tried + (most + 1) * (1 + after[1])
    if (most + 1) * ways.bit_length() > _MOST.bit_length():
        return _MOST, _MOST
    begun, ended = sum(ways**number for number in range(rounds)), ways**most
    return free * ended, begun * tried + (begun + ended) * (1 + after[1])


def _begin(nodes: list[tuple[Any, Any]], after: _After, flags: str, length: int) -> _After:
    return tree.first(nodes, after[0], flags), _refusal(nodes, after[1], flags, length)


def _refusal(nodes: list[tuple[Any, Any]], after: int, flags: str, length: int) -> int:
    """How many nodes are tried at a character with which no match of `nodes` can begin."""
    if not nodes:
        return after
    code, value = nodes[0]
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        inside = _refusal(list(value[2]), 0, flags, length)
        return 1 + inside + (_refusal(nodes[1:], after, flags, length) if value[0] == 0 else 0)
    if code is op.SUBPATTERN:
        return _refusal([*value[3], *nodes[1:]], after, flags, length)
    if code is op.BRANCH:
        return sum(1 + _refusal([*branch, *nodes[1:]], after, flags, length) for branch in value[1])
    if code in (op.ASSERT, op.ASSERT_NOT):
        return 1 + _sequence(list(value[1]), _END, flags, length)[1] + _refusal(nodes[1:], after, flags, length)
    if code is op.AT:
        return 1 + _refusal(nodes[1:], after, flags, length)
    return 1
