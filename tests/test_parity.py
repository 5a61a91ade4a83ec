"""The matcher in the page gives the same report as the Python program: for every sample, every field log, every shape, and odd logs."""

import json
import os
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fixbook
from field import CASES, samples
from fixbook.api import Book
from fixbook.decoding import decode, encoding_of
from fixbook.site.assets import worker
from fixbook.site.jsregex import translate
from fixbook.site.matcher_data import entry_data, matcher_data, matcher_script
from fixbook.value import replace
from node import needs_node, run
from odd_logs import container_logs, odd_logs
from one_line import FAILURES, HEALTHY
from shapes import HEADED_SHAPES, SHAPES

MAIN = """
const { diagnose } = fixbookMatcher();
function main({ book, cases, options }) {
  return cases.map(({ text, facts }) => {
    try {
      return diagnose(book, text, { facts, ...options });
    } catch (error) {
      return { error: String(error.stack) };
    }
  });
}
"""
_BROWSER = Path(__file__).parent / "browser"

Case = tuple[str, str, dict[str, str]]  # name, log, facts of the caller
Json = dict[str, Any]


def _failed_with(dtype: str) -> str:
    start = "INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: dtype=torch.bfloat16, kv_cache_dtype="
    return f"{start}{dtype}\nRuntimeError: query and key must have the same dtype\n"


@cache
def _book() -> Book:
    return fixbook.load()


@cache
def _data() -> Json:
    return matcher_data(_book().loaded.entries, _book().info)


def _in_the_page(cases: list[Case], **options: Any) -> list[Json]:
    given = [{"text": text, "facts": facts} for _, text, facts in cases]
    found: list[Json] = run(matcher_script() + MAIN, {"book": _data(), "cases": given, "options": options})
    return found


def _in_python(case: Case) -> Json:
    _, text, facts = case
    report: Json = json.loads(_book().diagnose(text, facts).to_json())
    return report


def _differences(cases: list[Case], reports: list[Json]) -> list[str]:
    pairs = zip(cases, reports, strict=True)
    return [f"{case[0]}: {_first(_in_python(case), report)}" for case, report in pairs if _in_python(case) != report]


def _first(python: Any, page: Any, path: str = "report") -> str:
    """The first place in which two reports differ."""
    if isinstance(python, dict) and isinstance(page, dict):
        key = next((key for key in (*python, *page) if python.get(key, page) != page.get(key, python)), None)
        if key is not None:
            return _first(python.get(key), page.get(key), f"{path}.{key}")
    if isinstance(python, list) and isinstance(page, list) and len(python) == len(page):
        at = next(at for at, pair in enumerate(zip(python, page, strict=True)) if pair[0] != pair[1])
        return _first(python[at], page[at], f"{path}[{at}]")
    return f"{path}\n  python {json.dumps(python, ensure_ascii=False)[:400]}\n  page   {json.dumps(page, ensure_ascii=False)[:400]}"


# --- the logs ---------------------------------------------------------------------------------------------------------------------


def _samples() -> list[Case]:
    """Every sample, near misses included."""
    return [
        (f"{article.id}[{number}]", decode(sample.text) if isinstance(sample.text, bytes) else sample.text, dict(sample.facts))
        for article in _book().entries
        for number, sample in enumerate(article.entry.samples)
    ]


def _field() -> list[Case]:
    """Every field log, healthy ones included."""
    return [(str(file.relative_to(CASES)), decode(file.read_bytes()), {}) for file in sorted(CASES.rglob("log.txt"))]


def _shaped() -> list[Case]:
    """Some samples in every shape."""
    found = []
    for shape in (*SHAPES, *HEADED_SHAPES):
        step = 60 if shape.name.startswith("embedded") else 20
        for case in samples()[::step]:
            data = shape.make(list(case.lines)).data
            found.append((f"{case.name}, {shape.name}", decode(data) if isinstance(data, bytes) else data, case.facts))
    return found


def _odd() -> list[Case]:
    texts = [text for _, text, _ in (*_samples()[::3], *_field()[::3]) if len(text) < 8000]
    return [(f"odd log {number}", text, {}) for number, text in enumerate(odd_logs(texts, seed=11, count=200))]


def _containers() -> list[Case]:
    texts = [text for _, text, _ in _samples()[::3]]
    return [(f"containers {number}", text, {}) for number, text in enumerate(container_logs(texts, seed=3, count=120))]


def _limits() -> list[Case]:
    """Logs at the limits that are set to the reader's work."""
    error = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."
    spelled = [*b"\xef\xbb\xbf\xff\xc3 \xf0\x9f\x99\x82\r\n\x1b[31m", *error.encode(), *b"\x1b[0m\n\0"]
    return [
        ("nothing", "", {}),
        ("blanks", " \n\t\n", {}),
        ("behind many columns", f"{'🙂' * 50} {error}", {}),
        ("in a line of 40,000 characters", f"{'word ' * 8000}{error}", {}),
        ("on many ranks", "\n".join(f"[rank{rank}]: {error}" for rank in range(200)), {}),
        ("in many restarts", "\n".join(f"INFO vLLM API server version 0.{number}.1\n{error}" for number in range(40)), {}),
        ("deep in escapes", json.dumps(json.dumps(json.dumps({"log": error}))), {}),
        ("spelled in bytes", json.dumps({"PRIORITY": "3", "MESSAGE": spelled, "_PID": 7}), {}),
        ("failed a hundred times, and then of another cause", "".join(map(_failed_with, ["float16"] * 100 + ["fp8"])), {}),
        ("of the kernel", "[  81.331234] NVRM: Xid (PCI:0000:4f:00): 79, x\n" + "[rank1]: step 2/9 loss 1.0\n" * 5, {}),
        ("with full-width marks", "RuntimeError：no room，🙂，x；（y） ，z，", {}),
        (
            "whose marks took their blanks along",
            "报错：requirement error：unsatisfied condition：cuda>=12.4（A100），please update。Now“x”：y",
            {},
        ),
        ("beside other numbers", json.dumps({"MESSAGE": error, "tokens": [*spelled, 256], "more": [1, 2, 3]}), {}),
        (
            "below the header of IPython",
            f"{'ValueError':<42}Traceback (most recent call last)\nCell In[1], line 1\n----> 1 f()\n\n{error}",
            {},
        ),
        ("with the caller's facts", error, {"vllm_version": "v0.8.5.post1+cu128", "gpu_memory": "80 GB", "model_dtype": "half"}),
    ]


