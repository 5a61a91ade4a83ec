"""Drafts: they load, and their signature hits the log that they were made of."""

import re
from functools import cache
from pathlib import Path

import pytest

import fixbook
from cli_book import write_book
from field import Case, field_logs, negative_logs
from fixbook.cli import main
from fixbook.decoding import decode
from fixbook.draft import Draft, draft
from fixbook.draft_name import component_of
from fixbook.errors import FixbookError
from fixbook.failures import failures
from fixbook.generalise import best_pattern, frame_pattern
from fixbook.kb import load, shipped_root
from fixbook.log import read
from fixbook.model import Component, Place, Text
from fixbook.pattern import compile_pattern, problems
from fixbook.redact import redact

TODAY = "2026-12-01"

# --- patterns -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x32 and 64x64)",
            r"\bRuntimeError: mat1 and mat2 shapes cannot be multiplied "
            r"\((?P<shape>\d{1,9}(?:x\d{1,9}){1,6}) and (?P<shape_2>\d{1,9}(?:x\d{1,9}){1,6})\)",
        ),
        (
            "torch.OutOfMemoryError: NPU out of memory. Tried to allocate 3.39 GiB (NPU 0; 59.54 GiB total)",
            r"\bOutOfMemoryError: NPU out of memory\. Tried to allocate (?P<allocate>-?\d[\d.,_]{0,30}) GiB "
            r"\(NPU (?P<npu>-?\d[\d.,_]{0,30}); (?P<number>-?\d[\d.,_]{0,30}) GiB total\)",
        ),
        (
            "OSError: cannot map /models/qwen/model-00001-of-00004.safetensors at 0x7f00aa for rank 3",
            r"\bOSError: cannot map (?P<map>[^\s'\",;()]{1,300}) at (?P<address>0x[0-9a-fA-F]{1,16}) for rank (?P<rank>-?\d[\d.,_]{0,30})",
        ),
        (
            "ValueError: unknown tool parser 'qwen99', choose from https://docs.example.org/tools now",
            r"\bValueError: unknown tool parser '(?P<parser>[^'\n]{0,300})', choose from (?P<url>[^\s'\"<>)\]]{1,300}) now",
        ),
        (
            "ValueError: pass the model type, one of ['qwen2', 'qwen2_5', 'marco']. Shape [2, 4096] is no reason",
            r"\bValueError: pass the model type, one of \[(?P<values>[^\[\](){}]{1,2000})\]\. "
            r"Shape \[(?P<values_2>[^\[\](){}]{1,2000})\] is no reason",
        ),
        (
            f"['python', 'train.py', {', '.join(repr('--option-' + str(n)) for n in range(40))}] exits with return code = 9",
            r"\[(?P<values>[^\[\](){}]{1,2000})\] exits with return code = (?P<number>-?\d[\d.,_]{0,30})",
        ),
        ("KeyError: 'qwen9'", r"\bKeyError: 'qwen9'"),
        ("AttributeError: 'Cfg' object has no attribute 'rope'", r"\bAttributeError: 'Cfg' object has no attribute 'rope'"),
        (
            "pydantic_core.ValidationError: 1 validation error for EngineArgs\n  Value error, no such backend FLUX",
            "Value error, no such backend FLUX",
        ),
        ("ImportError: \nthe library libfoo is needed", r"\bImportError:\s+the library libfoo is needed"),
        ("model gpt-oss needs sm_90 and float16", "model gpt-oss needs sm_90 and float16"),
    ],
)
def test_patterns(text: str, pattern: str) -> None:
    made = best_pattern(text)
    assert made == pattern
    assert problems(pattern) == ()
    assert compile_pattern(pattern).search(text)


@pytest.mark.parametrize("text", ["AssertionError", "ValueError: 12", "KeyError: 'x'", "12 0x3f"])
def test_what_says_too_little_gives_none(text: str) -> None:
    assert best_pattern(text) is None


def test_a_capture_never_states_a_fact() -> None:
    made = best_pattern("ValueError: block_size 17 and quantization 'awq' do not go together on rank 3")
    assert made is not None
    assert set(compile_pattern(made).groupindex) == {"number", "value", "rank"}


