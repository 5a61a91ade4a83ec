"""Chat cards: golden files of each platform and language, and limits and escapes that hold whatever the log and the entry say.

FIXBOOK_UPDATE_GOLDEN=1 rewrites the golden files; read the difference before it is committed.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fixbook
from cli_book import KNOWN, write_book
from fixbook.cards import PLATFORMS, card
from fixbook.cards.dialect import Dialect, apart, shortened, unfenced, utf16
from fixbook.cards.tree import cut_spans, parse, parse_line, plain
from fixbook.errors import FixbookError
from fixbook.escape import visible
from fixbook.model import Block, Entry, Text
from fixbook.report import Report, Skipped
from fixbook.site.addresses import entry_page, home_page
from fixbook.value import replace
from report_factory import REPORTS, finding, hit, known_report, possible_report, seed_entry, unknown_report, wrapper_report

GOLDEN = Path(__file__).parent / "golden" / "cards"
SITE = "https://docs.example.org/fixbook/"
LANGS = ("en", "zh", "both")
MARKS = "`*_[]()<>&|~#@!\\-+.:/\n\r\t \x1b\u202e显😀a1"
WORDS = (
    "@everyone", "@here", "<!here>", "<!channel>", "<@U024BE7LH>", "<@123456>", "<at id=all></at>", "<font color='red'>x</font>",
    "```", "``", "https://github.com/o/r/issues/1", "o/r#12", "#12", "GH-12", "</details>", "[a](https://b.c)", "&lt;", "<https://b.c|x>",
)  # fmt: skip
HOSTILE = st.lists(st.one_of(st.sampled_from(WORDS), st.text(st.sampled_from(MARKS), max_size=8)), max_size=40).map("".join)
LONG = st.builds(lambda text, times: (text or "x") * times, HOSTILE, st.integers(1, 400))


def what(name: str) -> Report | Entry:
    if name == "unknown-in-shell":
        return replace(unknown_report(), findings=wrapper_report().findings)
    return seed_entry() if name == "entry" else REPORTS[name]()


def golden_cases() -> Iterator[tuple[str, str, str]]:
    yield from ((name, platform, lang) for name in ("known", "unknown") for platform in PLATFORMS for lang in ("en", "zh"))
    others = ("possible", "wrapper", "clean", "entry", "unknown-in-shell")
    yield from ((name, platform, "zh") for name in others for platform in ("feishu", "slack"))
    yield from (("known", platform, "both") for platform in ("discord", "wecom"))


@pytest.mark.parametrize(("name", "platform", "lang"), list(golden_cases()))
def test_golden(name: str, platform: str, lang: str) -> None:
    path = GOLDEN / f"{name}.{platform}.{lang}.json"
    text = json.dumps(card(what(name), platform, lang, base_url=SITE), ensure_ascii=False, indent=2) + "\n"
    if os.environ.get("FIXBOOK_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_only_facts_were_not_looked_for_in_is_left_out(platform: str) -> None:
    blind = tuple(Skipped(what, "no fixed text of it stands in a raw log") for what in ("fact:a", "fact:b", "messages:vllm/x:requires"))
    slow = (Skipped("vllm/x#slow", "time limit"),)
    alone, beside, without = (card(replace(known_report(), skipped=each), platform, "en") for each in (blind, (*blind, *slow), ()))
    assert alone == without
    assert beside == card(replace(known_report(), skipped=slow), platform, "en") != without


# --- limits -----------------------------------------------------------------------------------------------------------------------


def check_slack(payload: dict[str, Any]) -> None:
    blocks = payload["blocks"]
    texts = []
    assert 1 <= len(blocks) <= 50
    for block in blocks:
        if block["type"] == "divider":
            continue
        elements = block["elements"] if block["type"] == "context" else [block["text"]]
        limit = 150 if block["type"] == "header" else 3_000
        for element in elements:
            assert 1 <= utf16(element["text"]) <= limit
            texts.append(element["text"])
            if element["type"] == "mrkdwn":
                assert element["verbatim"] is True
                assert not re.search(r"<(?!https?://)|&(?!amp;|lt;|gt;)", element["text"])
                assert element["text"].count("```") % 2 == 0
    assert sum(map(utf16, texts)) <= 12_000
    assert 1 <= len(payload["text"]) <= 4_000
    assert "<" not in payload["text"]
    assert payload["unfurl_links"] is False


def check_discord(payload: dict[str, Any]) -> None:
    assert payload["allowed_mentions"] == {"parse": []}
    assert utf16(payload["content"]) <= 2_000
    assert 1 <= len(payload["embeds"]) <= 10
    total = 0
    for embed in payload["embeds"]:
        assert 1 <= utf16(embed["title"]) <= 256
        assert 1 <= utf16(embed["description"]) <= 4_096
        assert embed["description"].count("```") % 2 == 0
        total += utf16(embed["title"]) + utf16(embed["description"])
    assert total <= 6_000


def check_github(payload: dict[str, Any]) -> None:
    body = payload["body"]
    assert 1 <= utf16(body) <= 65_536
    html = [token.content for token in parsed(body) if token.type.startswith("html")]
    assert all(re.fullmatch(r"<details><summary>\w[\w ]*</summary>\n|</details>\n?", each) for each in html)
    assert len(html) % 2 == 0
    outside = "\n".join(token.content for token in parsed(body) if token.type == "text")
    assert not re.search(r"@\w|(?<![\w&])#\d|\bGH-\d", outside.replace("&#", ""))
    assert not re.search(r"//github\.com/o/r/issues/\d", outside)


def check_feishu(payload: dict[str, Any]) -> None:
    for ascii_only in (True, False):
        assert len(json.dumps(payload, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) <= 20_000
    elements = payload["card"]["body"]["elements"]
    assert payload["card"]["schema"] == "2.0"
    assert 1 <= len(elements) <= 50
    for element in elements:
        content = element.get("content", "x")
        assert content
        assert "|--" not in content
        assert not re.search(r"(?i)</?(at|font|person|link)\b", content)


def check_dingtalk(payload: dict[str, Any]) -> None:
    for ascii_only in (True, False):
        assert len(json.dumps(payload, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) <= 20_000
    assert payload["at"] == {"isAtAll": False, "atMobiles": [], "atUserIds": []}
    assert payload["markdown"]["title"]
    assert not re.search(r"<(font|a|img)\b", re.sub(r"`[^`\n]*`", "", payload["markdown"]["text"]))


def check_wecom(payload: dict[str, Any]) -> None:
    content = payload["markdown"]["content"]
    assert 1 <= len(content.encode("utf-8", "surrogatepass")) <= 4_096
    assert not re.search(r"(?i)<@|</?font\b", content)


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "dingtalk": check_dingtalk,
    "discord": check_discord,
    "feishu": check_feishu,
    "github": check_github,
    "slack": check_slack,
    "wecom": check_wecom,
}


def parsed(markdown: str) -> Iterator[Any]:
    """The tokens that a forge sees, blocks and what is in them."""
    from markdown_it import MarkdownIt

    for token in MarkdownIt("commonmark").parse(markdown):
        yield token
        yield from token.children or ()


def hostile_report(line: str, value: str, count: int = 1) -> Report:
    """Everything that comes from a log, from a log that means harm, `count` times."""
    report = known_report()
    first = report.findings[0]
    captures = {"model": value, "model_dtype": value}
    bad = hit(first.entry, source=value, text=line, matched=line[3:20], column=4, captures=captures, process=line)
    unknown = replace(unknown_report().unknown[0], exception=value, message=line, frames=(line, value))
    facts = tuple(replace(fact, value=value, stated=line) for fact in report.facts)
    reasons = tuple(replace(reason, value=value) for reason in first.reasons)
    found = replace(first, hits=(bad,), facts={"kv_cache_dtype": value}, affected_version=value, reasons=reasons)
    asked = tuple(replace(ask, command=line) for ask in possible_report().ask)
    return replace(
        report,
        findings=(found,) * count,
        source=value,
        unknown=(unknown,) * count,
        facts=facts,
        ask=asked * count,
        missing=report.missing * count,
        ruled_out=report.ruled_out * count,
        consequences=report.consequences * count,
    )


def hostile_entry(prose: str, command: str) -> Entry:
    """An entry of a third party's book, which is not to be trusted either."""
    entry = seed_entry()
    text = Text(prose or "x", prose or "x")
    sections = {name: (Block(text, command), Block(text)) for name in entry.sections}
    return replace(entry, title=text, summary=text, sections=sections)


