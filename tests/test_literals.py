"""Literals are sound: whatever a pattern matches contains one literal of each of its needs."""

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fixbook.literals import LONGEST, derive, safe_parts


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"\bquery and key must have the same dtype\b", [("query and key must have the same dtype",)]),
        (r"flash_api\.cpp:(?P<line>\d+), query", [("flash_api.cpp:",), (", query",)]),
        (r"^(?:error|fatal): disk full", [("error: disk full", "fatal: disk full")]),
        (r"mha_(?:varlen_)?fwd failed", [("mha_fwd failed", "mha_varlen_fwd failed")]),
        (r"got [24]5 bytes", [("got 25 bytes", "got 45 bytes")]),
        (r"(?:abc){2}def", [("abcabcdef",)]),
        (r"(?:abcd)+efg", [("abcd",), ("efg",)]),
        (r"one(?:two)*three", [("three",), ("one",)]),
        (r"first line\nsecond line", [("second line",), ("first line",)]),
        (r"left(?=right)right", [("leftright",)]),
        (r"(?:long one|short|four) \d+ \w+ anything", [(" anything",), ("four ", "long one ", "short ")]),
        (r"显存不足.{0,9}OOM", [("显存不足",), ("OOM",)]),
    ],
)
def test_needs(pattern: str, needs: list[tuple[str, ...]]) -> None:
    derived = derive(pattern)
    assert (list(derived.needs), derived.fold, derived.problem) == (needs, False, None)


def test_case_is_folded_for_ascii_letters_alone() -> None:
    assert derive("Disk Full: É", "i").needs == (("disk full: ",),)
    assert derive("Disk Full: É", "i").fold


@pytest.mark.parametrize("pattern", [r"\d+ \w+", r"(?:abcd|ef)\d", r"(?:abcdef)?\d", r".{4,9}", r"a\nb\nc\nd", "xyz"])
def test_patterns_without_a_fixed_run(pattern: str) -> None:
    assert derive(pattern).problem == "no fixed run of 4 characters is in every match"


@pytest.mark.parametrize("pattern", [r"(?:abcdef){e<=1}", r"[[:alpha:]]abcdef", "abcdef(", r"\p{L}abcdef"])
def test_what_regex_reads_otherwise_gives_nothing(pattern: str) -> None:
    assert derive(pattern).problem
    assert not derive(pattern).needs


def test_long_runs_are_cut() -> None:
    assert derive("x" * 500).needs == (("x" * LONGEST,),)


def test_safe_parts_leave_out_what_quoting_changes() -> None:
    assert safe_parts('dtype="float16" isn\'t <valid> & more') == ("float16", "dtype=", " more", "valid", " isn", "t ")


# --- any pattern of the portable subset -------------------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from("abkKsS _=:é显"), min_size=1, max_size=5)
LEAVES = st.one_of(
    WORDS.map(re.escape),
    st.sampled_from([r"\d+", r"\w{0,3}", r"[ab]", r"[^\n]{0,4}", r"\s+", r"\b", r"\n", ".", "[a-c]", r"(?=a)", r"(?!z)", "^", "[kK]"]),
)
PATTERNS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{1,3}", "{0,2}?", "{0}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=8,
)


@settings(max_examples=300, suppress_health_check=list(HealthCheck), deadline=None)
@given(PATTERNS, st.sampled_from(["", "i", "s", "im"]), st.data())
def test_every_match_contains_its_literals(pattern: str, flags: str, data: st.DataObject) -> None:
    bits = re.ASCII
    for flag in flags:
        bits |= {"i": re.I, "m": re.M, "s": re.S}[flag]
    try:
        compiled = re.compile(pattern, bits)
    except re.error:
        assume(False)
    derived = derive(pattern, flags)
    text = data.draw(st.one_of(st.from_regex(compiled), st.text(st.sampled_from("abkKsS _=:é显\n\u212a\u017f1"), max_size=30)))
    match = compiled.search(text)
    assume(match is not None and match.group())
    assert match is not None
    matched = match.group()
    text = matched.lower() if derived.fold else matched
    # a look-ahead may have seen what stands behind the match, but a literal never comes from there
    assert all(any(literal in text for literal in need) for need in derived.needs), (pattern, flags, matched, derived)
    assert len(matched) <= derived.reach
