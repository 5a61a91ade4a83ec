"""The index of a book: what it lets through, and how it is kept."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook import index as index_room
from fixbook.index import Index, Probe, Role
from fixbook.parts import Parts
from fixbook.table import RUN, STRIDE, Runs, Texts, numbers_of, runs_of, to_bytes

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
    index = Index(Parts(Parts.dump(Index.build(probes).to_parts())))
    with pytest.MonkeyPatch.context() as patch:
        if long:
            patch.setattr(index_room, "_SMALL", 0)
            patch.setattr(index_room, "_SHORT", 0)
        found = index.candidates(text)
    for probe in probes:
        if re.search(probe.pattern, text, re.ASCII | (re.IGNORECASE if probe.flags else 0)):
            assert probe.key in found


def test_what_stands_in_the_text_only_in_part_is_left_out() -> None:
    index = Index.build([Probe("pair", r"first words here .{0,80} second words there"), Probe("one", "first words here")])
    assert index.candidates("the first words here, and no more") == {"one": 1}
    assert index.candidates("first words here x second words there") == {"one": 1, "pair": 0}


def test_a_pattern_without_a_literal_is_always_let_through() -> None:
    index = Index.build([Probe("any", r"\d{4}")])
    assert index.unfit == ("any",)
    assert index.candidates("") == {"any": 0}


def test_only_signatures_are_asked_for_in_a_paste() -> None:
    probes = [Probe(role, "the same words", role=role) for role in Role]
    assert list(Index.build(probes).candidates("the same words")) == ["signature"]


def test_a_phrase_that_many_share_brings_none_of_them_into_question(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{letter}SharedReplica" for letter in "abcdefghijklmnopqrst"]
    index = Index.build([Probe(name, f"undefined symbol: .{{0,20}}{name}") for name in names])
    asked: list[int] = []
    needs = Index.needs
    monkeypatch.setattr(Index, "needs", lambda index, number: asked.append(number) or needs(index, number))
    assert list(index.candidates("undefined symbol: _ZN qSharedReplica")) == ["qSharedReplica"]
    assert asked == [names.index("qSharedReplica")]


def test_equal_books_have_equal_bytes() -> None:
    made = [Index.build([Probe("a", "some words"), Probe("b", "some other words", "i")]).to_parts() for _ in range(2)]
    assert made[0] == made[1]


# --- tables -----------------------------------------------------------------------------------------------------------------------


RUNS = st.binary(min_size=RUN, max_size=RUN)


@given(st.lists(st.tuples(RUNS, st.integers(0, 2**32 - 1)), max_size=40), st.lists(RUNS, max_size=10))
def test_a_table_of_runs_gives_their_numbers_and_no_others(pairs: list[tuple[bytes, int]], others: list[bytes]) -> None:
    table = Runs(Runs.dump(pairs))
    assert len(table) == len(set(pairs))
    for run in [*(run for run, _ in pairs), *others]:
        assert sorted(table.find([int.from_bytes(run, "little")])) == sorted({number for each, number in pairs if each == run})


@given(st.binary(max_size=60))
def test_the_runs_of_a_text_begin_at_every_fourth_byte(text: bytes) -> None:
    expected = {int.from_bytes(text[at : at + RUN], "little") for at in range(0, len(text) - RUN + 1, STRIDE)}
    assert runs_of(text) == expected


@given(st.lists(st.text("aé显\ud800", max_size=5)))
def test_texts_come_back(texts: list[str]) -> None:
    again = Texts(memoryview(Texts.dump(texts)))
    assert list(again) == texts
    assert [again[number] for number in range(len(again))] == texts


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert list(numbers_of(to_bytes(numbers))) == numbers


def test_the_bytes_are_those_of_every_platform() -> None:
    assert to_bytes([1, 258]) == b"\x01\0\0\0\x02\x01\0\0"
    assert to_bytes([258], "Q") == b"\x02\x01\0\0\0\0\0\0"
