"""Each character of a strand knows where it stood."""

from hypothesis import given
from hypothesis import strategies as st

from fixbook.strand import Strand

TEXTS = st.text(alphabet="abcdefgh \n中", max_size=40)


def _raws(strand: Strand) -> list[int]:
    return [strand.raw(at) for at in range(len(strand))]


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_cut_keeps_the_way_back(text: str, start: int, end: int) -> None:
    strand = Strand.of(text, 100)
    cut = strand.cut(start, end)
    assert cut.text == text[start : max(start, end)]
    assert _raws(cut) == [100 + start + at for at in range(len(cut))]


@given(st.lists(TEXTS, max_size=5), st.sampled_from(["", " ", "\n"]))
def test_join_keeps_the_way_back(texts: list[str], glue: str) -> None:
    strands = [Strand.of(text, 1000 * at) for at, text in enumerate(texts)]
    joined = Strand.join(strands, glue)
    assert joined.text == glue.join(texts)
    at = 0
    for number, text in enumerate(texts):
        assert [joined.raw(at + step) for step in range(len(text))] == [1000 * number + step for step in range(len(text))]
        at += len(text) + len(glue)


@given(TEXTS)
def test_splice_maps_kept_characters_to_themselves(text: str) -> None:
    edits = [(at, at + 1, "XY") for at, char in enumerate(text) if char == "a"]
    spliced = Strand.of(text).splice(edits)
    assert spliced.text == text.replace("a", "XY")
    kept = [spliced.raw(at) for at, char in enumerate(spliced.text) if char not in "XY"]
    assert kept == [at for at, char in enumerate(text) if char != "a"]
    assert all(text[spliced.raw(at)] == "a" for at, char in enumerate(spliced.text) if char == "X")


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_cut_of_a_splice(text: str, start: int, end: int) -> None:
    edits = [(at, at + 1, "") for at, char in enumerate(text) if char == "b"]
    spliced = Strand.of(text).splice(edits)
    cut = spliced.cut(start, end)
    assert [text[cut.raw(at)] for at in range(len(cut))] == list(cut.text)
