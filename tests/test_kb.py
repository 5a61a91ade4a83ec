"""The loader: entries out of folders, layers over layers, and the shipped book itself. Broken files: test_bad_kb.py."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixbook.facts import FACTS
from fixbook.kb import Loaded, load, load_folder, shipped_root
from fixbook.model import Commonness, Condition, Kind, Level, Place, Status, Text

COMPONENTS = "disk:\n  name: {en: Disks, zh: 磁盘}\n"
ENTRY = """\
schema: fixbook/1
title: {en: The disk is full, zh: 磁盘已满}
severity: service-down
affects: [{package: vllm, introduced: 0.10, fixed: 0.32.1rc0, first_release: 0.33.0}]
fix_effect: rejects_early
signatures:
  - id: no-space
    pattern: 'No space left on device: (?P<path>\\S+)'
  - id: frame
    pattern: '/disk\\.py:\\d+ in write'
    place: frame
    with: '^OSError'
    flags: is
    shared: true
    after_fix: true
    seen_in: vllm 0.8.0-0.33.0
requires:
  kv_cache_dtype: [float16, 'fp8*']
  enforce_eager: true
  model_dtype: {not_same_as: kv_cache_dtype}
  gpu_memory: {at_least: 24GiB, below: 80 GiB}
  quantization: {not: awq}
  frames: '/attention/'
rules_out: {messages: 'Starting to load model', other_package_version: 0.10}
siblings:
  - entry: disk/other
    tell: {en: It says other., zh: 日志中有 other。}
samples:
  - expect: {no-space: likely, frame: likely}
    facts: {kv_cache_dtype: fp8}
    text: |
      OSError: No space left on device: /data
  - expect: none
    why: the healthy line
    file: full.1.log
names: {path: {en: the path, zh: 路径}}
summary: {en: 'The disk is full. Free {path}.', zh: '磁盘已满，请清理 {path}。'}
quick_fix:
  - {en: Free it., zh: 清理。, run: 'du -sh {path}'}
  - {en: Start again., zh: 重新启动。}
