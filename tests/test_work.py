"""The bound on the work of a search holds: a plain backtracking search, which counts what it tries, never tries more."""

import re
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given, settings

import fixbook
from fixbook import pattern, pattern_tree
from fixbook.pattern import compile_pattern, problems, search_for
from fixbook.work import BLANKS, Starts, steps
from test_pattern import FLAGS, PATTERNS, TEXTS

_NODES = 100_000


class Counting:
    """Tries every way in which nodes can match, as a backtracking engine does that never succeeds."""

    def __init__(self, text: str, flags: str) -> None:
        self.text = text
        self.flags = flags
        self.tried = 0

    def ends(self, nodes: list[tuple[Any, Any]], at: int) -> Iterator[int]:
        if not nodes:
            yield at
            return
        for end in self._node(nodes[0], at):
            yield from self.ends(nodes[1:], end)

    def _node(self, node: tuple[Any, Any], at: int) -> Iterator[int]:
        code, value = node
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            yield from self._repeat(value, at, 0)
        elif code is op.SUBPATTERN:
            yield from self.ends(list(value[3]), at)
        elif code is op.BRANCH:
            for branch in value[1]:
                yield from self.ends(list(branch), at)
        elif code in (op.ASSERT, op.ASSERT_NOT):
            self._count()
            place = at if value[0] > 0 else at - 1  # behind: one character in these patterns
            if any(self.ends(list(value[1]), place) if place >= 0 else ()) == (code is op.ASSERT):
                yield at
        elif code is op.AT:
            self._count()
            yield at  # as if it held
        else:
            self._count()
            mask = pattern_tree.chars(node, self.flags)
            assert mask is not None
            if at < len(self.text) and mask >> min(ord(self.text[at]), 128) & 1:
                yield at + 1

    def _repeat(self, value: Any, at: int, rounds: int) -> Iterator[int]:
        if rounds < value[1]:
            for end in self.ends(list(value[2]), at):
                yield from self._repeat(value, end, rounds + 1)
        if rounds >= value[0]:
            yield at

    def _count(self) -> None:
        self.tried += 1
        if self.tried > _NODES:
            raise OverflowError


@settings(max_examples=500)
@given(PATTERNS, FLAGS, TEXTS)
def test_no_search_tries_more(source: str, flags: str, text: str) -> None:
    if problems(source, flags):
        return
    nodes = list(pattern_tree.parse(source, flags))
    total = 0
    for at in range(len(text) + 1):
        counting = Counting(text, flags)
        try:
            for _ in counting.ends(nodes, at):
                pass
        except OverflowError:
            break
        total += counting.tried
    assert total <= Starts.of(nodes, flags).most(steps(nodes, flags, max(len(text), 1)), text)


@pytest.mark.parametrize(
    ("source", "text", "plain"),
    [
        (r"\bquery and key must have the same dtype\b", "a" * 3000, True),
        (r"\bCould\s+not\s+load\s+library\s+libcudart\.so\.(?P<major>\d+)", "Could not load library " * 40, True),
        (r"\bCould\s+not\s+load\s+library\s+libcudart\.so\.(?P<major>\d+)", "Could" + " " * (BLANKS + 1), False),
        (r"\S{0,200}a\S{0,200}b\S{0,200}c", "a" * 300, False),
        (r"\bshort\b", "a" * 20_000, False),  # longer than any window
    ],
)
def test_re_searches_where_little_can_come_of_it(monkeypatch: pytest.MonkeyPatch, source: str, text: str, plain: bool) -> None:
    asked = []
    monkeypatch.setattr(pattern, "compile_pattern", lambda *given: asked.append(given) or compile_pattern(*given))
    search_for(source).search(text)
    assert (not asked) == plain


def test_both_ways_find_the_same() -> None:
    """Every signature of the book on every sample of it."""
    entries = [article.entry for article in fixbook.load().entries]
    texts = {line for entry in entries for sample in entry.samples for line in (sample.text, *sample.text.split("\n")) if line}
    for entry in entries:
        for signature in entry.signatures:
            bits = re.ASCII | sum({"i": re.I, "m": re.M, "s": re.S}[letter] for letter in signature.flags)
            plain, watched = re.compile(signature.pattern, bits), compile_pattern(signature.pattern, signature.flags)
            for text in texts:
                ours, theirs = plain.search(text), watched.search(text)
                assert (ours and (ours.span(), ours.groupdict())) == (theirs and (theirs.span(), theirs.groupdict()))


def test_a_paste_of_a_known_failure_does_without_regex(monkeypatch: pytest.MonkeyPatch) -> None:
    """No signature of the book is so ambiguous that it has to be watched in the samples, whose lines are of the usual length."""
    watched = set()
    monkeypatch.setattr(pattern, "compile_pattern", lambda *given: watched.add(given) or compile_pattern(*given))
    book = fixbook.load()
    for entry in (article.entry for article in book.entries):
        for sample in entry.samples:
            if max(map(len, sample.text.split("\n"))) < 1_000:
                book.diagnose(sample.text)
    assert not watched
