"""Patterns: what is refused, what is taken, and that `re` and `regex` agree on what is taken."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fixbook
from fixbook import pattern_tree
from fixbook.pattern import captures, compile_pattern, problems

TAKEN = [
    r"\bquery and key must have the same dtype\b",
    r"\bmha_\w+, \S{0,200}/flash_api\.cpp:(?P<line>\d+), query",
    r'kv_cache_dtype="(?P<kv_cache_dtype>b?float16)" is',
    r"model='(?P<model>[^']+)'",  # the class stops before what follows
    r"Reason: (?P<reason>.+)",  # unbounded, but nothing follows
    r"\d+(?:\.\d+)*rc",  # the rounds are told apart by the dot
    r"(?:\w+, )+and",
    r"(?:\n[ \t].{0,300}){0,20}end",
    r"(?:foo|fob){2}",  # alike, but two rounds only
    r"[]a]x[^]b]y",
    r"left \{brace\} and [{] in a class",
    r"(?<!un)known (?=error)",
    r"^\s*Traceback",
    r"错误：显存不足",
]

REFUSED = {
    r"foo(": "does not compile",
    r"foo\hbar": "does not compile",
    r"(?P=x)": "does not compile",
    r"(a)b\1": "back-reference",
    r"(a)?b(?(1)c|d)": "conditional",
    r"(?>ab)c": "atomic",
    r"a++b": "possessive",
    r"\Babc": r"`\B`",
    r"(?i)abc": "inline flags",
    r"a(?i:b)c": "flags for a part",
    r"ab(?#note)c": "comment",
    r"ab{e<=1}c": "no repeat",
    r"ab{,}c": "no repeat",
    r"{name} failed": "no repeat",
    r"[[:alpha:]]+ab": "inside a class",
    r"[a[b]xyz": "inside a class",
    r"(?:(?P<x>a)b)+": "captures inside a repeat",
    r"(?=(?P<x>a))ab": "captures inside a lookaround",
    r"(?:a?)*b": "can be empty",
    r"(?:a*|b)+c": "can be empty",
    r"(?:\b)?abc": "can be empty",
    r"a?": "empty string",
    r"a|": "empty string",
    r"(?=abc)": "empty string",
    r"foo.*bar": "unbounded",
    r"foo.+?bar": "unbounded",
    r"\S+/flash": "unbounded",
    r"foo[^\n]*bar": "unbounded",
    r"foo(?:.)*bar": "unbounded",
    r"foo.*(?=bar)": "unbounded",
    r"(?:a+)+b": "nested",
    r"(?:\s*\w+)*y": "nested",
    r"(?:x(?:\w+|\d)){0,40}y": "nested",
    r"(?:\w{0,50}){4}z": "can be empty",
    r"(?:a\w{0,50}){4}z": "nested",
    r"(?:a|b|ca|cb){0,40}x": "begin alike",
    r"x{0,20000}y": "is the most",
    r"(?P<Foo>a)b": "group name",
}


@pytest.mark.parametrize("pattern", TAKEN)
def test_taken(pattern: str) -> None:
    assert problems(pattern) == ()


@pytest.mark.parametrize(("pattern", "reason"), REFUSED.items())
def test_refused(pattern: str, reason: str) -> None:
    assert any(reason in problem for problem in problems(pattern)), problems(pattern)


def test_each_reason_names_a_remedy() -> None:
    reasons = [problem for pattern in REFUSED for problem in problems(pattern)]
    assert [reason for reason in reasons if ": " not in reason] == []


def test_several_reasons_come_together() -> None:
    assert len(problems(r"(?:a+)+.*\Bb")) == 3


def test_s_flag_changes_what_a_dot_runs_over() -> None:
    assert problems(r"a.*\nb") == ()
    assert problems(r"a.*\nb", "s") != ()


def test_i_flag_is_folded_before_sets_are_compared() -> None:
    assert problems(r"(?:a+A+)+b") == ()
    assert problems(r"(?:a+A+)+b", "i") != ()


def test_ascii_meaning() -> None:
    assert compile_pattern(r"\bOOM\b").search("显存OOM了")
    assert not compile_pattern(r"^\w$").search("显")
    assert not compile_pattern(r"^\d$").search("３")


def test_flags() -> None:
    assert compile_pattern("oom", "i").search("OOM")
    assert compile_pattern("^b", "m").search("a\nb")
    assert compile_pattern("a.b", "s").search("a\nb")


def test_compiled_once() -> None:
    assert compile_pattern("abcd", "i") is compile_pattern("abcd", "i")


def test_captures_tell_what_every_match_fills() -> None:
    found = captures(r"(?P<a>x)(?:(?P<b>y)|z)(?P<c>w)?(?:(?P<d>v))(?:u(?P<e>t))?")
    assert found == {"a": True, "b": False, "c": False, "d": True, "e": False}


def test_scan_source_knows_classes_and_escapes() -> None:
    inside = "".join(character for _, character, in_class in pattern_tree.scan_source(r"a[]b\]c]d[^]e]\[f") if in_class)
    assert inside == "]bc]^]e]"


# --- the promise: what is taken means the same to `re` and to `regex`, and takes no exponential time -----------------------------------

ATOMS = st.sampled_from(
    [*"abAB01 ./:_-", "é", "显", r"\d", r"\w", r"\s", r"\S", ".", "[ab]", "[^a]", r"[\w.]", r"\.", "ab", r"\b", "^", "$", r"\n", "[a-f0-9]"]
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["?", "*", "+", "{2}", "{0,3}", "{1,200}", "*?", "+?"])
    groups = st.sampled_from(["(?:%s)", "(?P<x>%s)", "(?=%s)", "(?!%s)", "(?<=a)%s", "(?i:%s)", "(?>%s)"])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, repeats).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(groups, inner).map(lambda pair: pair[0] % pair[1]),
    )


PATTERNS = st.recursive(ATOMS, grown, max_leaves=12)
TEXTS = st.text(alphabet="abAB01 ./:_-é显\n\tK\u212aſ", max_size=60)
FLAGS = st.sampled_from(["", "i", "m", "s", "ims"])


def python_flags(flags: str) -> int:
    return re.ASCII | sum({"i": re.I, "m": re.M, "s": re.S}[letter] for letter in flags)


@settings(max_examples=400, deadline=None)
@given(PATTERNS, FLAGS, TEXTS)
def test_re_and_regex_agree(pattern: str, flags: str, text: str) -> None:
    if problems(pattern, flags):
        return
    ours = [(match.span(), match.groupdict()) for match in compile_pattern(pattern, flags).finditer(text)]
    theirs = [(match.span(), match.groupdict()) for match in re.compile(pattern, python_flags(flags)).finditer(text)]
    assert ours == theirs


@settings(max_examples=400, deadline=None)
@given(PATTERNS, FLAGS, st.sampled_from("ab0 ./"))
def test_no_taken_pattern_explodes(pattern: str, flags: str, unit: str) -> None:
    """The net is a timeout far above what polynomial work on so short a text takes."""
    if problems(pattern, flags):
        return
    compile_pattern(pattern, flags).search(unit * 60 + "\x00", timeout=20)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), FLAGS)
def test_any_text_gets_an_answer(pattern: str, flags: str) -> None:
    assert isinstance(problems(pattern, flags), tuple)


@settings(max_examples=300, deadline=None)
@given(PATTERNS, FLAGS, TEXTS)
def test_first_holds_every_beginning(pattern: str, flags: str, text: str) -> None:
    """No match begins with a character that `first` does not know."""
    if problems(pattern, flags):
        return
    mask = pattern_tree.first(list(pattern_tree.parse(pattern, flags)), 0, flags)
    for match in compile_pattern(pattern, flags).finditer(text):
        if match[0]:
            code = ord(match[0][0])
            assert mask >> min(code, 128) & 1


PIECES = [
    "a",
    "Z9",
    " ",
    "-",
    "é",
    "]",
    "}",
    "\\.",
    "\\[",
    "\\d",
    "\\b",
    "\\W",
    "\\{",
    ".",
    "^",
    "$",
    "|",
    "(",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?P<x>",
]
PIECES += [
    ")",
    "?",
    "*",
    "+",
    "{2}",
    "{1,}",
    "{,3}",
    "{0,20}",
    "[a-f]",
    "[^\\]x]",
    "[a-]",
    "[]a]",
    "[[a]",
    "[a||b]",
    "[a--b]",
    "{e}",
    "(?i)",
    "(?#x)",
    "\\p",
    "\\h",
]


@settings(max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join))
def test_what_is_common_need_not_be_compiled_to_know_that_it_compiles(pattern: str) -> None:
    if not pattern_tree.is_common(pattern):
        return
    try:
        parsed = pattern_tree.parse(pattern)
    except pattern_tree.PatternError:
        return
    if parsed.getwidth()[0] and not problems(pattern):
        compile_pattern(pattern)  # raises where the two differ


@pytest.mark.parametrize(
    "pattern", ["{e}", "x{1<e}", "(?i)a", "(?#x)a", "\\pa", "\\ha", "[[a]", "[a||b]", "[a--b]", "[[:alpha:]]", "(?>a)", "(?P=x)", "\\1"]
)
def test_what_the_two_read_differently_is_not_common(pattern: str) -> None:
    assert not pattern_tree.is_common(f"word {pattern} word")


def test_most_patterns_of_the_book_are_common() -> None:
    patterns = [signature.pattern for article in fixbook.load().entries for signature in article.entry.signatures]
    assert sum(map(pattern_tree.is_common, patterns)) > 0.9 * len(patterns)