def test_frames() -> None:
    frame = "/opt/venv/lib/python3.11/site-packages/vllm/v1/attention/backends/flashinfer.py:801 in __init__"
    assert frame_pattern(frame) == r"\bv1/attention/backends/flashinfer\.py:(?P<line>\d+) in __init__"
    assert frame_pattern("<string>:1 in <module>") == r"<string>:(?P<line>\d+) in <module>"
    assert frame_pattern("no frame") is None


# --- names --------------------------------------------------------------------------------------------------------------------------------

COMPONENTS = {
    id: Component(id, Text(name, name), packages)
    for id, name, packages in (
        ("cuda", "CUDA", ("torch",)),
        ("flash-attn", "FlashAttention", ("flash-attn", "vllm")),
        ("nccl", "NCCL", ()),
        ("pytorch", "PyTorch", ("torch", "torchvision")),
        ("vllm", "vLLM", ("vllm",)),
    )
}


@pytest.mark.parametrize(
    ("log", "component"),
    [
        ('Traceback (most recent call last):\n  File "/x/site-packages/flash_attn/f.py", line 1, in f\nRuntimeError: no\n', "flash-attn"),
        ('Traceback (most recent call last):\n  File "/x/site-packages/torch/nn/f.py", line 1, in f\nRuntimeError: no\n', "pytorch"),
        ("torch.distributed.DistNetworkError: timed out\n", "pytorch"),
        ('Traceback (most recent call last):\n  File "/workspace/vllm/engine/f.py", line 1, in f\nValueError: no\n', "vllm"),
        ("RuntimeError: NCCL communicator was aborted\n", "nccl"),
        ("RuntimeError: something else\n", "unsorted"),
    ],
)
def test_components(log: str, component: str) -> None:
    assert component_of(failures(read(log))[0], (), (), COMPONENTS) == component


# --- field logs ---------------------------------------------------------------------------------------------------------------------------


@cache
def book() -> fixbook.Book:
    return fixbook.load()


def _uncovered() -> list[Case]:
    known = {name.rsplit("/", 1)[-1] for entry in book().entries for name in (entry.id, *entry.aliases)}
    cases = [case for case in field_logs() if not case.names & known]
    errors = [(number, decode(data)) for number, (kind, _, data) in enumerate(negative_logs()) if kind == "unknown-app-error"]
    return cases + [Case(f"unknown-app-error/{number}", tuple(text.splitlines())) for number, text in errors]


UNCOVERED = _uncovered()


def drafted(text: str, line: int = 0, **more: str) -> Draft:
    text = redact(text)
    loaded = book().loaded
    return draft(read(text), book().diagnose(text), loaded.entries, loaded.components, today=TODAY, line=line, **more)


def put(made: Draft, folder: Path, status: str) -> Path:
    path = folder / f"{made.id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(made.text.replace("status: draft", f"status: {status}"), "utf-8")
    return path


@pytest.mark.parametrize("case", UNCOVERED, ids=[case.name for case in UNCOVERED])
def test_every_uncovered_log_gives_a_draft_that_hits_it(case: Case, tmp_path: Path) -> None:
    text = "\n".join(case.lines)
    try:
        made = drafted(text)
    except FixbookError as error:
        assert "name the line" in str(error)
        longest = max(range(len(case.lines)), key=lambda at: len(case.lines[at]))
        made = drafted(text, line=longest + 1)
    put(made, tmp_path, "draft")
    [entry] = load([tmp_path]).entries
    assert (entry.id, entry.status, entry.signatures[0].pattern) == (made.id, "draft", made.signature.pattern)

    put(made, tmp_path, "active")
    alone = fixbook.load(tmp_path)
    assert [str(each) for each in alone.problems if each.code != "unknown-entry"] == []  # a sibling of the shipped book
    assert _finds(alone, made.id, text)
    for number, sample in enumerate(alone[made.id].entry.samples):
        assert _finds(alone, made.id, sample.text) is (number == 0)


def _finds(book: fixbook.Book, id: str, text: str | bytes) -> bool:
    report = book.diagnose(text)
    return id in [finding.entry.id for finding in (*report.findings, *report.consequences)]


# --- a draft ------------------------------------------------------------------------------------------------------------------------------

