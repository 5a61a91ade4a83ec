"""Reports and articles: golden files of each format and language, and promises that hold for any log.

FIXBOOK_UPDATE_GOLDEN=1 rewrites the golden files; read the difference before it is committed.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fixbook.api import load
from fixbook.errors import FixbookError
from fixbook.model import Kind, Level, Text
from fixbook.proof import proof_rows, underlined
from fixbook.render import FORMATS, render, render_entry
from fixbook.report import Report, Skipped, VersionStatus
from fixbook.report_words import ReportWords
from fixbook.seen import shown_texts
from fixbook.templates import labels, root
from fixbook.value import replace
from report_factory import (
    REPORTS,
    finding,
    hit,
    known_report,
    possible_report,
    seed_entry,
    sibling_entry,
    unknown_report,
    wrapper_report,
)

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {"text": "txt", "markdown": "md", "html": "html"}
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x9b\u202e\r\n`*_[]<>&|~#@!\\$'\"{}; ")), max_size=60)


class Shelf(dict[str, object]):
    """A book as far as rendering needs one."""


def cases() -> Iterator[tuple[str, str, str]]:
    for name in (*REPORTS, "full", "entry"):
        for format in ENDINGS:
            for lang in ("en", "zh"):
                yield name, format, lang
    yield "known", "text", "both"


def rendered(name: str, format: str, lang: str, **options: object) -> str:
    shelf = Shelf({entry.id: entry for entry in (seed_entry(), sibling_entry())})
    if name == "entry":
        return render_entry(seed_entry(), format, lang, shelf, width=80)  # type: ignore[arg-type]
    report = known_report() if name == "full" else REPORTS[name]()
    return render(report, format, lang, full=name == "full", width=80, book=shelf, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "format", "lang"), list(cases()))
def test_golden(name: str, format: str, lang: str) -> None:
    path = GOLDEN / f"{name}.{lang}.{ENDINGS[format]}"
    text = rendered(name, format, lang) + "\n"
    if os.environ.get("FIXBOOK_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "format", "lang"), list(cases()))
def test_nothing_is_left_unfilled_and_no_gap_is_left(name: str, format: str, lang: str) -> None:
    whole = rendered(name, format, lang)
    assert "\n\n\n" not in whole or format == "html"
    text = prose_of(whole)
    assert "Quick fix" in text or "最快修复方案" in text or name in ("unknown", "clean")
    assert not re.search(r"\{[a-z_]+\}|None|Undefined|\bMarked\b", text)
    assert not re.search(r"(?<=\S)  (?=\S)", text)
    if lang == "zh":
        assert not re.search(r"[一-鿿，。：；] [一-鿿，。：；（）]|[一-鿿][,;:!?](?= |$)|[，。：；）] `|。。|：：", text)


def prose_of(text: str) -> str:
    """The text without code blocks and quoted log lines, whose spaces are their own."""
    for pattern in (r"(?ms)^ *```.*?^ *```$", r"(?s)<pre.*?</pre>", r"(?m)^ {4}.*$", r"(?m)^ *│.*$"):
        text = re.sub(pattern, "", text)
    return text


def test_colours_are_only_added() -> None:
    plain = rendered("known", "text", "en").replace("`", "")
    coloured = re.sub(r"\x1b\[[0-9;]*m", "", rendered("known", "text", "en", color=True))
    without_marks = "\n".join(line for line in plain.split("\n") if not re.fullmatch(r" *│ *\^+", line))
    assert re.sub(r"\s+", " ", coloured) == re.sub(r"\s+", " ", without_marks)


@given(HOSTILE, HOSTILE)
def test_a_log_never_acts_on_a_terminal(line: str, value: str) -> None:
    for color in (False, True):
        text = render(hostile_report(line, value), "text", "en", full=True, color=color)
        text = re.sub(r"\x1b\[[0-9;]+m", "", text) if color else text
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@given(HOSTILE, HOSTILE)
def test_a_log_never_becomes_markup_in_html(line: str, value: str) -> None:
    from html.parser import HTMLParser

    shape: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            shape.append(tag)
            assert not any(name.startswith("on") or (name == "href" and not str(val).startswith("https://")) for name, val in attrs)

    parser = Tags(convert_charrefs=True)
    parser.feed(render(hostile_report(line, value), "html", "en", full=True))
    allowed = "article header h2 h3 p code figure figcaption pre mark ul ol li section span a br"
    assert set(shape) <= {*allowed.split()}


@given(HOSTILE, HOSTILE)
def test_a_log_never_becomes_markup_in_markdown(line: str, value: str) -> None:
    from markdown_it import MarkdownIt

    def headings(report: Report) -> list[str]:
        tokens = MarkdownIt("commonmark").parse(render(report, "markdown", "en", full=True))
        assert not any(token.type.startswith("html") for token in tokens)
        return [token.tag for token in tokens if token.type == "heading_open"]

    assert headings(hostile_report(line, value)) == headings(hostile_report("a line", "a value"))


def hostile_report(line: str, value: str) -> Report:
    """A report whose log is not to be trusted."""
    report = known_report()
    first = report.findings[0]
    captures = {"model": value, "model_dtype": value}
    bad = hit(first.entry, source=value, text=line, matched=line[3:20], column=4, captures=captures, process=line)
    unknown = replace(unknown_report().unknown[0], exception=value, message=line, frames=(line, value))
    facts = tuple(replace(fact, value=value, stated=line) for fact in report.facts)
    found = replace(first, hits=(bad,), facts={"kv_cache_dtype": value}, affected_version=value)
    return replace(report, findings=(found,), source=value, unknown=(unknown,), facts=facts)


@given(st.text(max_size=300), st.integers(1, 300), st.text(max_size=30))
def test_any_hit_has_rows(text: str, column: int, matched: str) -> None:
    rows = proof_rows(hit(seed_entry(), text=text, column=column, matched=matched))
    assert all(0 <= row.start <= row.end <= len(row.text) for row in rows)
    assert all(isinstance(line, str) for line in underlined(rows, 40))


def test_the_match_is_underlined() -> None:
    rows = proof_rows(hit(seed_entry(), text="error: no 显存 left", column=8, matched="no 显存"))
    assert underlined(rows, 80) == ["error: no 显存 left", "       ^^^^^^^"]


def test_colours_of_a_log_are_left_out_of_the_proof() -> None:
    """Ray colours the tag before each line; other sequences stay to be seen."""
    text = "\x1b[36m(Worker pid=7)\x1b[0m \x1b[1;31merror\x1b[0m: \x1b[2Jno space"
    rows = proof_rows(hit(seed_entry(), text=text, column=text.index("error") + 1, matched="error: "))
    assert underlined(rows, 80) == ["(Worker pid=7) error: \\x1b[2Jno space", "               ^^^^^^^"]


def test_a_match_over_lines_shows_them() -> None:
    rows = proof_rows(hit(seed_entry(), text="1 validation error", column=1, matched="1 validation error\n  Value error, x"))
    assert [row.text for row in rows] == ["1 validation error", "  Value error, x"]


def test_a_repaired_match_stands_below_the_raw_line() -> None:
    rows = proof_rows(hit(seed_entry(), text="query &amp; key", column=1, matched="query & key"))
    assert [(row.text, row.end > row.start) for row in rows] == [("query &amp; key", False), ("query & key", True)]


def words(lang: str = "en") -> ReportWords:
    return ReportWords("zh" if lang == "zh" else "en", "server.log")


@pytest.mark.parametrize(
    ("ranks", "world", "said"),
    [
        (tuple(range(8)), 8, "8/8 ranks"),
        ((3,), 8, "only rank 3 of 8"),
        ((0, 3), 8, "ranks 0, 3 of 8"),
        ((3,), None, "only rank 3"),
        ((0, 1), None, "ranks 0, 1"),
        ((0,), 1, "rank 0"),
        (tuple(range(7)), 16, "7/16 ranks"),
        ((), 8, ""),
    ],
)
def test_spread(ranks: tuple[int, ...], world: int | None, said: str) -> None:
    assert words().spread(finding(seed_entry(), ranks=ranks, world=world)) == said


def test_numbers_are_listed_in_the_language() -> None:
    found = finding(seed_entry(), ranks=(1, 2), world=None)
    assert (words().spread(found), words("zh").spread(found)) == ("ranks 1, 2", "rank 1、2")
    assert (words().numbers((1, 2, 6)), words("zh").numbers((1, 2, 6))) == ("line 1, 2, 6", "第 1、2、6 行")


@pytest.mark.parametrize(
    "log",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.50 GiB",
        "RuntimeError: query and key must have the same dtype, kv_cache_dtype=float16, dtype=torch.bfloat16",
    ],
)
def test_no_cause_claims_words_that_others_on_the_same_line_print(log: str) -> None:
    """A claim to be the only one above a list of others, found by the very same line, would be a lie."""
    report = load().diagnose(log)
    assert len({each.entry.id for each in report.findings if each.hits[0].line == report.findings[0].hits[0].line}) > 1
    assert "only this cause" not in report.render("text")
    assert "只有这一原因" not in report.render("markdown", lang="zh")


@pytest.mark.parametrize(
    ("status", "after_fix", "begins"),
    [
        (VersionStatus.AFFECTED, False, "Version: `vllm` 0.31.0 has this fault; fixed in 0.32.1rc0, first final release 0.33.0; the fix"),
        (VersionStatus.HAS_FIX, False, "Version: `vllm` 0.31.0 already has the fix"),
        (VersionStatus.HAS_FIX, True, "Version: `vllm` 0.31.0 has the fix, and this message is what the fix prints."),
        (VersionStatus.AFFECTED, True, "Version: `vllm` 0.31.0 is older than the fix, yet prints its words"),
        (VersionStatus.UNKNOWN, False, "Version: the log does not state the version of `vllm`; fixed in"),
    ],
)
def test_version(status: VersionStatus, after_fix: bool, begins: str) -> None:
    entry = seed_entry()
    assert words().version(finding(entry, version=status, hits=(hit(entry, after_fix=after_fix),))).startswith(begins)


def test_the_version_is_that_of_the_package_that_the_log_states() -> None:
    entry = seed_entry()
    torch = replace(entry.affects[0], package="torch", fixed="2.9.0", first_release=None)
    found = finding(replace(entry, affects=(torch, *entry.affects)), facts={"vllm_version": "0.31.0"})
    assert "`vllm` 0.31.0" in words().version(found)


def test_no_versions_no_sentence() -> None:
    assert words().version(finding(replace(seed_entry(), affects=()))) == ""


def test_a_benign_finding_is_called_harmless() -> None:
    entry = replace(seed_entry(), kind=Kind.BENIGN)
    report = replace(known_report(), findings=(finding(entry),), verdict="clean")
    assert render(report, "text", "zh").startswith("无害信息：")


def test_captures_come_before_facts_and_facts_before_words() -> None:
    entry = replace(seed_entry(), summary=Text("{kv_cache_dtype} {model_dtype} {model}", "x"))
    found = finding(entry, hits=(hit(entry, captures={"kv_cache_dtype": "fp8"}),), facts={"kv_cache_dtype": "no", "model_dtype": "half"})
    assert words().summary(entry, found) == "fp8 half MODEL"


def test_lines_of_another_log_are_told_with_its_name() -> None:
    report = wrapper_report()
    moved = replace(report, missing=(replace(report.missing[0], source="worker.log"),))
    assert "`worker.log:9` refers" in render(moved, "text", "en")


def test_a_missing_part_or_repair_without_a_label_stands_for_itself() -> None:
    report = wrapper_report()
    first = replace(report.findings[0], hits=(replace(report.findings[0].hits[0], repairs=("entities+frobnicated",)),))
    odd = replace(report, findings=(first,), missing=(replace(report.missing[0], what="third-leg"),))
    text = render(odd, "text", "en")
    assert "HTML entities, `frobnicated`" in text
    assert "`third-leg` (Line 9)" in text


def test_a_traceback_without_its_exception_is_called_so() -> None:
    report = unknown_report()
    cut = replace(report.unknown[0], exception="", message=" ")
    assert "- line 77: a traceback without the exception that ends it" in render(replace(report, unknown=(cut,)), "text", "en")


def test_other_findings_are_possible_or_found() -> None:
    report = possible_report()
    sure = replace(report.findings[1], level=Level.CONFIRMED, tell={})
    assert "Also found" in render(replace(report, findings=(report.findings[0], sure)), "text", "en")


@pytest.mark.parametrize("reason", ["format", "language"])
def test_wrong_choices_are_named(reason: str) -> None:
    with pytest.raises(FixbookError, match=f"unknown {reason}"):
        render(known_report(), "pdf" if reason == "format" else "text", "fr")


def test_samples_show_only_what_the_signatures_hit() -> None:
    first, second = shown_texts(seed_entry())
    assert first.endswith("query and key must have the same dtype")
    assert "INFO" not in first
    assert second.startswith("  Value error")


def test_every_label_is_yaml_and_has_both_languages_with_the_same_placeholders() -> None:
    document = yaml.safe_load((root() / "labels.yaml").read_text(encoding="utf-8"))
    assert {key: (text["en"], text["zh"]) for key, text in document.items()} == {key: (text.en, text.zh) for key, text in labels().items()}
    one_sided = {"line.times", "cli.meant"}
    for key, text in labels().items():
        names = [set(re.findall(r"\{(\w+)\}", each)) for each in (text.en, text.zh)]
        assert names[0] == names[1] or key in one_sided, key
        spans = [sorted(re.findall("`([^`]+)`", each)) for each in (text.en, text.zh)]
        assert spans[0] == spans[1] or key in one_sided, key


def test_every_enumeration_has_its_labels() -> None:
    from fixbook.model import SECTIONS, Commonness, Evidence, FixEffect, Place, Severity
    from fixbook.report import MessageStatus, Verdict

    wanted = [f"section.{name}" for name in SECTIONS]
    for prefix, values in {
        "level": Level, "kind": Kind, "severity": Severity, "commonness": Commonness, "evidence": Evidence, "effect": FixEffect,
        "place": Place, "hit": MessageStatus, "summary": Verdict,
    }.items():  # fmt: skip
        wanted += [f"{prefix}.{value}" for value in values]
    wanted += [f"version.{status}" for status in VersionStatus]
    assert [key for key in wanted if key not in labels()] == []


def _reasons() -> set[str]:
    """The words of the code with which something is said to be skipped; a number in them is some number."""
    source = Path(__file__).parents[1] / "src" / "fixbook"
    written = [node for room in ("scan", "sweep") for node in ast.walk(ast.parse((source / f"{room}.py").read_text(encoding="utf-8")))]
    values = [node.args[1] for node in written if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Skipped"]
    values += [node.value for node in written if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "reason"]
    values += [branch for value in values if isinstance(value, ast.IfExp) for branch in (value.body, value.orelse)]
    texts = [value.values if isinstance(value, ast.JoinedStr) else [value] for value in values]
    found = {"".join(part.value if isinstance(part, ast.Constant) else "7" for part in parts) for parts in texts} - {"7"}
    page = (source / "site" / "assets" / "matcher" / "scan.js").read_text(encoding="utf-8")
    return found | set(re.findall(r'reason: "([^"]+)"', page))


def test_whatever_is_skipped_is_told_in_both_languages() -> None:
    reasons = _reasons()
    assert {"time limit", "not in a browser", "more than 7 hits"} <= reasons
    for reason in sorted(reasons):
        en, zh = (str(ReportWords(lang).skipped(Skipped("vllm/x#y", reason))) for lang in ("en", "zh"))
        assert not en.endswith(f": {reason}") or len(reason) > 40, reason
        assert re.search("[\u4e00-\u9fff]", zh) and reason not in zh, reason
        assert en.count("7") == zh.count("7") == reason.count("7")
    said = str(ReportWords("zh").skipped(Skipped("a.gz", "No such device [Errno 19]")))
    assert said == r"`a.gz`：No such device \[Errno 19\]"


def _crowd(what: str, reason: str, count: int = 4) -> tuple[Skipped, ...]:
    return tuple(Skipped(what.format(at), reason.replace("7", str(at + 7))) for at in range(count))


BLIND = "no fixed text of it stands in a raw log"
PLACES = "7 more places with its words were not read, between the first and the last"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_what_is_skipped_of_many_is_one_line(format: str, lang: str) -> None:
    facts = (*_crowd("fact:{}", BLIND), Skipped("messages:vllm/x:requires", BLIND))
    report = replace(known_report(), skipped=(Skipped("a.gz", "damaged"), *facts, *_crowd("vllm/x#{}", PLACES), Skipped("b.gz", "damaged")))
    page = re.sub(r"\s+", " ", render(report, format, lang))
    assert "fact:" not in page and "messages:" not in page and "vllm/x#" not in page
    told = {
        "en": ("5 facts and conditions", "34 more places with the words of 4 signatures"),
        "zh": ("5 项环境信息和条件", "4 个特征的首尾之间另有 34 处"),
    }
    assert all(page.count(text) == 1 for text in (*told[lang], "a.gz", "b.gz"))
    assert len(json.loads(render(report, "json"))["skipped"]) == 11


def test_what_is_skipped_of_few_is_told_by_name() -> None:
    crowd = (*_crowd("vllm/x#{}", PLACES, 3), *_crowd("vllm/x#0", BLIND), *_crowd("{}.gz", "damaged"))
    words = ReportWords("en")
    assert list(words.left_out(crowd)) == [words.skipped(each) for each in crowd]


def test_each_reason_why_a_signature_or_a_fact_is_skipped_can_be_told_of_many() -> None:
    one_log = {"not in a browser", "7 more places with known words were not read: too much text"}
    of_facts = {"its words stand on too many lines of this log"}
    for reason in sorted(_reasons() - one_log):
        for lang in ("en", "zh"):
            (line,) = ReportWords(lang).left_out(_crowd("fact:{}" if reason in of_facts else "vllm/x#{}", reason))
            assert "4" in line and ("7" in line or "34" in line) == ("7" in reason), reason


@pytest.mark.parametrize(
    ("format", "heavy"), [("json", ("jinja2", "markdown_it", "pygments")), ("text", ("jinja2", "markdown_it", "pygments"))]
)
def test_a_format_imports_only_what_it_needs(format: str, heavy: tuple[str, ...]) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from report_factory import known_report\nfrom fixbook.render import render\n"
        f"render(known_report(), {format!r})\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    assert not set(heavy) & set(done.stdout.split())
    assert "yaml" not in done.stdout.split()


def test_formats_are_those_of_the_contract() -> None:
    assert FORMATS == ("text", "markdown", "html", "json")


def test_threads_that_render_at_first_find_all_of_the_highlighter() -> None:
    code = (
        "import sys, threading, fixbook\n"
        "sys.setswitchinterval(1e-6)\n"
        "book = fixbook.load()\n"
        "report = book.diagnose('RuntimeError: CUDA error: no kernel image is available for execution on the device')\n"
        "errors, together = [], threading.Barrier(10)\n"
        "def render():\n"
        "    together.wait()\n"
        "    try: report.render('html')\n"
        "    except Exception as error: errors.append(error)\n"
        "threads = [threading.Thread(target=render) for _ in range(10)]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
        "print(errors)"
    )
    for _ in range(3):  # who comes first is a matter of chance
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        assert out.stdout == "[]\n"
