"""Lint: proof by samples, and the rules for both languages. The whole messages are in test_bad_kb.py."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

import fixbook
from fixbook import lint_chinese
from fixbook.api import Article, Book
from fixbook.errors import Problem, Where
from fixbook.facts import FACTS
from fixbook.kb import Loaded, load_folder, shipped_root
from fixbook.lint import lint
from fixbook.lint_chinese import chinese_problems
from fixbook.lint_language import prose_problems
from fixbook.model import Term
from fixbook.report import Report
from fixbook.yaml_reader import parse

ENTRY = """\
schema: fixbook/1
title: {en: A fault, zh: 一处故障}
severity: slow
signatures:
  - id: words
    pattern: '%(pattern)s'
samples:
  - expect: {words: %(level)s}
    text: |
      OSError: %(text)s
  - expect: none
    why: the healthy line
    text: |
      INFO all is fine
summary: {en: It failed. Repair it., zh: 出现故障，请修复。}
quick_fix: {en: Repair it., zh: 修复它。}
cause: {en: It is broken., zh: 它坏了。}
verify: {en: It works., zh: 恢复正常。}
links: [{url: 'https://example.org/thread', says: the thread}]
evidence: inferred
reviewed: 2026-12-01
"""
SIBLING = "siblings:\n  - entry: %s\n    tell: {en: It says so., zh: 日志中有说明。}\n"


def entry(pattern: str, text: str, *more: str, level: str = "confirmed") -> str:
    return ENTRY % {"pattern": pattern, "text": text, "level": level} + "".join(more)


@pytest.fixture
def book(tmp_path: Path) -> "Maker":
    return Maker(tmp_path)


class Maker:
    """Books of a few entries, put to lint."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def load(self, **entries: str) -> Loaded:
        (self.root / "disk").mkdir(exist_ok=True)
        for name, text in entries.items():
            (self.root / "disk" / f"{name}.yaml").write_text(text, "utf-8")
        loaded = load_folder(self.root, FACTS)
        assert [str(problem) for problem in loaded.problems] == []
        return loaded

    def codes(self, **entries: str) -> list[tuple[str, str]]:
        loaded = self.load(**entries)
        return [(Path(problem.where.file).stem, problem.code) for problem in lint(loaded, Book(loaded).diagnose)]


BOTH = "alpha failed at beta failed"
A = entry("alpha failed", BOTH)
B = entry("beta failed", "beta failed")


def test_undeclared_meeting(book: Maker) -> None:
    assert book.codes(a=A, b=B) == [("a", "undeclared-overlap")]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (A + SIBLING % "disk/b", B),
        (A, B + SIBLING % "disk/a"),
        (A + "refines: [disk/b]\n", B),
        (A, B + "refines: [disk/a]\n"),
        (A, B + "kind: wrapper\n"),
        (A + "kind: cascade\n", B),
        (A, B + "kind: benign\n"),
        (A, B + "status: draft\n"),
        (A, B + "status: withdrawn\n"),
    ],
)
def test_meeting_that_is_known(book: Maker, a: str, b: str) -> None:
    assert book.codes(a=a, b=b) == []


def test_near_miss_may_be_another_cause(book: Maker) -> None:
    assert book.codes(a=entry("alpha failed", "alpha failed").replace("INFO all is fine", "OSError: beta failed"), b=B) == []


def test_shared_signature_has_to_be_shared(book: Maker) -> None:
    shared = entry("x{0,3}beta failed", "beta failed", SIBLING % "disk/b", level="possible").replace(
        "samples:", "    shared: true\nsamples:"
    )
    assert book.codes(a=shared, b=B) == []
    assert book.codes(a=shared, b=entry("gamma failed", "gamma failed")) == [("a", "shared-unproved")]


def test_every_sample_is_asked_once_with_its_facts(book: Maker) -> None:
    loaded = book.load(a=A.replace("    text: |\n      OSError", "    facts: {kv_cache_dtype: fp8}\n    text: |\n      OSError"), b=B)
    diagnose = Book(loaded).diagnose
    asked: list[tuple[str | bytes, dict[str, str]]] = []

    def listening(log: str | bytes, facts: Mapping[str, str]) -> Report:
        asked.append((log, dict(facts)))
        return diagnose(log, facts)

    lint(loaded, listening)
    healthy = ("INFO all is fine\n", {})
    assert asked == [(f"OSError: {BOTH}\n", {"kv_cache_dtype": "fp8"}), healthy, ("OSError: beta failed\n", {}), healthy]


def test_drafts_only_outside_the_shipped_book(book: Maker) -> None:
    loaded = book.load(a=entry("alpha failed", "alpha failed", "status: draft\n"))
    assert lint(loaded, Book(loaded).diagnose) == ()
    assert [problem.code for problem in lint(loaded, Book(loaded).diagnose, shipped=True)] == ["draft"]


