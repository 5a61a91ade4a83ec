"""What the log may not do to a terminal, to Markdown or to a shell."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook.escape import code_span, escaped, excerpt, fence_for, one_line, prose_word, shell_word, visible

ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x9b\x07\u202e\u2066\u200b\r\n\t`*_[]<>&|~#@!\\$'\"; ")))


@given(HOSTILE)
def test_visible_leaves_nothing_that_acts(text: str) -> None:
    assert not ACTS.search(visible(text))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("progress\rdone", "progress\\x0ddone"),
        ("\U000e0041", "\\U000e0041"),
        ("显存 é 🙂", "显存 é 🙂"),
    ],
)
def test_visible_names_what_it_replaces(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@given(HOSTILE, st.integers(2, 50))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


@given(HOSTILE)
def test_a_code_span_is_one_code_span(text: str) -> None:
    from markdown_it import MarkdownIt

    (inline,) = [token for token in MarkdownIt("commonmark").parse(f"x {code_span(text)} y") if token.type == "inline"]
    assert [child.type for child in inline.children or []] == ["text", "code_inline", "text"]


@given(HOSTILE)
def test_a_prose_word_is_text_or_code_and_says_the_same(text: str) -> None:
    from markdown_it import MarkdownIt

    (inline,) = [token for token in MarkdownIt("gfm-like", {"linkify": False}).parse(f"x{prose_word(text)}y") if token.type == "inline"]
    children = inline.children or []
    assert {child.type for child in children} <= {"text", "code_inline"}
    assert one_line(text) in "".join(child.content for child in children) or not one_line(text)


@pytest.mark.parametrize("value", ["float16", "0.31.0", "/dev/shm", "kv_cache_dtype", "10.9.1.5", "显存"])
def test_plain_words_stay_plain(value: str) -> None:
    assert prose_word(value) == value


ACTED_UPON = ["@everyone", "#12", "a b", "https://x.example/", "www.x.example", "*x*", "__init__", "- x", "a@b.example", ":smile:"]


@pytest.mark.parametrize("value", ACTED_UPON)
def test_words_that_a_chat_would_act_upon_become_code(value: str) -> None:
    assert prose_word(value) == f"`{value}`"


@given(HOSTILE)
def test_escaped_text_renders_as_itself(text: str) -> None:
    from markdown_it import MarkdownIt

    (inline,) = [token for token in MarkdownIt("commonmark").parse(f"x {escaped(text)} y") if token.type == "inline"]
    assert {child.type for child in inline.children or []} <= {"text", "text_special"}


@given(st.text("`a\n"))
def test_no_code_closes_its_fence(code: str) -> None:
    from markdown_it import MarkdownIt

    fence = fence_for(code)
    tokens = MarkdownIt("commonmark").parse(f"{fence}\n{code}\n{fence}\nafter")
    assert tokens[0].type == "fence"
    assert tokens[0].content == code + "\n"


@given(HOSTILE.filter(lambda text: "\x00" not in text and not re.search("[\ud800-\udfff]", text)))
def test_a_shell_word_is_one_argument(value: str) -> None:
    word = shell_word(value, quoted=False)
    if word is not None:
        done = subprocess.run(["sh", "-c", f"printf '%s|' {word}"], capture_output=True, check=True)
        assert done.stdout.decode() == f"{value}|"


@pytest.mark.parametrize("value", ["a'b", "$(reboot)", "`x`", "a b", 'a"b', ""])
def test_inside_quotes_only_plain_words_may_stand(value: str) -> None:
    assert shell_word(value, quoted=True) is None


def test_what_would_be_read_as_an_option_is_no_shell_word() -> None:
    assert shell_word("--trust-remote-code", quoted=False) is None
    assert shell_word("-1", quoted=False) == "-1"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.data())
def test_an_excerpt_shows_its_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown, left, right = excerpt(text, start, end, 60)
    assert 0 <= left <= right <= len(shown)
    if end - start <= 60:
        assert shown[left:right] == visible(text[start:end].replace("\t", "    ").replace("\n", "⏎"))
    assert not ACTS.search(shown)


def test_an_excerpt_of_a_huge_line_is_small() -> None:
    line = "x" * 5_000_000 + "needle" + "y" * 5_000_000
    shown, start, end = excerpt(line, 5_000_000, 5_000_006, 400)
    assert len(shown) <= 402
    assert shown[start:end] == "needle"
    assert shown.startswith("…")
    assert shown.endswith("…")
