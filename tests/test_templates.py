"""Where the templates come from, and that a broken cache of them is never trusted."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from fixbook.cache import Cache
from fixbook.compiled import CompiledTemplates
from fixbook.model import Text
from fixbook.templates import is_label, label, labels, root


def rendered(folder: Path, source: str) -> str:
    environment = Environment(loader=DictLoader({"x": source}), bytecode_cache=CompiledTemplates(Cache(folder)))
    return environment.get_template("x").render(name="log")


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    assert rendered(tmp_path, "a {{ name }}") == "a log"
    (file,) = tmp_path.iterdir()
    stamp = file.stat().st_mtime_ns
    assert rendered(tmp_path, "a {{ name }}") == "a log"
    assert file.stat().st_mtime_ns == stamp


def test_a_changed_template_is_compiled_anew(tmp_path: Path) -> None:
    rendered(tmp_path, "a {{ name }}")
    assert rendered(tmp_path, "b {{ name }}") == "b log"


DAMAGES = [lambda data: b"", lambda data: data[:-3], lambda data: data[:40] + b"\xff" + data[41:], lambda data: b"x" * 99]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: object) -> None:
    rendered(tmp_path, "a {{ name }}")
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))  # type: ignore[operator]
    assert rendered(tmp_path, "a {{ name }}") == "a log"
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert rendered(tmp_path / "file" / "templates", "a {{ name }}") == "a log"


def test_labels_are_texts() -> None:
    assert labels()["section.quick_fix"] == Text("Quick fix", "最快修复方案")
    assert label("section.quick_fix", "zh") == "最快修复方案"


def test_a_label_with_escapes_is_read_as_json() -> None:
    assert label("site.no-help-body", "en").startswith("Entry: {id}\nBook: ")


@pytest.mark.parametrize("key", ["no-such-label", "section.quick", "quick_fix", "", "head.confirmed: {"])
def test_what_is_no_label_is_none(key: str) -> None:
    assert not is_label(key)
    with pytest.raises(KeyError):
        label(key, "en")


def test_every_partial_is_included_and_every_page_is_there() -> None:
    files = {path.relative_to(root()).as_posix(): path.read_text(encoding="utf-8") for path in root().rglob("*") if path.is_file()}
    pages = [f"{page}/{page}.{ending}" for page in ("report", "article") for ending in ("md", "html")]
    assert set(pages) <= set(files)
    for name in (name for name in files if name.split("/")[0] in ("report", "article") and "/_" in name):
        assert any(f'"{name}"' in text for text in files.values()), name
