"""YAML as authors type it: a scalar stays what it is, every value knows its line, nothing surprising is read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook.errors import Problem
from fixbook.yaml_reader import Node, parse


def read(text: str | bytes) -> Node:
    problems: list[Problem] = []
    node = parse(text.encode() if isinstance(text, str) else text, "x.yaml", problems)
    assert node is not None, problems
    return node


def value(text: str) -> tuple[str, str]:
    node = read(f"key: {text}\n").fields["key"]
    return node.kind, node.text


def test_scalars_of_yaml_1_2() -> None:
    for word in ("0.10", "on", "off", "yes", "no", "y", "12:30", "1_000", "0x1F", "1e3", "2026-12-01", ".inf", "=", "Yes"):
        assert value(word) == ("text", word)
    assert value("true") == ("flag", "true")
    assert value("False") == ("flag", "false")
    for word in ("", "~", "null", "Null"):
        assert value(word) == ("null", "")
    for word in ("'true'", '"null"', "'0.10'"):
        assert value(word) == ("text", word[1:-1])


def test_block_text_keeps_its_lines() -> None:
    assert read("key: |\n  a\n\n   b\n").fields["key"].text == "a\n\n b\n"


def test_places() -> None:
    node = read("# a comment\ntitle:\n  en: x\nlist:\n  - a: 1\n    b: 2\n  - c\n")
    places = [
        node.fields["title"].where,
        node.fields["title"].fields["en"].where,
        node.fields["list"].items[0].fields["b"].where,
        node.fields["list"].items[1].where,
        node.fields["title"].at("zh"),
    ]
    assert [str(place) for place in places] == [
        "x.yaml:2: title",
        "x.yaml:3: title.en",
        "x.yaml:6: list[0].b",
        "x.yaml:7: list[1]",
        "x.yaml:2: title.zh",
    ]


def test_byte_order_mark_and_line_ends_of_windows() -> None:
    node = read(b"\xef\xbb\xbfkey: |\r\n  a\r\n  b\r\n")
    assert node.fields["key"].text == "a\nb\n"


def test_all_problems_of_a_document_come_together() -> None:
    problems: list[Problem] = []
    assert parse(b"a: 1\na: 2\nb: !!int 3\nc: &x [1]\nd: *x\n", "x.yaml", problems) is None
    assert [(problem.where.line, problem.code) for problem in problems] == [(2, "duplicate-key"), (3, "yaml-tag"), (5, "yaml-alias")]


def test_aliases_cannot_grow() -> None:
    """Nine levels of nine aliases stand for half a billion values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    problems: list[Problem] = []
    assert parse("\n".join(lines).encode(), "x.yaml", problems) is None
    assert {problem.code for problem in problems} == {"yaml-alias"}


def test_deep_nesting_is_a_problem_not_a_crash() -> None:
    problems: list[Problem] = []
    assert parse(b"a: " + b"[" * 50_000 + b"]" * 50_000, "x.yaml", problems) is None
    assert [problem.code for problem in problems] == ["syntax"]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=80), st.text(alphabet="ab:- \n\t'\"{}[]&*!|>#%@,?`~x\x00\x1b显", max_size=60).map(str.encode)))
def test_any_bytes_give_a_document_or_a_problem(data: bytes) -> None:
    problems: list[Problem] = []
    node = parse(data, "x.yaml", problems)
    assert (node is None) == bool(problems)
    assert all(str(problem).startswith("x.yaml") for problem in problems)
