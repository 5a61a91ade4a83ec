"""One defect a file: the whole message of each is asserted.

`bad_kb/load` and `bad_kb/lists` are broken books for the loader, `bad_kb/lint` is one that loads and does not hold what it says. Beside
them lies what has to be said of each; after a wanted change: `python tests/test_bad_kb.py`, then read the difference.
"""

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from fixbook.api import Book
from fixbook.errors import Problem
from fixbook.facts import FACTS
from fixbook.kb import load_folder
from fixbook.lint import lint

HERE = Path(__file__).parent
BOOKS = ("load", "lists", "lint")


def problems_of(book: str) -> tuple[Problem, ...]:
    """What is wrong with a book, files named from `tests/`."""
    here = Path.cwd()
    os.chdir(HERE)
    try:
        loaded = load_folder(Path("bad_kb") / book, FACTS)
    finally:
        os.chdir(here)
    return lint(loaded, Book(loaded).diagnose, shipped=True) if book == "lint" else loaded.problems


def by_file(text: str) -> dict[str, str]:
    """Messages by the file that they name."""
    blocks = text.strip("\n").split("\n\n") if text.strip() else []
    return {block.split(":", 1)[0]: block for block in blocks}


def written(problems: tuple[Problem, ...]) -> str:
    groups = groupby(problems, key=lambda problem: problem.where.file)
    return "\n\n".join("\n".join(map(str, group)) for _, group in groups) + "\n"


def expected(book: str) -> dict[str, str]:
    return by_file((HERE / "bad_kb" / f"{book}.txt").read_text("utf-8"))


def cases() -> Iterator[tuple[str, str]]:
    for book in BOOKS:
        for file in expected(book):
            yield book, file


@pytest.fixture(scope="module")
def said() -> dict[str, dict[str, str]]:
    return {book: by_file(written(problems_of(book))) for book in BOOKS}


@pytest.mark.parametrize(("book", "file"), list(cases()))
def test_whole_message(said: dict[str, dict[str, str]], book: str, file: str) -> None:
    assert said[book].get(file) == expected(book)[file]


@pytest.mark.parametrize("book", BOOKS)
def test_no_message_too_many(said: dict[str, dict[str, str]], book: str) -> None:
    assert set(said[book]) == set(expected(book))


@pytest.mark.parametrize("book", BOOKS)
def test_every_file_has_its_defect(book: str) -> None:
    """Only the good entry, and what a defect needs to stand beside it, are free of problems."""
    files = {path.relative_to(HERE).as_posix() for path in (HERE / "bad_kb" / book).rglob("*") if path.is_file()}
    silent = {file for file in files if not any(file == said or file.startswith(said + "/") for said in expected(book))}
    beside = ("components", "glossary", "good", "alias-shared-a", "refines-circle-b", "sibling-set-aside", "sibling")
    assert {Path(file).stem for file in silent} <= set(beside)


def test_good_entry_survives_the_bad_ones() -> None:
    ids = [entry.id for entry in load_folder(HERE / "bad_kb" / "load", FACTS).entries]
    assert "disk/good" in ids
    assert "disk/sibling-set-aside" in ids, "to name an entry that is set aside is no second error"
    assert "disk/unknown-key" not in ids


if __name__ == "__main__":
    for name in BOOKS:
        (HERE / "bad_kb" / f"{name}.txt").write_text(written(problems_of(name)), "utf-8")