@pytest.mark.parametrize("platform", PLATFORMS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(line=st.one_of(HOSTILE, LONG), value=HOSTILE, count=st.sampled_from([1, 1, 3, 40]), lang=st.sampled_from(LANGS), full=st.booleans())
def test_no_log_makes_a_card_that_the_platform_refuses(platform: str, line: str, value: str, count: int, lang: str, full: bool) -> None:
    for base_url in ("", SITE):
        CHECKS[platform](card(hostile_report(line, value, count), platform, lang, base_url=base_url, full=full))


@pytest.mark.parametrize("platform", PLATFORMS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(prose=st.one_of(HOSTILE, LONG), command=st.one_of(HOSTILE, LONG), lang=st.sampled_from(LANGS))
def test_no_entry_makes_a_card_that_the_platform_refuses(platform: str, prose: str, command: str, lang: str) -> None:
    entry = hostile_entry(prose, command)
    report = replace(known_report(), findings=(finding(entry),))
    for payload in (card(entry, platform, lang, full=True), card(report, platform, lang, base_url=SITE, full=True)):
        CHECKS[platform](payload)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_stray_backtick_opens_no_code(platform: str) -> None:
    CHECKS[platform](card(hostile_entry("```&lt;``@<font]|(``", "x"), platform, "en", full=True))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    "link", ["[]()", "[x]()", "[](https://x.y)", "[ ](https://x.y)", "![]()", "[a](<>)", "[a](/rel)", "[a](#b)", "[a](mailto:b@c)"]
)
@pytest.mark.parametrize("around", ["{}", "before {} after"])
def test_a_link_to_nowhere_is_its_words(platform: str, link: str, around: str) -> None:
    payload = card(hostile_entry(around.format(link), "x"), platform, "en", full=True)
    CHECKS[platform](payload)
    assert ("after" in json.dumps(payload)) == ("after" in around)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", [*REPORTS, "entry", "unknown-in-shell"])
@pytest.mark.parametrize("lang", LANGS)
def test_every_report_fits(platform: str, name: str, lang: str) -> None:
    CHECKS[platform](card(what(name), platform, lang, base_url=SITE, full=True))


def test_a_real_book_fits() -> None:
    book = fixbook.load()
    for article in book.entries:
        for platform in PLATFORMS:
            for lang in LANGS:
                CHECKS[platform](json.loads(article.render(platform, lang=lang, full=True, base_url=SITE)))


# --- what is kept when not everything fits ----------------------------------------------------------------------------------------


def long_report(command: str) -> Report:
    entry = seed_entry()
    sections = {**entry.sections, "quick_fix": (Block(Text("Run this:", "执行："), command),)}
    return replace(known_report(), findings=(finding(replace(entry, sections=sections)),))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_summary_link_and_note_stay_when_much_is_cut(platform: str) -> None:
    payload = json.dumps(card(long_report("# " + "long " * 40_000), platform, "en", base_url=SITE))
    assert "Leave it at" in payload
    assert f"{SITE}en/vllm/kv-cache-dtype-differs-from-model.html" in payload
    assert "Shortened to fit into this message." in payload


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_command_is_whole_or_not_there(platform: str) -> None:
    command = "rm -rf /tmp/cache/" + "x" * 70_000
    payload = json.dumps(card(long_report(command), platform, "en"))
    assert "rm -rf" not in payload


def test_an_excerpt_is_cut_at_the_end_of_a_line() -> None:
    entry = seed_entry()
    listing = "```text\n" + "\n".join(f"line {n} of the listing" for n in range(500)) + "\n```"
    report = replace(known_report(), findings=(finding(replace(entry, summary=Text(listing, listing))),))
    content = card(report, "discord", "en")["embeds"][0]["description"]
    code = content.split("```")[1].removeprefix("text\n").rstrip("\n").split("\n")
    assert code[-1] == "…"
    assert all(re.fullmatch(r"line \d+ of the listing", line) for line in code[:-1])


def test_nothing_says_shortened_when_everything_is_there() -> None:
    assert "Shortened" not in json.dumps(card(known_report(), "slack", "en"))


def test_both_languages_share_the_room() -> None:
    embeds = card(long_report("# " + "long " * 400), "discord", "both")["embeds"]
    assert ["原因" in embed["title"] for embed in embeds] == [True, False]


# --- pieces -----------------------------------------------------------------------------------------------------------------------


@given(HOSTILE)
def test_plain_text_shows_as_it_is(text: str) -> None:
    """What CommonMark's dialect escapes reads as the same words again, and as nothing but words."""
    words = " ".join(visible(text).split())
    spans = parse_line(Dialect().text(words).replace("@\u200b", "@"))
    assert plain(spans) == words
    assert {span.kind for span in spans} <= {"text"}


@given(HOSTILE)
def test_broken_runs_and_marks_lose_nothing(text: str) -> None:
    assert unfenced(text).replace("\u200b", "") == text.replace("\u200b", "")
    assert "```" not in unfenced(text)
    same = apart(text).replace("\u2060", "").replace("\u02cb", "`")
    assert same.replace("@\u200b", "@") == text.replace("\u2060", "").replace("@\u200b", "@")
    assert "`" not in apart(text)


@given(st.text(max_size=400), st.integers(2, 300))
def test_shortened_keeps_to_its_limit(text: str, limit: int) -> None:
    assert 1 <= utf16(shortened(text, max(limit, 7))) <= max(limit, 7)


@given(HOSTILE, st.integers(1, 60))
def test_cut_spans_cut_words_not_markup(text: str, length: int) -> None:
    spans = parse_line(text)
    assert plain(cut_spans(spans, length)).removesuffix("…") in plain(spans)
    assert len(plain(cut_spans(spans, length))) <= max(length + 1, 1)


def test_a_table_becomes_rows_and_lists_keep_their_depth() -> None:
    rows = parse("| a | b |\n|---|---|\n| 1 | `2` |")
    assert [plain(row.spans) for row in rows] == ["a · b", "1 · 2"]
    blocks = parse("1. one\n\n   ```bash\n   ls\n   ```\n2. two\n   - deep\n\n     more")
    assert [(block.marker, block.depth, block.code) for block in blocks] == [
        ("1.", 0, None),
        ("", 1, "ls"),
        ("2.", 0, None),
        ("•", 1, None),
        ("", 2, None),
    ]


# --- doors ------------------------------------------------------------------------------------------------------------------------


def test_report_and_article_render_as_cards(tmp_path: Path) -> None:
    book = fixbook.load(write_book(tmp_path / "kb"))
    report = book.diagnose(KNOWN)
    payload = report.card("slack", lang="zh")
    assert json.loads(report.render("slack", lang="zh")) == payload
    assert "校准器尚未校准" in payload["blocks"][0]["text"]["text"]
    assert "fixbook show demo/frobnicator-not-calibrated" in json.dumps(payload)
    assert json.loads(book["frobnicator"].render("discord", lang="en"))["embeds"][0]["title"] == "The frobnicator is not calibrated"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_secrets_of_the_log_are_masked(tmp_path: Path, platform: str) -> None:
    book = fixbook.load(write_book(tmp_path / "kb"))
    token = "hf_" + "aB3" * 12
    payload = book.diagnose(f"HF_TOKEN={token} ValueError: frobnicator f9 is not calibrated, asked by eve@corp.example\n").card(platform)
    assert token not in json.dumps(payload)
    assert "eve@corp.example" not in json.dumps(payload)
    assert "frobnicator" in json.dumps(payload)


def test_an_unknown_platform_or_address_is_refused() -> None:
    with pytest.raises(FixbookError, match="dingtalk, discord"):
        card(known_report(), "irc")
    for bad in ("docs.example.org", "https://a.b/>x", "https://a.b/ x"):
        with pytest.raises(FixbookError, match="base_url"):
            card(known_report(), "slack", base_url=bad)


def test_a_shell_around_an_unknown_failure_is_not_the_answer() -> None:
    """Its article would stand where a person looks for what to do."""
    report = what("unknown-in-shell")
    assert isinstance(report, Report)
    for platform in PLATFORMS:
        shown = json.dumps(card(report, platform, "en", base_url=SITE), ensure_ascii=False)
        assert "Quick fix" not in shown and "The real error is above" not in shown
        assert shown.index("frobnicator") < shown.index("The engine core did not start")


def test_links_lead_to_the_pages_of_the_site() -> None:
    id = seed_entry().id
    for name in ("unknown", "clean"):
        report = REPORTS[name]()
        assert f"{SITE}{home_page('zh')}" in json.dumps(card(report, "wecom", "zh", base_url=SITE))
        assert "https://" not in json.dumps(card(report, "wecom", "zh", base_url="https://x.example/{id}"))
    assert f"{SITE}{entry_page('zh', id)}" in json.dumps(card(known_report(), "wecom", "zh", base_url=SITE.rstrip("/")))
    assert f"https://x.example/{id}?l=en" in json.dumps(card(known_report(), "wecom", "en", base_url="https://x.example/{id}?l={lang}"))
