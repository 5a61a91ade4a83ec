"""Patterns → literals: fixed texts of which every match contains one, so that a search for them misses nothing.

The soundness rests on a few rules about the parse tree. What is not fixed (a class, `.`, a reference, a line end) breaks a run; what
may be absent gives nothing; of alternatives each must give something; anchors and look-arounds have no width, so their neighbours
stay neighbours. A part of a required literal is required too. Only ASCII letters have a case: patterns have ASCII meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from re import _constants as op  # type: ignore[attr-defined]

from . import pattern_tree
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["LONGEST", "SHORTEST", "Need", "Needs", "derive", "safe_parts"]

SHORTEST = 4  # characters of the fixed run that every pattern must have
LONGEST = 120  # characters; a longer run is cut, it selects no better
UNBOUNDED = 400
_BLANKS = 80
_MOST = 32  # literals in one need
_CLASS = 6  # a class of so many characters is spelled out
_ROUNDS = 4  # needs of several alternatives
_USEFUL = 3  # shorter runs help to exclude a pattern, they never open a region

# Characters that JSON, repr, HTML and terminals leave as they are.
_SAFE = re.compile(r"[A-Za-z0-9 _./:=\-(),]+")
_QUANTIFIER = re.compile(r"\{(?:\d+(?:,\d*)?|,\d+)\}")

Need = tuple[str, ...]  # every match contains at least one of these


class Needs(Value):
    """What every match of a pattern contains: one literal of each need, the most selective need first.

    `reach`: how many characters a match spans at most; an unbounded repeat is taken for UNBOUNDED.
    `fold`: the pattern ignores case; the literals are in lower case, and so must the text be in which they are looked for.
    `problem`: why no need is good enough to look for; the needs may still be there, too short.
    """

    needs: tuple[Need, ...] = ()
    fold: bool = False
    problem: str | None = None
    reach: int = 0


@cache
def derive(pattern: str, flags: str = "") -> Needs:
    """The needs of a pattern; `problem` is set when none of them has at least SHORTEST characters in each of its literals."""
    problem = _misread(pattern)
    if problem:
        return Needs(problem=problem)
    try:
        tree = pattern_tree.parse(pattern, flags)
    except pattern_tree.PatternError as error:
        return Needs(problem=f"does not compile: {error}")
    fold = bool(tree.state.flags & re.I) or _folds(tree)
    part = _Walk(fold).sequence(tree)
    found = {_shortest(need) for need in (*part.needs, part.exact or frozenset()) if need and "" not in need}
    needs = tuple(sorted((need for need in found if _weight(need) >= _USEFUL), key=lambda need: (-_weight(need), len(need), need)))
    if not needs or _weight(needs[0]) < SHORTEST:
        return Needs(needs, fold, f"no fixed run of {SHORTEST} characters is in every match", _reach(tree))
    return Needs(needs, fold, reach=_reach(tree))


def safe_parts(literal: str) -> tuple[str, ...]:
    """The parts of a literal that stand the same in a raw log, whatever quotes, escapes or colours it: longest first."""
    parts = (part for part in _SAFE.findall(literal) if part.strip(" "))
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


def _misread(pattern: str) -> str | None:
    """What `regex` takes for more than `re`, whose tree is walked here, does: fuzzy counts, set operations, POSIX classes."""
    if pattern_tree.is_common(pattern):
        return None
    for at, character, in_class in pattern_tree.scan_source(pattern):
        if in_class and character == "[":
            return "`[` inside a class"
        if not in_class and character == "{" and not _QUANTIFIER.match(pattern, at):
            return "a `{` that is no repeat"
    return None


def _folds(nodes: Any) -> bool:
    """Whether a part of the pattern ignores case; then all of it is taken to, which asks for less."""
    for code, value in pattern_tree.listed(nodes):
        if code is op.SUBPATTERN and (value[1] & re.I or _folds(value[3])):
            return True
        if code is op.BRANCH and any(_folds(branch) for branch in value[1]):
            return True
        if code in _REPEATS and _folds(value[2]):
            return True
        if code is op.ATOMIC_GROUP and _folds(value):
            return True
    return False


def _reach(nodes: Any) -> int:
    """How many characters a match spans at most."""
    total = 0
    for code, value in pattern_tree.listed(nodes):
        if code in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY, op.CATEGORY):
            total += 1
        elif code is op.SUBPATTERN:
            total += _reach(value[3])
        elif code is op.BRANCH:
            total += max(map(_reach, value[1]))
        elif code is op.ATOMIC_GROUP:
            total += _reach(value)
        elif code in _REPEATS:
            total += _reach(value[2]) * value[1] if value[1] is not op.MAXREPEAT else max(_endless(value[2]), _reach(value[2]))
        elif code in (op.GROUPREF, op.GROUPREF_EXISTS):
            total += UNBOUNDED
    return total


def _endless(body: Any) -> int:
    """How long an unbounded repeat is taken to be: blanks are the room between two words, with a line end and an indent."""
    return _BLANKS if len(body) == 1 and body[0] == (op.IN, [(op.CATEGORY, op.CATEGORY_SPACE)]) else UNBOUNDED


def _weight(need: Iterable[str]) -> int:
    return min(map(len, need), default=0)


def _shortest(need: Iterable[str]) -> Need:
    """The need without the literals that contain another one of it, each cut to LONGEST."""
    cut = {literal[:LONGEST] for literal in need}
    return tuple(sorted(literal for literal in cut if not any(other in literal for other in cut if other != literal)))


_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class _Part(Value):
    """What is known of a part of the pattern: all texts that it matches (`exact`, None when too many), and what they contain."""

    exact: frozenset[str] | None = None
    needs: tuple[frozenset[str], ...] = ()


_ANYTHING = _Part()
_NOTHING = _Part(frozenset([""]))


class _Walk:
    def __init__(self, fold: bool) -> None:
        self._fold = fold

    def sequence(self, nodes: Any) -> _Part:
        """Parts one after the other: exact texts are multiplied as long as they stay few."""
        run: frozenset[str] = frozenset([""])
        needs: list[frozenset[str]] = []
        whole = True
        letters = ""  # one after the other, which have yet to be put behind the run
        for node in pattern_tree.listed(nodes):
            letter = self._letter(node[1]) if node[0] is op.LITERAL else None
            if letter is not None:
                letters += letter
                continue
            if letters:
                run, letters = frozenset(text + letters for text in run), ""
            part = self._node(*node)
            if part.exact is not None and len(run) * len(part.exact) <= _MOST:
                run = frozenset(left + right for left in run for right in part.exact)
                continue
            whole = False
            needs.append(run)
            needs.extend(part.needs)
            run = part.exact if part.exact is not None else frozenset([""])
        run = frozenset(text + letters for text in run)
        if whole:
            return _Part(run)
        return _Part(None, tuple(need for need in (*needs, run) if need and "" not in need))

    def _node(self, code: Any, value: Any) -> _Part:
        if code is op.LITERAL:
            return self._characters([value])
        if code is op.IN:
            return self._class(value)
        if code in (op.AT, op.ASSERT, op.ASSERT_NOT):
            return _NOTHING
        if code is op.SUBPATTERN:
            return self.sequence(value[3])
        if code is op.ATOMIC_GROUP:
            return self.sequence(value)
        if code is op.BRANCH:
            return self._branch([self.sequence(branch) for branch in value[1]])
        if code in _REPEATS:
            return self._repeat(*value)
        return _ANYTHING

    def _characters(self, codes: Iterable[int]) -> _Part:
        texts = [self._letter(code) for code in codes]
        known = frozenset(text for text in texts if text is not None)
        return _Part(known) if len(texts) and None not in texts else _ANYTHING

    def _letter(self, code: int) -> str | None:
        """The character as it is looked for; None for one that a raw log may write otherwise."""
        character = chr(code)
        if character in "\n\r\t\v\f\0" or 0xD800 <= code < 0xE000:
            return None
        if not self._fold:
            return character
        if character.isascii():
            return character.lower()
        return character if character.lower() == character.upper() else None

    def _class(self, items: Sequence[tuple[Any, Any]]) -> _Part:
        codes: list[int] = []
        for code, value in items:
            if code is op.LITERAL:
                codes.append(value)
            elif code is op.RANGE and value[1] - value[0] < _CLASS:
                codes.extend(range(value[0], value[1] + 1))
            else:
                return _ANYTHING
        return self._characters(codes) if len(codes) <= _CLASS else _ANYTHING

    def _branch(self, parts: Sequence[_Part]) -> _Part:
        exact: set[str] = set()
        for part in parts:
            exact |= part.exact or set()
        if all(part.exact is not None for part in parts) and len(exact) <= _MOST:
            return _Part(frozenset(exact))
        # Each alternative gives its best need, then its second best …: the more needs, the more places they exclude.
        ranked = [_ranked(part) for part in parts]
        if not all(ranked):
            return _ANYTHING
        rounds = min(max(map(len, ranked)), _ROUNDS)
        needs = [frozenset(chain.from_iterable(own[min(at, len(own) - 1)] for own in ranked)) for at in range(rounds)]
        return _Part(None, tuple(need for need in needs if len(need) <= 2 * _MOST))

    def _repeat(self, least: int, most: Any, body: Any) -> _Part:
        part = self.sequence(body)
        if least == 0:
            return _Part(part.exact | {""}) if part.exact is not None and most == 1 else _ANYTHING
        if part.exact is None:
            return part
        if least == most and len(part.exact) ** least <= _MOST and least <= _MOST:
            return self._power(part.exact, least)
        return _Part(None, (part.exact,) if "" not in part.exact else ())

    def _power(self, texts: frozenset[str], times: int) -> _Part:
        run = frozenset([""])
        for _ in range(times):
            run = frozenset(left + right for left in run for right in texts)
        return _Part(run)


def _ranked(part: _Part) -> list[frozenset[str]]:
    """The needs of one alternative, the most selective first; none when it has none."""
    needs = (*part.needs, part.exact) if part.exact is not None else part.needs
    useful = [need for need in needs if need and "" not in need]
    return sorted(useful, key=lambda need: (-_weight(need), len(need), sorted(need)))
