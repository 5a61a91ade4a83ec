"""The site in a real browser: node drives chromium over the built site of the shipped book. `tests/browser` has the tests themselves."""

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import fixbook
from field import covered_cases, samples
from fixbook.model import SECTIONS, Entry, Lang
from fixbook.report_words import ReportWords
from fixbook.site.addresses import LANGS
from fixbook.site.card import card_of, plain
from site_parts import ALIAS, folders, shipped_site, small_book, volume

_FOLDER = Path(__file__).parent / "browser"
_ENTRY = "vllm/kv-cache-dtype-differs-from-model"
_WORDS: dict[Lang, tuple[str, ...]] = {
    "en": (
        "out of memory",
        "--kv-cache-dtype",
        "nccl_debug",
        "RuntimeError",
        "tensor parallel",
        "GLIBC",
        "kv cache",
        "no-such-word-at-all",
    ),
    "zh": ("显存", "权重", "报错", "张量并行", "死锁", "超时", "驱动", "检查点", "显存不足", "--enforce-eager", "共享内存", "没有这个词吧"),
}
_UNKNOWN = """\
(EngineCore pid=9) Traceback (most recent call last):
(EngineCore pid=9)   File "/srv/kernels.py", line 12, in launch
(EngineCore pid=9) RuntimeError: the  frobnicator is not square
(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""
_SUITES = ("pages", "html", "search", "paste", "serve")


def _missing() -> str:
    """What the browser tests lack here; "" when nothing."""
    if shutil.which("node") is None:
        return "node is not installed"
    if _chromium() is None:
        return "no chromium (apt-get install chromium, or set CHROMIUM)"
    if not (_FOLDER / "node_modules" / "playwright-core").is_dir():
        return "npm packages are not installed (npm ci --prefix tests/browser)"
    return ""


def _chromium() -> str | None:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


# In the project's own checks a browser that is not there is an error, not a reason to be content.
pytestmark = pytest.mark.skipif(bool(_missing()) and os.environ.get("CI") != "true", reason=_missing())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    (folder / "site").symlink_to(shipped_site())
    facts = {**_facts(), "python": sys.executable, "book": str(small_book(folder))}
    (folder / "facts.json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
    return folder


@pytest.mark.parametrize("suite", _SUITES)
def test_in_a_browser(suite: str, home: Path) -> None:
    assert not _missing(), _missing()
    ran = _run(suite, home)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _run(suite: str, home: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["node", "--test", "--test-reporter=spec", str(_FOLDER / f"{suite}.test.mjs")],
        env={**os.environ, "FIXBOOK_SITE": str(home), "CHROMIUM": _chromium() or ""},
        capture_output=True,
        text=True,
        timeout=600,
    )


def _facts() -> dict[str, Any]:
    """What the tests in the browser hold the pages to, told by the Python program."""
    entries = [item.entry for item in volume(*folders(), shipped_site().parent / "kb").published(False).items]
    listed = [entry for entry in entries if entry.status == "active"]
    error = card_of(next(entry for entry in entries if entry.id == _ENTRY)).wordings[0].text
    book = fixbook.load(*folders(), shipped_site().parent / "kb")
    return {
        "kinds": _kinds(),
        "entry": _ENTRY,
        "alias": f"disk/{ALIAS}",
        "aliasOf": "disk/root",
        "error": error,
        "errorWithOtherNumbers": error.replace("601", "598"),
        "chinese": "启动时显存不足报错",
        "counts": {lang: {word: _count(listed, word, lang) for word in words} for lang, words in _WORDS.items()},
        "cases": _cases(book),
        "hostile": _hostile(),
        "empty": json.loads(book.diagnose("").to_json()),
    }


def _kinds() -> list[str]:
    """One page of each kind in each language, and those that there is one of."""
    inside = ("index.html", "errors.html", "versions.html", "fixes.html", "changes.html", "vllm/index.html", f"{_ENTRY}.html",
              "disk/shell.html", "disk/gone.html", "disk/harmless.html")  # fmt: skip
    return [f"{lang}/{path}" for lang in ("en", "zh") for path in inside] + ["404.html"]


def _count(entries: list[Entry], word: str, lang: Lang) -> int:
    return sum(all(part in _said(entry, lang) for part in _folded(word).split()) for entry in entries)


def _said(entry: Entry, lang: Lang) -> str:
    """All that a reader of an article in a language can look for."""
    prose = [f"{block.text.get(lang)} {block.run or ''}" for name in SECTIONS for block in entry.sections.get(name, ())]
    tells = [sibling.tell.get(lang) for sibling in entry.siblings]
    card = card_of(entry)
    named = [entry.id, *entry.aliases, card.title.en, card.title.zh, card.summary.get(lang), *(wording.text for wording in card.wordings)]
    return _folded("\n".join([*named, *prose, *tells, *card.terms]))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _cases(book: fixbook.Book) -> list[dict[str, Any]]:
    """Ten real logs, one more for each list that a report can have besides, and what the Python program finds in them."""
    example = (_FOLDER.parents[1] / "examples" / "kv-cache-float16.log").read_text(encoding="utf-8")
    real = ((case.name, "\n".join(case.lines)) for case in (*covered_cases(), *samples()[::3]))
    logs = [("example", example), ("nothing known", _UNKNOWN), *real]
    found = [(name, text, book.diagnose(text)) for name, text in logs if len(text) < 100_000]
    found = [(name, text, report) for name, text, report in found if report.findings]
    chosen = {name: (text, report) for name, text, report in found[:70:7]}
    for part in ("ask", "ruled_out", "consequences", "unknown", "missing"):
        name, text, report = next(case for case in found if getattr(case[2], part))
        chosen[name] = text, report
    return [{"name": name, "text": text, "expected": _expected(report)} for name, (text, report) in chosen.items()]


def _expected(report: fixbook.Report) -> dict[str, Any]:
    first = report.findings[0]
    lead = ReportWords("en").lead(report)
    hit = first.hits[0]
    first_line = hit.matched.split("\n")[0]
    return {
        "lead": lead.entry.id if lead else None,
        "findings": [finding.entry.id for finding in report.findings],
        "level": str(first.level) if lead and first.entry.kind != "benign" else None,
        "said": {lang: _said_of(report, lang) for lang in LANGS},
        "proof": first_line if lead and first_line in hit.text else None,
    }


def _said_of(report: fixbook.Report, lang: Lang) -> dict[str, list[str]]:
    """What a reader reads beside the proof: why the first finding is what it is, what its version says, and the lists under it."""
    words = ReportWords(lang, report.source)
    lead = words.lead(report)
    failures = [(words.unknown(each), words.unknown_about(each), *map(words.nearest, each.nearest)) for each in report.unknown]
    said = {
        "first": [(words.why(lead, report.findings),), (words.version(lead),)] if lead else [],
        "ask": [(words.ask(each),) for each in report.ask],
        "ruled_out": [(words.ruled_out(each),) for each in report.ruled_out],
        "consequences": [(words.consequence(each),) for each in report.consequences],
        "unknown": failures,
        "missing": [(words.missing(each),) for each in report.missing],
        "skipped": [(words.skipped(each),) for each in report.skipped],
    }
    return {name: ["".join(map(plain, parts)) for parts in lines if any(parts)] for name, lines in said.items()}


def _hostile() -> str:
    return (
        "Traceback (most recent call last):\n"
        'RuntimeError: <img src=x onerror="globalThis.hacked=1"> <script>globalThis.hacked=1</script> [x](javascript:globalThis.hacked=1)\n'
    )
