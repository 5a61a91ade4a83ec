"""The index of a book: what it lets through, and how it is kept."""

import marshal
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook import index as index_room
from fixbook.index import Index, Probe, Role
from fixbook.table import Table, numbers_of, to_bytes

WORDS = st.text("abcK .:é显\u0130ß", min_size=1, max_size=14)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=12),
    st.lists(st.one_of(WORDS, st.tuples(st.integers(0, 11), st.booleans())), max_size=12),
    st.booleans(),
)
def test_no_pattern_that_matches_is_left_out(
    patterns: list[tuple[list[str], bool]], pieces: list[str | tuple[int, bool]], long: bool
) -> None:
    probes = [Probe(str(at), ".{0,9}".join(map(re.escape, words)), "i" if fold else "") for at, (words, fold) in enumerate(patterns)]
    text = ""
    for piece in pieces:
        words = piece if isinstance(piece, str) else "".join(patterns[piece[0] % len(patterns)][0])
        text += words.upper() if isinstance(piece, tuple) and piece[1] else words
    index = Index.from_data(marshal.loads(marshal.dumps(Index.build(probes).to_data())))
    with pytest.MonkeyPatch.context() as patch:
        if long:
            patch.setattr(index_room, "_SMALL", 0)
        found = index.candidates(text)
    for probe in probes:
        if re.search(probe.pattern, text, re.ASCII | (re.IGNORECASE if probe.flags else 0)):
            assert probe.key in found


def test_what_stands_in_the_text_only_in_part_is_left_out() -> None:
    index = Index.build([Probe("pair", r"first words here .{0,80} second words there"), Probe("one", "first words here")])
    assert index.candidates("the first words here, and no more") == {"one"}
    assert index.candidates("first words here x second words there") == {"one", "pair"}


def test_a_pattern_without_a_literal_is_always_let_through() -> None:
    index = Index.build([Probe("any", r"\d{4}")])
    assert index.unfit == ("any",)
    assert index.candidates("") == {"any"}


def test_only_signatures_are_asked_for_in_a_paste() -> None:
    probes = [Probe(role, "the same words", role=role) for role in Role]
    assert Index.build(probes).candidates("the same words") == {"signature"}


def test_an_index_of_another_version_is_refused() -> None:
    data = {**Index.build([]).to_data(), "version": 0}
    with pytest.raises(ValueError, match="another version"):
        Index.from_data(data)


def test_equal_books_have_equal_bytes() -> None:
    made = [Index.build([Probe("a", "some words"), Probe("b", "some other words", "i")]).to_data() for _ in range(2)]
    assert marshal.dumps(made[0], 2) == marshal.dumps(made[1], 2)


# --- tables -----------------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.text(max_size=6), st.integers(0, 2**32 - 1)), max_size=40), st.lists(st.text(max_size=6), max_size=10))
def test_a_table_leaves_nothing_out(pairs: list[tuple[str, int]], others: list[str]) -> None:
    data = Table.dump(pairs)
    assert bool(data) == bool(pairs)
    for text, number in pairs:
        assert number in list(Table(data).find([*others, text]))
    if pairs:
        assert set(Table(data).find(others)) <= {number for _, number in pairs}


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert list(numbers_of(to_bytes(numbers))) == numbers


def test_the_bytes_are_those_of_every_platform() -> None:
    assert to_bytes([1, 258]) == b"\x01\0\0\0\x02\x01\0\0"
