"""The JSON Schema: current, and of one mind with the loader."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fixbook.errors import Problem
from fixbook.kb import shipped_root
from fixbook.model import SECTIONS
from fixbook.schema import schema, text
from fixbook.yaml_reader import Node, parse

ROOT = Path(__file__).parent.parent
FILE = ROOT / "schema" / "fixbook.schema.json"
VALIDATOR = jsonschema.Draft7Validator(schema())

# What the loader refuses by its form, which an editor should underline, too.
BY_FORM = [
    "unknown-key",
    "missing-key",
    "missing-language",
    "text-for-mapping",
    "mapping-for-list",
    "yes-is-no-flag",
    "null-for-text",
    "empty-list",
    "unknown-value",
    "schema-version",
    "no-date",
    "summary-too-long",
    "link-says-chinese",
    "package-name",
    "pattern-flags",
    "signature-id",
    "expect-unknown-level",
    "condition-unknown-test",
    "conditions-as-text",
    "condition-no-test",
    "name-is-no-name",
    "refines-no-id",
    "not-a-mapping",
    "comma-in-a-flow-mapping",
    "sample-file-elsewhere",
    "true-for-text",
]


def plain(node: Node) -> Any:
    """A document as an editor's YAML reader gives it."""
    if node.kind == "mapping":
        return {name: plain(child) for name, child in node.fields.items()}
    if node.kind == "list":
        return [plain(item) for item in node.items]
    if node.kind == "null":
        return None
    return node.text == "true" if node.kind == "flag" else node.text


def document(path: Path) -> Any:
    problems: list[Problem] = []
    node = parse(path.read_bytes(), path.name, problems)
    assert node is not None, problems
    return plain(node)


def test_file_is_current() -> None:
    assert FILE.read_text("utf-8") == text(), "python -m fixbook.schema > schema/fixbook.schema.json"


def test_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(schema())


def test_every_key_has_its_hover() -> None:
    properties = schema()["properties"]
    assert [name for name, key in properties.items() if not key.get("description")] == []
    assert set(SECTIONS) <= set(properties)


def test_shipped_entries_are_valid() -> None:
    paths = sorted((shipped_root() / "kb").glob("*/*.yaml"))
    assert paths
    for path in paths:
        errors = [f"{path.name}: {error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document(path))]
        assert errors == []


@pytest.mark.parametrize(("name", "part"), [("components.yaml", "components"), ("glossary.yaml", "glossary")])
def test_shipped_lists_are_valid(name: str, part: str) -> None:
    jsonschema.Draft7Validator(schema()["definitions"][part]).validate(document(shipped_root() / "kb" / name))


@pytest.mark.parametrize("name", BY_FORM)
def test_editor_underlines_what_the_loader_refuses(name: str) -> None:
    assert list(VALIDATOR.iter_errors(document(ROOT / "tests" / "bad_kb" / "load" / "disk" / f"{name}.yaml")))


def test_good_entry_is_valid() -> None:
    VALIDATOR.validate(document(ROOT / "tests" / "bad_kb" / "load" / "disk" / "good.yaml"))


def test_numbers_of_an_editor_are_text() -> None:
    entry = document(ROOT / "tests" / "bad_kb" / "load" / "disk" / "good.yaml")
    VALIDATOR.validate({**entry, "affects": [{"package": "vllm", "fixed": 0.1}], "requires": {"vllm_version": 0.1, "enforce_eager": True}})
