"""Placeholders: which value stands, and that no value becomes markup or a command."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook.filling import Marked, Values, fill, fill_command, tidy

HOSTILE = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("`*_[]()<>&|~#@!\\$'\"; \n{}")), max_size=40)


def filled(markdown: str, **known: str) -> str:
    return fill(markdown, Values(known=known, words={"word": "the word", "port": "8000"}))


@pytest.mark.parametrize(
    ("markdown", "known", "expected"),
    [
        ("a {x} b", {"x": "float16"}, "a float16 b"),
        ("a {x} b", {"x": "two words"}, "a `two words` b"),
        ("`{x}`", {"x": "a`b"}, "``a`b``"),
        ("`{x}`", {"x": "line\nbreak"}, "`line break`"),
        ("`--port {port}`", {}, "`--port 8000`"),
        ("`{word}` {word}", {}, "`<the word>` the word"),
        ("{unknown_name}", {}, "`UNKNOWN_NAME`"),
        ("`{unknown_name}`", {}, "`UNKNOWN_NAME`"),
        ("{{x}} {x}", {"x": "1"}, "{x} 1"),
        ('{"a": {"b": {x}}}', {"x": "1"}, '{"a": {"b": 1}}'),
        ("{{{{.State}}}}", {}, "{{.State}}"),
        ("[{x}](https://h.example/{x})", {"x": "a b/c"}, "[`a b/c`](https://h.example/a%20b%2Fc)"),
        ("<https://h.example/{x}>", {"x": "a>b"}, "<https://h.example/a%3Eb>"),
        ("**{x}**", {"x": "y z"}, "**`y z`**"),
        ("{X} {1}", {"x": "1"}, "{X} {1}"),
        (r"\{x} \`{x}", {"x": "1"}, r"\{x} \`1"),
    ],
)
def test_values_stand_as_their_place_needs(markdown: str, known: dict[str, str], expected: str) -> None:
    assert filled(markdown, **known) == expected


def test_what_is_marked_already_stays() -> None:
    assert filled("a {x}", x=Marked("`1` and *2*")) == "a `1` and *2*"


def test_a_fence_outgrows_its_value() -> None:
    assert filled("```\n{x}\n```", x="```` end") == "`````\n```` end\n`````"


@pytest.mark.parametrize(
    ("command", "value", "expected"),
    [
        ("vllm serve {x}", "org/model-7B", "vllm serve org/model-7B"),
        ("vllm serve {x}", "my model; rm -rf /", "vllm serve 'my model; rm -rf /'"),
        ("vllm serve {x}", "it's", "vllm serve 'it'\"'\"'s'"),
        ("vllm serve '{x}'", "a b", "vllm serve 'X'"),
        ('echo "{x}"', "$(reboot)", 'echo "X"'),
        ('echo "{x}"', "plain", 'echo "plain"'),
        ("# don't\nserve {x}", "a b", "# don't\nserve 'a b'"),
        ("serve {x}", "a\nb", "serve X"),
        ("ls {word}", "", "ls WORD"),
        ("ls -p {port}", "", "ls -p 8000"),
        ("serve {model}", "", "serve MODEL"),
        ("serve {x}", "--flag", "serve X"),
        ("echo 'don'\\''t' {x}", "a b", "echo 'don'\\''t' 'a b'"),
    ],
)
def test_commands_take_a_value_as_one_argument(command: str, value: str, expected: str) -> None:
    assert fill_command(command, Values(known={"x": value}, words={"word": "the word", "port": "8000"})) == expected


@given(HOSTILE)
def test_no_value_adds_a_word_to_a_command(value: str) -> None:
    for command in ("serve {x} --flag", "serve '{x}' --flag", 'serve "{x}" --flag'):
        words = shlex.split(fill_command(command, Values(known={"x": value})))
        assert (len(words), words[0], words[-1]) == (3, "serve", "--flag")


@given(HOSTILE)
def test_no_value_becomes_markup(value: str) -> None:
    from markdown_it import MarkdownIt

    markdown = "one {x} two `{x}` three\n\n- {x} item\n\n```text\n{x}\n```\n\nlast"
    shape = [token.type for token in MarkdownIt("commonmark").parse(fill(markdown, Values(known={"x": "w"})))]
    tokens = MarkdownIt("commonmark").parse(fill(markdown, Values(known={"x": value})))
    assert [token.type for token in tokens] == shape
    inside = {child.type for token in tokens for child in token.children or []}
    assert inside <= {"text", "code_inline"}


@given(st.text(st.sampled_from("{}`*[]()<>\\\n ab_中，"), max_size=60))
def test_any_prose_can_be_filled(markdown: str) -> None:
    values = Values(known={"a": "`"}, words={"b": "w"})
    assert isinstance(fill(markdown, values), str)
    assert isinstance(fill_command(markdown, values), str)
    assert isinstance(tidy(markdown), str)


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ("模型 与 配置", "模型与配置"),
        ("模型\n  配置", "模型配置"),
        ("不一致， 优先", "不一致，优先"),
        ("不一致，\n优先", "不一致，优先"),
        ("（见下） `x` 。", "（见下）`x`。"),
        ("`a  b` 与 vLLM 0.31", "`a  b` 与 vLLM 0.31"),
        ("`中 文`", "`中 文`"),
        ("如下：\n\n- 一，\n- 二", "如下：\n\n- 一，\n- 二"),
        ("步骤：\n1. 升级", "步骤：\n1. 升级"),
    ],
)
def test_chinese_has_no_gaps(loose: str, tight: str) -> None:
    assert tidy(loose) == tight


@given(st.text(st.sampled_from("中文，。 \n`ab"), max_size=40))
def test_tidying_only_takes_white_space(text: str) -> None:
    assert re.sub(r"\s", "", tidy(text)) == re.sub(r"\s", "", text)