LOG = """\
INFO 12-01 09:00:01 [api_server.py:1899] vLLM API server version 0.11.0
INFO 12-01 09:00:02 HF_TOKEN=hf_abcdefghijKLMNOPQRSTUVWXYZ12345678
Traceback (most recent call last):
  File "/home/li.wei/venv/lib/python3.11/site-packages/vllm/tools.py", line 7, in parse
    raise ValueError
ValueError: tool grammar {'a': 1} of 17 rules is `broken`
"""


def test_what_a_draft_says() -> None:
    made = drafted(LOG)
    assert made.id == "vllm/tool-grammar-rules"
    assert made.line == 6
    assert "li.wei" not in made.text
    assert "`vllm_version=0.11.0`" in made.text
    assert "{{'a': 1}}" in made.text.replace("''", "'")
    assert "https://github.com/vllm-project/vllm/issues?q=ValueError+tool+grammar" in made.text
    assert made.text.count("TODO") >= 6
    assert made.text.count("待补充") >= 6
    assert f"reviewed: {TODAY}" in made.text


def test_a_line_can_be_named() -> None:
    assert drafted(LOG, line=2).signature.pattern.startswith("HF_TOKEN=") or drafted(LOG, line=2).line == 2
    with pytest.raises(FixbookError, match="holds no message"):
        drafted(LOG, line=99)


def test_nothing_to_draft() -> None:
    with pytest.raises(FixbookError, match="nothing in it looks like a failure"):
        drafted("INFO all is fine\n")


def test_a_draft_has_no_id_of_an_entry() -> None:
    loaded = fixbook.load(shipped_root() / "kb").loaded
    first = drafted(LOG)
    again = draft(read(LOG), book().diagnose(LOG), loaded.entries, loaded.components, today=TODAY, id="vllm/other")
    assert (first.id, again.id) == ("vllm/tool-grammar-rules", "vllm/other")


# --- the command --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_book(tmp_path / "kb")
    (tmp_path / "server.log").write_text(LOG)
    return tmp_path


SMALL = ("--kb", "kb", "--no-shipped")


def test_to_stdout(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "server.log", *SMALL]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# yaml-language-server: ")
    assert "fixbook: about line 6: \\bValueError: tool grammar" in err


def test_into_a_book(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "server.log", "--into", "kb", *SMALL]) == 0
    assert "wrote kb/unsorted/tool-grammar-rules.yaml" in capsys.readouterr().err
    assert "unsorted:\n  name: {en: unsorted, zh: unsorted}\n" in (here / "kb" / "components.yaml").read_text("utf-8")
    assert main(["lint", "kb"]) == 1
    out = capsys.readouterr().out
    assert set(re.findall(r"\[([a-z-]+)\]$", out, re.M)) <= {"left-over", "zh-typography", "zh-skipped"}
    assert main(["server.log", *SMALL]) == 1  # a draft is not matched
    assert main(["new", "server.log", "--into", "kb", "--id", "unsorted/tool-grammar-rules", *SMALL]) == 2
    assert "is there already" in capsys.readouterr().err


def test_words_of_another_entry_make_it_shared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "flux.log").write_text("RuntimeError: flux out of range\n")
    assert main(["new", "flux.log", "--line", "1", "--into", "kb", "--id", "demo/flux", *SMALL]) == 0
    err = capsys.readouterr().err
    assert "its words stand also in samples of demo/flux-of-half, demo/flux-of-xpu" in err
    loaded = fixbook.load("kb")
    assert loaded.problems == ()
    entry = loaded["demo/flux"].entry
    assert entry.signatures[0].shared
    assert [sibling.entry for sibling in entry.siblings] == ["demo/flux-of-half", "demo/flux-of-xpu"]


@pytest.mark.parametrize("arguments", [("nowhere.log",), ("server.log", "--id", "x"), ("server.log", "--line", "400")])
def test_trouble(here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert main(["new", *arguments, *SMALL]) == 2
    assert capsys.readouterr().err.startswith("fixbook: ")


def test_frame_signatures_carry_their_exception() -> None:
    log = 'Traceback (most recent call last):\n  File "/x/site-packages/vllm/tools.py", line 7, in parse\nAssertionError\n'
    made = drafted(log)
    assert (made.signature.place, made.signature.with_) == (Place.FRAME, "^AssertionError")
