"""Width, breaks and colours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook.terminal import Painter, cells, chop, wrap

WORDS = st.text(st.sampled_from("ab中文，。 （）`-/é\u0301🙂"), max_size=80)


WIDTHS = [("abc", 3), ("显存", 4), ("e\u0301", 1), ("🙂", 2), ("，", 2), ("\x1b[31mab\x1b[0m", 2), ("…", 1)]


@pytest.mark.parametrize(("text", "columns"), WIDTHS)
def test_cells(text: str, columns: int) -> None:
    assert cells(text) == columns


@given(WORDS, st.integers(4, 40))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    assert re.sub(r"\s", "", wrap(text, width)) == re.sub(r"\s", "", text)


@given(WORDS, st.integers(8, 40))
def test_wrapped_lines_are_short_unless_one_word_is_long(text: str, width: int) -> None:
    for line in wrap(text, width, "  ", "    ").split("\n"):
        inner = line.strip()
        breakable = re.search(r"\s|[中文](?=[中文ab🙂])", inner)
        assert cells(line) <= width or not breakable


def test_no_line_begins_with_closing_punctuation() -> None:
    wrapped = wrap("显存不足，" * 20, 31)
    assert all(not line.startswith("，") for line in wrapped.split("\n"))


def test_no_line_ends_with_an_opening_bracket() -> None:
    wrapped = wrap("显存不足（内存）" * 20, 31)
    assert all(not line.endswith("（") for line in wrapped.split("\n"))


def test_hanging_indent() -> None:
    assert wrap("aaa bbb ccc", 8, "- ", "  ") == "- aaa\n  bbb\n  ccc"


@given(WORDS, st.integers(2, 30))
def test_chopping_loses_nothing(text: str, width: int) -> None:
    rows = chop(text, width)
    assert "".join(rows) == text
    assert all(cells(row) <= width for row in rows)


def test_chopping_prefers_spaces() -> None:
    assert chop("RuntimeError: query and key", 20) == ["RuntimeError: query ", "and key"]


def test_paint_nests() -> None:
    painter = Painter(True)
    assert painter.paint(f"a {painter.paint('b', 'code')} c", "dim") == "\x1b[2ma \x1b[36mb\x1b[0m\x1b[2m c\x1b[0m"


def test_no_paint() -> None:
    assert Painter(False).paint("a", "dim") == "a"