def test_problems_of_the_loader_are_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "a.yaml").write_text("schema: fixbook/9\n", "utf-8")
    loaded = load_folder(tmp_path, FACTS)
    assert set(loaded.problems) <= set(lint(loaded, Book(loaded).diagnose))


def test_without_the_corrector_lint_says_so(book: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_chinese, "_corrector", lambda: None)
    loaded = book.load(a=entry("alpha failed", "alpha failed"))
    assert [(problem.code, problem.severity) for problem in lint(loaded, Book(loaded).diagnose)] == [("zh-skipped", "warning")]


# --- both languages -----------------------------------------------------------------------------------------------------------------------


def compared(en: str, zh: str) -> list[str]:
    problems: list[Problem] = []
    indented = [text.replace("\n", "\n    ") for text in (en, zh)]
    node = parse("cause:\n  en: |\n    {}\n  zh: |\n    {}\n".format(*indented).encode(), "x.yaml", problems)
    assert node is not None
    return [problem.code for problem in prose_problems(node)]


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        ("Set `a  b` on 2 GPUs.", "在两张 GPU 上设置 `a b`。"),
        ("Since October 2024, v0.8.1.", "自 2024 年 10 月的 0.8.1 起。"),
        ("Two of three.", "3 个中有 2 个。"),
        ("See https://example.org/a.", "见 https://example.org/a。"),
        ("Free {path}.", "清理 {path}。"),
        ("Run\n```sh\ndf -h\n```", "运行\n```sh\ndf -h\n```"),
        ("NCCL, CUDA, vLLM", "NCCL、CUDA、vLLM"),
    ],
)
def test_same_facts(en: str, zh: str) -> None:
    assert compared(en, zh) == []


@pytest.mark.parametrize(
    ("en", "zh", "codes"),
    [
        ("Set `a`.", "设置 `b`。", ["unequal-code", "unequal-code"]),
        ("Set it.", "设置 `b`。", ["unequal-code"]),
        ("See https://example.org/a.", "见 https://example.org/b。", ["unequal-links", "unequal-links"]),
        ("Free {path}.", "清理。", ["unequal-placeholders"]),
        ("Since 0.8.1.", "自 0.8.2 起。", ["unequal-numbers", "unequal-numbers"]),
        ("Run\n```sh\ndf -h\n```", "运行\n```sh\ndf\n```", ["unequal-code", "unequal-code"]),
        ("The 磁盘 is full.", "磁盘已满。", ["not-english"]),
        ("The disk of this host is full.", "Full.", ["not-chinese"]),
        ("TODO", "待补充", ["left-over", "left-over"]),
    ],
)
def test_different_facts(en: str, zh: str, codes: list[str]) -> None:
    assert compared(en, zh) == codes


GLOSSARY = (Term("GPU memory", "显存", ("显卡内存",)),)


def chinese(text: str) -> list[str]:
    return [problem.code for problem in chinese_problems(text, Where("x.yaml", 1), GLOSSARY)]


@pytest.mark.parametrize(
    "text",
    [
        "把 `--tp` 设为 2，重启 vLLM（0.8.1 及以上）。",
        "显存不足：`a,b`、`显卡内存` 和 `x`。",
        "区间是 (0, 1]，比例为 50%。",
        "折行的中文\n没有空格，\n也不算错。",
        "- 第一项；\n- 第二项。",
        "见 https://example.org/a,b。",
        "路径（`/dev/shm`）不可写。",
    ],
)
def test_well_set_chinese(text: str) -> None:
    assert chinese(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("把`--tp`设为 2。", "zh-typography"),
        ("显存不足, 请重启。", "zh-typography"),
        ("显存不足:请重启。", "zh-typography"),
        ("显存(很小)不足。", "zh-typography"),
        ("该GPU不可用。", "zh-typography"),
        ("请重启.", "zh-typography"),
        ("显卡内存不足。", "zh-term"),
    ],
)
def test_badly_set_chinese(text: str, code: str) -> None:
    assert set(chinese(text)) == {code}


# --- the book that goes out ---------------------------------------------------------------------------------------------------------------


def test_shipped_book_is_clean() -> None:
    loaded = load_folder(shipped_root() / "kb", FACTS)
    assert [str(problem) for problem in lint(loaded, Book(loaded).diagnose, shipped=True)] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_commands_shown_without_a_log_can_be_typed(lang: Literal["en", "zh"]) -> None:
    """No `<…>`, which a shell takes for a redirection, and the same command in both languages."""
    for article in fixbook.load().entries:
        shown, other = (_commands(article, each) for each in (lang, "en"))
        assert not re.search(r"<[^<>\n]+>", re.sub(r"'[^']*'|\"[^\"]*\"", "", "\n".join(shown))), article.id
        assert shown == other, article.id


def _commands(article: Article, lang: Literal["en", "zh"]) -> list[str]:
    return re.findall(r"^ *```bash\n(.*?)^ *```$", article.render("markdown", lang=lang), re.M | re.S)