def _one_line() -> list[Case]:
    return [(log, log, {}) for log in (*FAILURES, *HEALTHY)]


@needs_node
@pytest.mark.parametrize(
    "logs", [_samples, _field, _shaped, _odd, _containers, _limits, _one_line], ids=lambda logs: logs.__name__.strip("_")
)
def test_same_report(logs: Any) -> None:
    cases = logs()
    wrong = _differences(cases, _in_the_page(cases))
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:10])


DECODE = """
function main({ book, files }) {
  const { textOf } = fixbookMatcher();
  return files.map((bytes) => textOf(book, Uint8Array.from(bytes)));
}
"""


def _files() -> list[bytes]:
    """Logs in the encodings that files come in, whole, cut and damaged."""
    pick = random.Random(5)
    texts = ["显存不足，请减小 batch_size：CUDA out of memory\r\n" * 4, "RuntimeError: can't – “quoted” 🙂\n", "plain\nASCII\n", ""]
    marks = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff", "utf-32-le": b"\xff\xfe\0\0", "gb18030": b""}
    whole = [bom + text.encode(name) for text in texts for name, mark in marks.items() for bom in (mark, b"")]
    whole += [b"don\x92t \x93x\x94 \x85", b"\0\0\0a log\n", b"a\nb\n" + "c\n".encode("utf-16-le"), bytes(range(256))]
    damaged = [_damaged(pick, data) for data in whole * 4]
    # Where a byte of GB18030 is wrong, browsers and Python put their marks of damage in other places.
    return [*whole, *(data for data in damaged if encoding_of(data) != "gb18030")]


def _damaged(pick: random.Random, data: bytes) -> bytes:
    at = pick.randint(0, len(data))
    wrong = bytes([pick.choice([0, 0x80, 0x92, 0xC3, 0xE4, 0xED, 0xF0, 0xFF])])
    return data[:at] + wrong + data[at : pick.randint(at, len(data))]


@needs_node
def test_same_text_of_a_file() -> None:
    files = _files()
    told = run(matcher_script() + DECODE, {"book": _data(), "files": [list(data) for data in files]})
    for data, text in zip(files, told, strict=True):
        assert text == decode(data), data


# --- in a browser -----------------------------------------------------------------------------------------------------------------


def _chromium() -> str | None:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def _lacks_browser() -> bool:
    return shutil.which("node") is None or _chromium() is None or not (_BROWSER / "node_modules" / "playwright-core").is_dir()


@pytest.mark.skipif(_lacks_browser() and os.environ.get("CI") != "true", reason="needs node, chromium and `npm ci --prefix tests/browser`")
def test_same_report_in_a_browser() -> None:
    """The worker that is published, in a real browser."""
    cases = [case for case in (*_samples()[::4], *_field()[::4], *_odd()[::8], *_limits()) if not case[2]]
    given = {"script": worker().decode(), "book": _data(), "cases": [text for _, text, _ in cases]}
    ran = subprocess.run(
        ["node", str(_BROWSER / "parity.mjs")],
        input=json.dumps(given),
        env={**os.environ, "CHROMIUM": _chromium() or ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    wrong = _differences(cases, json.loads(ran.stdout))
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:10])


# --- a pattern that runs away -----------------------------------------------------------------------------------------------------


BUSY = """
function main({ book, text, skip }) {
  const told = [];
  const report = fixbookMatcher().diagnose(book, text, { skip, busy: (name) => told.push(name) });
  return { told, found: report.findings.map((finding) => finding.id) };
}
"""


@needs_node
def test_a_pattern_is_named_before_it_runs_and_can_be_left_out() -> None:
    case = samples()[0]
    text = "\n".join(case.lines)
    entry = case.name.split("[")[0]
    told = run(matcher_script() + BUSY, {"book": _data(), "text": text, "skip": []})
    own = [name for name in told["told"] if name.startswith(f"{entry}#")]
    assert own
    assert entry in told["found"]
    without = run(matcher_script() + BUSY, {"book": _data(), "text": text, "skip": own})
    assert entry not in without["found"]
    assert not set(own) & set(without["told"])


@needs_node
def test_what_cannot_be_said_in_javascript_is_told() -> None:
    entry = _book().entries[0].entry
    odd = replace(entry.signatures[0], id="odd", pattern="(?>xxxx)x")
    data = {**_data(), "entries": [entry_data(replace(entry, signatures=(odd,)))]}
    (report,) = run(matcher_script() + MAIN, {"book": data, "cases": [{"text": "xxxxxxxx", "facts": {}}], "options": {}})
    assert report["skipped"] == [{"what": f"{entry.id}#odd", "reason": "not in a browser", "line": 0}]


def test_every_signature_is_in_the_data() -> None:
    """None is left out because it has no counterpart."""
    matched = {entry["id"]: entry for entry in _data()["entries"]}
    for article in _book().entries:
        if article.entry.status == "active":
            told = [signature["pattern"] for signature in matched[article.id]["signatures"]]
            assert told == [translate(signature.pattern, signature.flags) for signature in article.entry.signatures]