cause: {en: Full., zh: 已满。}
verify: {en: It starts., zh: 可以启动。}
links: [{url: 'https://example.org/thread', says: the thread}]
evidence: inferred
reviewed: 2026-12-01
"""


FOREIGN = ("x\n", "  - \n", "? [\n", "\t\n", "'\n", "title: 3\n", "samples: {}\n", "links: [[]]\n", "requires: {a: {b: {c: d}}}\n")


def book(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    other = ENTRY.replace("disk/other", "disk/full").replace("full.1.log", "other.1.log")
    files = {"components.yaml": COMPONENTS, "disk/full.yaml": ENTRY, "disk/full.1.log": "all\r\nfine\n", "disk/other.yaml": other}
    return book(tmp_path / "kb", {**files, "disk/other.1.log": b"\xff\xfea\0"})


def codes(loaded: Loaded) -> list[str]:
    return [problem.code for problem in loaded.problems]


def test_entry_in_full(disk: Path) -> None:
    loaded = load_folder(disk, FACTS)
    assert loaded.problems == ()
    entry = loaded.entries[0]
    assert (entry.id, entry.component, entry.slug) == ("disk/full", "disk", "full")
    assert (entry.kind, entry.status, entry.commonness) == (Kind.CAUSE, Status.ACTIVE, Commonness.USUAL)
    assert entry.affects[0].introduced == "0.10", "a version is text, not a number"
    frame = entry.signatures[1]
    assert (frame.place, frame.with_, frame.flags, frame.seen_in) == (Place.FRAME, "^OSError", "is", ("vllm 0.8.0-0.33.0",))
    assert frame.shared and frame.after_fix
    assert entry.requires.facts == (
        Condition("kv_cache_dtype", any_of=("float16", "fp8*")),
        Condition("enforce_eager", any_of=("true",)),
        Condition("model_dtype", not_same_as="kv_cache_dtype"),
        Condition("gpu_memory", at_least="24GiB", below="80 GiB"),
        Condition("quantization", none_of=("awq",)),
    )
    assert (entry.requires.frames, entry.rules_out.messages) == ("/attention/", "Starting to load model")
    assert entry.samples[0].expect == {"no-space": Level.LIKELY, "frame": Level.LIKELY}
    assert [block.run for block in entry.sections["quick_fix"]] == ["du -sh {path}", None]
    assert set(entry.sections) == {"quick_fix", "cause", "verify"}
    assert entry.names == {"path": Text("the path", "路径")}


def test_samples_beside_the_entry(disk: Path) -> None:
    full, other = load_folder(disk, FACTS).entries
    assert full.samples[1].text == "all\r\nfine\n"
    assert other.samples[1].text == b"\xff\xfea\0"


def test_entries_are_ordered_by_id_and_know_their_lines(disk: Path) -> None:
    loaded = load_folder(disk, FACTS)
    assert [entry.id for entry in loaded.entries] == ["disk/full", "disk/other"]
    assert loaded.entries[0].signatures[1].where.line == 9
    assert loaded.entries[0].requires.facts[2].where.field == "requires.model_dtype"


def test_byte_order_mark_is_no_problem(disk: Path) -> None:
    book(disk, {"disk/full.yaml": b"\xef\xbb\xbf" + ENTRY.replace("\n", "\r\n").encode()})
    assert load_folder(disk, FACTS).problems == ()


def test_without_names_of_facts_every_name_is_taken(disk: Path) -> None:
    book(disk, {"disk/full.yaml": ENTRY.replace("kv_cache_dtype", "never_heard").replace("Free {path}", "Free {who_knows}")})
    assert codes(load_folder(disk)) == []
    assert set(codes(load_folder(disk, FACTS))) == {"unknown-fact"}


# --- layers -------------------------------------------------------------------------------------------------------------------------------


def test_later_layer_replaces_an_entry(disk: Path, tmp_path: Path) -> None:
    ours = book(tmp_path / "ours", {"disk/full.yaml": ENTRY.replace("The disk is full,", "Our disk,"), "disk/full.1.log": "x\n"})
    loaded = load([disk, ours], FACTS)
    assert [entry.title.en for entry in loaded.entries] == ["Our disk", "The disk is full"]
    assert loaded.problems == ()
    assert loaded.entries[0].where.file.endswith("ours/disk/full.yaml")


def test_layer_that_only_withdraws(disk: Path, tmp_path: Path) -> None:
    ours = book(tmp_path / "ours", {"disk/full.yaml": "schema: fixbook/1\nstatus: withdrawn\n"})
    loaded = load([disk, ours], FACTS)
    assert [entry.status for entry in loaded.entries] == [Status.WITHDRAWN, Status.ACTIVE]
    assert loaded.entries[0].title.en == "The disk is full", "its page stays"
    assert loaded.problems == ()


def test_broken_entry_of_a_layer_leaves_the_lower_one(disk: Path, tmp_path: Path) -> None:
    ours = book(tmp_path / "ours", {"disk/full.yaml": "schema: fixbook/9\n"})
    loaded = load([disk, ours], FACTS)
    assert [entry.id for entry in loaded.entries] == ["disk/full", "disk/other"]
    assert "schema" in codes(loaded)


def test_layer_brings_components_and_terms(disk: Path, tmp_path: Path) -> None:
    terms = "- {en: Disk, zh: 磁盘}\n"
    book(disk, {"glossary.yaml": "- {en: disk, zh: 盘}\n- {en: file, zh: 文件}\n"})
    ours = book(tmp_path / "ours", {"components.yaml": "net:\n  name: {en: Networks, zh: 网络}\n", "glossary.yaml": terms})
    loaded = load([disk, ours], FACTS)
    assert set(loaded.components) == {"disk", "net"}
    assert [(term.en, term.zh) for term in loaded.glossary] == [("Disk", "磁盘"), ("file", "文件")]


def test_sibling_may_live_in_another_layer(disk: Path, tmp_path: Path) -> None:
    (disk / "disk" / "other.yaml").rename(tmp_path / "other.yaml")
    (disk / "disk" / "other.1.log").rename(tmp_path / "other.1.log")
    assert codes(load_folder(disk, FACTS)) == ["unknown-entry"]
    files = {name: (tmp_path / name).read_bytes() for name in ("other.yaml", "other.1.log")}
    ours = book(tmp_path / "ours", {f"disk/{name}": content for name, content in files.items()})
    assert codes(load([disk, ours], FACTS)) == []


def test_folder_that_is_none(tmp_path: Path) -> None:
    assert codes(load_folder(tmp_path / "nowhere")) == ["no-folder"]
    book(tmp_path, {"file": "x"})
    assert codes(load_folder(tmp_path / "file")) == ["no-folder"]
    assert load_folder(tmp_path).entries == ()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_a_problem_of_that_file_alone(disk: Path, data: st.DataObject) -> None:
    """A cut, a doubled line or a foreign line anywhere: the loader answers, and the other entry stays."""
    lines = ENTRY.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1))
    new = data.draw(st.sampled_from(["", lines[at] * 2, *FOREIGN]))
    (disk / "disk" / "full.yaml").write_text("".join([*lines[:at], new, *lines[at + 1 :]]), "utf-8")
    loaded = load_folder(disk, FACTS)
    assert "disk/other" in [entry.id for entry in loaded.entries]
    assert "disk/full" in [entry.id for entry in loaded.entries] or loaded.problems


# --- the book that goes out ---------------------------------------------------------------------------------------------------------------


def test_shipped_root_holds_the_book() -> None:
    assert (shipped_root() / "kb" / "components.yaml").is_file()


def test_shipped_book_loads_without_a_problem() -> None:
    loaded = load_folder(shipped_root() / "kb", FACTS)
    assert [str(problem) for problem in loaded.problems] == []
    assert loaded.entries
