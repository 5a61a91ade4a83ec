"""Text for a terminal: it says what the Markdown says, in the same order, and each branch of an explanation says its own."""

import re

import pytest

from fixbook.explain import Explanation, SignatureTrace
from fixbook.model import Entry, Place, Status
from fixbook.render import render, render_entry, render_explanation
from fixbook.render_text import TextSurface
from fixbook.report import Finding, Report
from fixbook.report_words import ReportWords
from fixbook.terminal import Painter
from fixbook.text_article import Sheet
from fixbook.text_report import explanation_parts, report_parts
from fixbook.value import replace
from report_factory import REPORTS, known_report, possible_report, seed_entry, unknown_report


def sheet(lang: str = "en", color: bool = False) -> Sheet:
    return Sheet(TextSurface(80, Painter(color)), ReportWords(lang), lambda id: None)  # type: ignore[arg-type]


def crowded_report() -> Report:
    """A known failure with everything that can stand beside it."""
    known, possible = known_report(), possible_report()
    findings = (*known.findings, *possible.findings[1:])
    return replace(known, findings=findings, ask=possible.ask, unknown=unknown_report().unknown)


def headings(text: str) -> list[str]:
    """Lines in the style of a heading, without their colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.split("\n") if line.startswith("\x1b[1;36m")]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("report", [*(make() for make in REPORTS.values()), crowded_report()], ids=[*REPORTS, "crowded"])
def test_text_has_the_sections_of_the_markdown(report: Report, lang: str, full: bool) -> None:
    markdown = re.sub(r"(?ms)^ *```.*?^ *```$", "", render(report, "markdown", lang, full))
    assert headings(render(report, "text", lang, full, color=True)) == re.findall(r"^## (.+)$", markdown, re.MULTILINE)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("bare", [False, True])
def test_an_article_has_the_sections_of_the_markdown(lang: str, bare: bool) -> None:
    entry = replace(seed_entry(), sections={}, affects=(), siblings=()) if bare else seed_entry()
    markdown = re.sub(r"(?ms)^ *```.*?^ *```$", "", render_entry(entry, "markdown", lang))
    found = re.findall(r"^## (.+)$", markdown, re.MULTILINE)
    assert headings(render_entry(entry, "text", lang, color=True)) == found
    assert len(found) == (3 if bare else 11)


@pytest.mark.parametrize("name", REPORTS)
def test_a_part_is_whole_lines(name: str) -> None:
    """A part that ended in a newline would look right in one place, and leave a gap where another part follows."""
    for part in report_parts(sheet(), REPORTS[name](), True):
        assert part == part.strip("\n")


def test_what_is_not_active_says_so() -> None:
    def shown(entry: Entry) -> str:
        return render_entry(entry, "text", "en")

    assert "this entry is" not in shown(seed_entry())
    assert "Draft: this entry is not matched yet." in shown(replace(seed_entry(), status=Status.DRAFT))
    assert "Withdrawn: this entry is no longer matched." in shown(replace(seed_entry(), status=Status.WITHDRAWN))


def test_a_rule_as_wide_as_the_text_stands_between_the_languages() -> None:
    first, second = render(known_report(), "text", "both", width=70).split(f"\n\n{'─' * 70}\n\n")
    assert (first, second) == tuple(render(known_report(), "text", lang, width=70) for lang in ("zh", "en"))


# --- explanations ----------------------------------------------------------------------------------------------------------------


def first() -> Finding:
    return known_report().findings[0]


def explained(**changes: object) -> str:
    """What is said of the first signature of an entry that was not found."""
    entry = seed_entry()
    trace = SignatureTrace(entry.signatures[0], (), (), "", "")
    made = Explanation(entry, None, (replace(trace, **changes),))
    return render_explanation(made, "en", width=200)


MISSES = [
    ({"rest": "b+"}, ["no part of the pattern"], ["│"]),
    ({"matched": "a+", "rest": "b+", "lines": (3, 5)}, ["in line 3, 5:", "│ a+", "│ b+"], []),
    ({"matched": "a+b+", "lines": (3,)}, ["in line 3, but"], ["│"]),
    ({"matched": "a+", "rest": "b+", "lines": (3,), "elsewhere": Place.FRAME}, ["│ b+", "matches in frames, where"], []),
]


@pytest.mark.parametrize(("changes", "said", "unsaid"), MISSES, ids=["nothing", "part", "condition", "elsewhere"])
def test_a_miss_tells_how_far_the_pattern_got(changes: dict[str, object], said: list[str], unsaid: list[str]) -> None:
    text = explained(**changes)
    below = text[text.index("- ", text.index(seed_entry().signatures[0].id)) :]
    assert all(part in below for part in said), below
    assert not any(part in below for part in unsaid), below


@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (7, "2 more")])
def test_of_many_hits_the_first_are_shown(count: int, more: str) -> None:
    text = explained(hits=first().hits[:1] * count)
    assert text.count("│") == 2 * min(count, 5)  # the line, and the marks below it
    assert more in text and ("more" in text) == bool(more)


def test_a_find_tells_its_level_and_its_rank() -> None:
    parts = list(explanation_parts(sheet(), Explanation(first().entry, first(), ())))
    words = ReportWords("en")
    assert parts[2] == f"  {words.say('explain.found', level=words.level(first()))}"
    assert sum(part.startswith("    - ") for part in parts) == len(first().reasons)
    assert parts[-1].lstrip().startswith(str(words.rank(first()))[:20])


def test_a_draft_that_is_not_found_is_called_one() -> None:
    entry = seed_entry()
    said = [render_explanation(Explanation(each, None, ()), "en") for each in (entry, replace(entry, status=Status.DRAFT))]
    assert "draft" not in said[0]
    assert "draft" in said[1]
