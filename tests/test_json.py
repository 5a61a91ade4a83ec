"""The published JSON: the schema describes it, and callers of today are served tomorrow."""

import json
import re
from enum import StrEnum
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook import json_text
from fixbook.json_report import entries_to_json, entry_to_json, reports_to_json, to_json
from fixbook.render import render, render_entry
from fixbook.value import replace
from report_factory import REPORTS, finding, hit, known_report, seed_entry

SCHEMA = json.loads((Path(__file__).parents[1] / "schema" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

# The contract with callers, key by key; keys are added here and never taken away.
TOP = "schema_version book verdict findings consequences ruled_out ask unknown facts missing skipped"
FINDING = "id kind level version rank title summary hits aliases affected_version ranks world reasons"
HIT = "signature source line column text captures repairs"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_as_the_schema_says(name: str) -> None:
    VALIDATOR.validate(json.loads(to_json(REPORTS[name]())))


def test_several_reports_are_one_document() -> None:
    document = json.loads(reports_to_json([make() for make in REPORTS.values()]))
    VALIDATOR.validate(document)
    assert len(document["reports"]) == len(REPORTS)


@pytest.mark.parametrize("broken", ["verdict", "findings", "book"])
def test_the_schema_refuses_what_is_not_a_report(broken: str) -> None:
    document = json.loads(to_json(known_report()))
    del document[broken]
    assert not VALIDATOR.is_valid(document)


def test_the_keys_of_the_contract() -> None:
    document = json.loads(to_json(known_report()))
    assert {*TOP.split()} <= {*document}
    assert {*FINDING.split()} <= {*document["findings"][0]}
    assert {*HIT.split()} <= {*document["findings"][0]["hits"][0]}
    assert document["schema_version"] == 1
    assert document["book"] == {"version": "0.1.0", "digest": "sha256:0123", "entries": 138}


def test_a_finding_says_what_it_is() -> None:
    first = json.loads(to_json(known_report()))["findings"][0]
    assert (first["id"], first["aliases"]) == ("vllm/kv-cache-dtype-differs-from-model", ["vllm/kv-dtype-mismatch"])
    assert (first["kind"], first["level"], first["version"]) == ("cause", "confirmed", "affected")
    assert first["rank"] == {
        "kind": "cause", "level": "confirmed", "version_surprise": False, "unknown_requires": 0, "place": 0, "commonness": "usual",
    }  # fmt: skip
    assert first["ranks"] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert first["hits"][0]["line"] == 41


def test_title_and_summary_are_filled() -> None:
    summary = json.loads(to_json(known_report()))["findings"][0]["summary"]
    assert summary == {
        "en": "`--kv-cache-dtype float16` was set for a bfloat16 model. Leave it at `auto`.",
        "zh": "为 bfloat16 模型设置了 `--kv-cache-dtype float16`。请保持 `auto`。",
    }


def test_ruled_out_says_because() -> None:
    (out,) = json.loads(to_json(known_report()))["ruled_out"]
    assert [(reason["fact"], reason["value"], reason["line"]) for reason in out["because"]] == [("kv_cache_dtype", "float16", 3)]


def test_findings_hold_nothing_that_is_ruled_out() -> None:
    assert all(each["level"] != "ruled_out" for each in json.loads(to_json(known_report()))["findings"])


def test_a_huge_line_is_cut_round_the_match() -> None:
    line = "x" * 60_000 + "needle" + "y" * 60_000
    found = finding(seed_entry(), hits=(hit(seed_entry(), text=line, column=60_001, matched="needle"),))
    text = json.loads(to_json(replace(known_report(), findings=(found,))))["findings"][0]["hits"][0]["text"]
    assert len(text) == 10_002
    assert text[0] == text[-1] == "…"
    assert "needle" in text


@given(st.text(st.one_of(st.characters(), st.sampled_from('\x1b\x9b\u202e\u2028\ud800"\\'))))
def test_any_log_text_survives_and_acts_on_no_terminal(text: str) -> None:
    found = finding(seed_entry(), hits=(hit(seed_entry(), text=text, matched=text, captures={"a": text}),))
    printed = to_json(replace(known_report(), findings=(found,)))
    printed.encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", printed)
    assert json.loads(printed)["findings"][0]["hits"][0]["captures"]["a"] == text


def test_chinese_stays_readable() -> None:
    assert "KV cache 精度与模型精度不一致" in to_json(known_report())


def test_render_gives_the_same_json() -> None:
    report = known_report()
    assert render(report, "json", "zh") == to_json(report)
    assert render_entry(seed_entry(), "json") == entry_to_json(seed_entry())


def test_an_entry_as_data() -> None:
    document = json.loads(entry_to_json(seed_entry()))
    assert document["sections"]["quick_fix"] == [
        {
            "en": "Start without an explicit cache dtype:",
            "zh": "去掉显式的 cache 精度后重启：",
            "run": "vllm serve {model} --kv-cache-dtype auto",
        }
    ]
    assert document["affects"][0]["first_release"] == "0.33.0"
    assert json.loads(entries_to_json([seed_entry()]))["entries"][0]["id"] == document["id"]


class Named(StrEnum):
    ONE = "one"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(Named.ONE),
        lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_written_is_what_json_writes(value: object) -> None:
    assert json_text.dumps(value) == json.dumps(value, ensure_ascii=False, indent=2)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", {"deep": [object()]}])
def test_what_json_has_not_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        json_text.dumps(value)
