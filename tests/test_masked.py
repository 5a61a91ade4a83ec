"""Masked reports: no secret of the log is left in any field, and the diagnosis is the same."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import fixbook
from cli_book import KNOWN, write_book
from fixbook.masked import masked
from fixbook.model import Entry
from fixbook.report import Fact, Missing, Nearest, Reason, Report, Skipped
from fixbook.value import Value, fields, replace
from report_factory import REPORTS, finding, hit, known_report, possible_report, seed_entry, unknown_report

TOKEN = "hf_" + "aB3" * 12
LINE = f"HF_TOKEN={TOKEN} eve@corp.example /home/eve/run.py"
LEAKS = (TOKEN, "eve@corp.example", "/home/eve")


def strings(value: object) -> Iterator[str]:
    """Every text in a report, but not those of the book."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.items():
            yield from strings(list(item))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)
    elif isinstance(value, Value) and not isinstance(value, Entry):
        for field in fields(value):
            yield from strings(getattr(value, field))


def leaking() -> Report:
    """A report with the secrets in every field that comes from a log."""
    reason = Reason("model is one of x", "model", True, LINE, 3)
    bad = hit(seed_entry(), source=LINE, text=LINE, matched=LINE, captures={"model": LINE}, process=LINE)
    found = finding(seed_entry(), hits=(bad,), facts={"model": LINE}, reasons=(reason,))
    unknown = replace(
        unknown_report().unknown[0], exception=LINE, message=LINE, frames=(LINE,), nearest=(Nearest("a/b", LINE),), source=LINE
    )
    return replace(
        known_report(),
        source=LINE,
        findings=(found,),
        consequences=(found,),
        ruled_out=(found,),
        ask=(replace(possible_report().ask[0], command=LINE),),
        unknown=(unknown,),
        facts=(Fact("model", LINE, LINE, LINE, 3),),
        missing=(Missing("root-cause", 3, LINE, LINE),),
        skipped=(Skipped(LINE, "time limit"),),
    )


def test_no_field_is_forgotten() -> None:
    left = "\n".join(strings(masked(leaking())))
    assert "HF_TOKEN=<token-1> <email-1> /home/user-1/run.py" in left
    assert not any(leak in left for leak in LEAKS)


def test_a_capture_is_masked_by_what_its_line_says() -> None:
    line = "password=correct-horse-7 battery"
    bad = hit(seed_entry(), text=line, matched=line, captures={"model": "correct-horse-7"})
    report = masked(replace(known_report(), findings=(finding(seed_entry(), hits=(bad,)),)))
    assert "correct-horse-7" not in "\n".join(strings(report))


def test_what_is_secret_is_told_by_the_whole_log() -> None:
    log = "api_key=correct-horse-7\nValueError: correct-horse-7 is refused"
    bad = hit(seed_entry(), text=log.splitlines()[1], matched="correct-horse-7 is refused")
    report = replace(known_report(), findings=(finding(seed_entry(), hits=(bad,)),))
    assert "correct-horse-7" in "\n".join(strings(masked(report)))
    for whole in (log, log.encode("utf-16")):
        assert "correct-horse-7" not in "\n".join(strings(masked(report, log=whole)))


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_without_secrets_stays_as_it_is(name: str) -> None:
    report = REPORTS[name]()
    assert masked(report) == report


def test_machines_are_masked_where_that_is_asked_for() -> None:
    line = "node gpu-17.corp.example: connection to 10.3.4.5 lost"
    report = replace(known_report(), findings=(finding(seed_entry(), hits=(hit(seed_entry(), text=line, matched=line),)),))
    assert "10.3.4.5" in "\n".join(strings(masked(report)))
    assert "10.3.4.5" not in "\n".join(strings(masked(report, hosts=True)))


def test_a_masked_report_can_still_render_itself(tmp_path: Path) -> None:
    book = fixbook.load(write_book(tmp_path / "kb"))
    report = masked(book.diagnose(KNOWN))
    assert report.render("text", lang="zh").startswith("已确认的原因")


def test_field_reports_are_diagnosed_the_same(field_logs: list[Path]) -> None:
    book = fixbook.load()
    for path in field_logs:
        report = book.diagnose(path.read_bytes(), name=path.name)
        told, masked_told = (json.loads(each.to_json()) for each in (report, masked(report)))
        for part in ("findings", "consequences", "ruled_out"):
            assert [_gist(each) for each in told[part]] == [_gist(each) for each in masked_told[part]]
        assert told["verdict"] == masked_told["verdict"]
        assert [each["fingerprint"] for each in told["unknown"]] == [each["fingerprint"] for each in masked_told["unknown"]]


def _gist(finding: dict[str, object]) -> object:
    hits = finding["hits"]
    assert isinstance(hits, list)
    return finding["id"], finding["level"], finding["version"], [(each["signature"], each["line"], each["column"]) for each in hits]


@pytest.fixture
def field_logs() -> list[Path]:
    """Every seventh, which is one of each sort."""
    logs = sorted((Path(__file__).parent / "field_cases").rglob("log.txt"))
    if not logs:
        pytest.skip("the field reports are not part of this copy")
    return logs[::7]


def test_a_pickled_book_is_the_same_book_whatever_became_of_its_files(tmp_path: Path) -> None:
    kb = write_book(tmp_path / "kb")
    book = fixbook.load(kb)
    data = pickle.dumps(book)
    for path in kb.rglob("*.yaml"):
        path.unlink()
    again = pickle.loads(data)
    assert again.info == book.info
    assert again.diagnose(KNOWN) == book.diagnose(KNOWN)
    assert pickle.loads(pickle.dumps(again)).entries[0].entry == book.entries[0].entry
