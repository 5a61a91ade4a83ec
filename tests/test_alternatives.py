"""Patterns of many alternatives say what their whole says, though a text is held only against some of them."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fixbook
from fixbook import events, failures, peel, repairs
from fixbook.alternatives import Alternatives
from one_line import FAILURES, HEALTHY


def _all() -> Iterator[tuple[str, Alternatives]]:
    for room in (events, failures, peel, repairs):
        for name, value in vars(room).items():
            for number, each in enumerate(value if isinstance(value, tuple) else (value,)):
                if isinstance(each, Alternatives):
                    yield f"{name}-{number}", each


ALL = dict(_all())


@pytest.fixture(scope="module")
def lines() -> list[str]:
    texts = {line for article in fixbook.load().entries for sample in article.entry.samples for line in sample.text.split("\n")}
    return sorted({*texts, *FAILURES, *HEALTHY})


@pytest.mark.parametrize("name", ALL)
def test_the_parts_say_what_the_whole_says(name: str, lines: list[str]) -> None:
    pattern = ALL[name]
    for text in (*lines, "\n".join(lines)):
        whole = pattern.pattern.search(text)
        assert pattern.seen(text, text.lower()) == (whole is not None), text
        found = pattern.search(text, text.lower())
        assert (found and found.span()) == (whole and whole.span())


def test_a_text_is_held_against_few() -> None:
    tried = [words for words, _ in failures._WEAK._parts() if any(word in "error loading the weights" for word in words)]
    assert len(tried) < len(failures._WEAK._parts()) // 4


PIECES = ["error", "Error: ", "a|b", "(", ")", "[|]", r"\|", r"\(", "x", " ", "^", "$", "(?:one|two)", r"[Ee]nd"]
PATTERNS = st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), min_size=1, max_size=5).map("|".join)
TEXTS = st.text("aebrox |()Eond\n:twend", max_size=30)


@settings(max_examples=300)
@given(PATTERNS, st.sampled_from([0, re.M, re.I]), TEXTS)
def test_any_pattern_is_split_between_its_alternatives(source: str, flags: int, text: str) -> None:
    try:
        whole = re.compile(source, flags)
    except re.error:
        return
    assert Alternatives(source, flags).seen(text, text.lower()) == (whole.search(text) is not None)
