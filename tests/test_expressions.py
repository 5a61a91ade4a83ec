"""Expressions are what `re.compile` gives: compiled when first used, and once on a machine."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fixbook import expressions
from fixbook.cache import Cache

PATTERN = r"(?P<word>[a-z]+)\s(\d)(?P<end>$)?"
TEXT = "say hello 4"


@pytest.fixture
def fresh() -> ModuleType:
    """The room as a new process has it."""
    room = sys.modules.pop("fixbook.expressions")
    try:
        yield importlib.import_module("fixbook.expressions")
    finally:
        sys.modules["fixbook.expressions"] = room


def results(pattern: re.Pattern[str]) -> list[object]:
    match = pattern.search(TEXT)
    assert match is not None
    return [
        (match.span(), match.groups(), match.groupdict(), match.lastgroup),
        pattern.sub("-", TEXT),
        pattern.split(TEXT),
        pattern.findall(TEXT),
        [each.span() for each in pattern.finditer(TEXT)],
        pattern.match(TEXT),
        pattern.fullmatch("hello 4") is not None,
        (pattern.pattern, pattern.flags, pattern.groups, dict(pattern.groupindex)),
    ]


@pytest.mark.parametrize("flags", [0, re.ASCII, re.IGNORECASE | re.MULTILINE])
def test_it_does_what_a_pattern_does(flags: int) -> None:
    assert results(expressions.expression(PATTERN, flags)) == results(re.compile(PATTERN, flags))


def test_nothing_is_compiled_before_it_is_used_and_nothing_twice_on_a_machine(fresh: ModuleType, tmp_path: Path) -> None:
    unused = fresh.expression("(")
    used = fresh.expression(PATTERN)
    assert used.search(TEXT)
    with pytest.raises(re.error):
        unused.search(TEXT)
    fresh.keep(Cache(tmp_path))
    sys.modules.pop("fixbook.expressions")
    again = importlib.import_module("fixbook.expressions")
    again.use(Cache(tmp_path))
    again._code = None  # whoever compiles anew fails
    assert results(again.expression(PATTERN)) == results(re.compile(PATTERN))


def test_where_re_has_other_insides_it_compiles_as_ever(fresh: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def other(*_: object) -> None:
        raise AttributeError("_sre")

    monkeypatch.setattr(fresh, "_code", other)
    assert results(fresh.expression(PATTERN)) == results(re.compile(PATTERN))
    fresh.keep(Cache(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_is_known_of_a_pattern_is_kept_with_it(fresh: ModuleType, tmp_path: Path) -> None:
    assert fresh.recall("length", "abc", 0, lambda pattern, flags: (len(pattern), flags)) == (3, 0)
    fresh.keep(Cache(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    sys.modules.pop("fixbook.expressions")
    again = importlib.import_module("fixbook.expressions")
    again.use(Cache(tmp_path))
    assert again.recall("length", "abc", 0, lambda pattern, flags: None) == (3, 0)


def test_a_damaged_file_is_made_again(fresh: ModuleType, tmp_path: Path) -> None:
    assert fresh.expression(PATTERN).search(TEXT)
    fresh.keep(Cache(tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    sys.modules.pop("fixbook.expressions")
    again = importlib.import_module("fixbook.expressions")
    again.use(Cache(tmp_path))
    assert again.expression(PATTERN).search(TEXT)
    again.keep(Cache(tmp_path))
    assert Cache(tmp_path).get(file.name) is not None


def _again() -> ModuleType:
    sys.modules.pop("fixbook.expressions")
    return importlib.import_module("fixbook.expressions")


def test_a_run_adds_to_what_was_kept_and_unpacks_what_it_uses(fresh: ModuleType, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for word in ("one", "two", "three"):
        room = _again()
        room.use(cache)
        assert room.recall("word", word, 0, lambda pattern, flags: pattern) == word
        room.keep(cache)
    room = _again()
    room.use(cache)
    assert room.recall("word", "two", 0, lambda pattern, flags: "made") == "two"
    assert list(room._known) == [("word", "two", 0)]
    assert room.recall("word", "two", 1, lambda pattern, flags: "made") == "made"


def test_of_a_damaged_row_only_that_is_made_again(fresh: ModuleType, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for word in ("first", "second"):
        fresh.recall("word", word, 0, lambda pattern, flags: pattern)
    fresh.keep(cache)
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    file.write_bytes(data.replace(b"second", b"sEcond"))
    room = _again()
    room.use(cache)
    assert room.recall("word", "first", 0, lambda pattern, flags: "made") == "first"
    assert room.recall("word", "second", 0, lambda pattern, flags: "made") == "made"
    room.keep(cache)
    room = _again()
    room.use(cache)
    assert [room.recall("word", word, 0, lambda pattern, flags: "anew") for word in ("first", "second")] == ["first", "made"]
