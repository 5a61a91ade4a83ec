"""What the lists of the site are made of: wordings, cards, and the book in its orders."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixbook
from fixbook.bundle import Bundle
from fixbook.index import Index
from fixbook.kb import load
from fixbook.model import Affects, Commonness, Kind, Severity, Status, Text
from fixbook.site import catalog
from fixbook.site.addresses import alias_page, relative
from fixbook.site.bundle import bundle
from fixbook.site.card import Card, card_of, plain
from fixbook.site.matcher_data import matcher_data
from fixbook.site.wordings import Part, Wording, wordings
from site_parts import small_book, volume, write_entry


def card(id: str = "disk/x", *, text: str = "", affects: Sequence[Affects] = (), **changes: object) -> Card:
    values: dict[str, object] = {
        "id": id,
        "aliases": (),
        "kind": Kind.CAUSE,
        "status": Status.ACTIVE,
        "severity": Severity.SERVICE_DOWN,
        "commonness": Commonness.USUAL,
        "reviewed": "2026-12-01",
        "affects": tuple(affects),
        "title": Text(id, id),
        "title_html": Text(id, id),
        "summary": Text("s", "s"),
        "summary_html": Text("s", "s"),
        "wordings": (Wording((Part(text, True),)),) if text else (),
        "terms": (),
        "length": 0,
        "siblings": (),
        "refines": (),
        "example": "",
    }
    return Card(**{**values, **changes})  # type: ignore[arg-type]


# --- wordings ------------------------------------------------------------------------------------------------------------------------


def test_every_shipped_entry_has_a_wording_that_its_signature_marks() -> None:
    for article in fixbook.load().entries:
        found = wordings(article.entry)
        assert found, article.id
        for wording in found:
            assert any(part.marked and part.text.strip() for part in wording.parts), article.id
            assert wording.text == wording.text.strip(), article.id
            assert len(wording.text) < 4000 and wording.text.count("\n") < 8, article.id


def test_what_a_log_puts_around_a_message_is_not_part_of_it() -> None:
    found = wordings(fixbook.load()["vllm/kv-cache-dtype-differs-from-model"].entry)
    assert found[0].text.startswith("RuntimeError: mha_varlen_fwd")
    assert not any("EngineCore" in wording.text or "core.py" in wording.text for wording in found)


def test_wordings_that_differ_in_numbers_are_one(tmp_path: Path) -> None:
    book = tmp_path / "kb"
    path = write_entry(book, "root")
    signature = "  - id: same\n    pattern: 'No space left on device root 1\\d'\n"
    sample = "  - expect: {same: confirmed}\n    text: |\n      OSError: No space left on device root 19 <b>&\n"
    path.write_text(path.read_text().replace("samples:\n", f"{signature}samples:\n{sample}", 1))
    assert [wording.text for wording in wordings(volume(book).items[0].entry)] == ["OSError: No space left on device root 12 <b>&"]


def test_control_characters_of_a_sample_reach_no_page(tmp_path: Path) -> None:
    path = write_entry(tmp_path / "kb", "root")
    path.write_text(path.read_text().replace("<b>&", "\u202eevil"))
    assert "\u202e" not in wordings(volume(tmp_path / "kb").items[0].entry)[0].text


# --- cards ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "text"),
    [("`a` and **b**", "a and b"), ("two\nlines", "two lines"), ("[words](https://x.org)", "words (https://x.org)"), (r"a \* b", "a * b")],
)
def test_plain_text_shows_no_marks(markdown: str, text: str) -> None:
    assert plain(markdown) == text


def test_a_card_knows_flags_and_code_to_search_for(tmp_path: Path) -> None:
    book = small_book(tmp_path)
    made = {item.card.id: item.card for item in volume(book).items}
    assert "--too-much" in made["disk/root"].terms
    assert made["disk/root"].summary_html.en == "The disk has no room. Free <code>root</code>."
    assert not made["disk/gone"].is_listed and made["disk/shell"].is_listed


def test_a_card_is_the_same_in_every_run() -> None:
    entry = fixbook.load()["vllm/engine-dead"].entry
    assert card_of(entry) == card_of(entry)


# --- orders --------------------------------------------------------------------------------------------------------------------------


def test_error_texts_are_ordered_by_what_a_reader_sees_first() -> None:
    texts = ["zeta", "Alpha", "[beta] x", "'alpha' y", "显存不足", "42 things", "======= gamma"]
    groups = catalog.errors([card(f"disk/c{number}", text=text) for number, text in enumerate(texts)])
    said = [(letter.name, [error.wording.text for error in group]) for letter, group in groups]
    assert said == [
        ("A", ["Alpha", "'alpha' y"]), ("B", ["[beta] x"]), ("G", ["======= gamma"]), ("Z", ["zeta"]), ("#", ["显存不足", "42 things"]),
    ]  # fmt: skip


@given(st.lists(st.text(min_size=1), max_size=40), st.integers(1, 9))
def test_no_error_text_is_lost_on_the_way_to_the_pages(texts: list[str], size: int) -> None:
    cards = [card(f"disk/c{number}", text=text) for number, text in enumerate(texts)]
    groups = catalog.errors(cards)
    pages = catalog.pack(groups, size)
    shown = [error.wording.text for page in pages for _, group in page for error in group]
    assert sorted(shown) == sorted(texts)
    assert [letter for page in pages for letter, _ in page] == [letter for letter, _ in groups]
    assert all(len(page) == 1 or sum(len(group) for _, group in page) <= size for page in pages)


def test_versions_are_ordered_as_versions_not_as_text() -> None:
    fixed = ["0.9.2", "0.10.0", "0.10.0rc1", None, "1!0.1", "not a version"]
    cards = [card(f"disk/c{number}", affects=[Affects("x", fixed=version)]) for number, version in enumerate(fixed)]
    (package,) = catalog.versions(cards)
    assert [line.affects.fixed for line in package.lines] == [None, "1!0.1", "0.10.0", "0.10.0rc1", "0.9.2", "not a version"]


def test_a_fix_is_listed_under_the_first_final_release() -> None:
    cards = [
        card("disk/a", affects=[Affects("x", fixed="2.0rc1", first_release="2.0")]),
        card("disk/b", affects=[Affects("x", fixed="2.0"), Affects("y", fixed="1.0")]),
        card("disk/c", affects=[Affects("z")], status=Status.ACTIVE),
        card("disk/d", affects=[Affects("x", fixed="3.0")], status=Status.WITHDRAWN),
    ]
    said = [(package.name, [(release.name, [line.card.id for line in release.lines]) for release in package.releases])
            for package in catalog.fix_releases(cards)]  # fmt: skip
    assert said == [("x", [("2.0", ["disk/a", "disk/b"])]), ("y", [("1.0", ["disk/b"])])]


def test_shelves_put_causes_before_shells_and_the_common_first() -> None:
    cards = [
        card("disk/a", kind=Kind.WRAPPER),
        card("disk/b", commonness=Commonness.RARE),
        card("disk/c", commonness=Commonness.COMMON),
        card("other/d"),
    ]
    shelves = catalog.shelves(cards, {})
    assert [(shelf.id, [each.slug for each in shelf.cards]) for shelf in shelves] == [("disk", ["c", "b", "a"]), ("other", ["d"])]
    assert [each.id for each in catalog.commonest(cards)] == ["disk/c"]


def test_days_go_back_in_time() -> None:
    cards = [card("disk/b", reviewed="2026-01-02"), card("disk/a", reviewed="2026-01-02"), card("disk/c", reviewed="2026-02-01")]
    assert [(day, [each.slug for each in group]) for day, group in catalog.days(cards)] == [
        ("2026-02-01", ["c"]),
        ("2026-01-02", ["a", "b"]),
    ]
    assert [each.slug for each in catalog.latest(cards, 2)] == ["c", "a"]


# --- addresses -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "page", "way"),
    [
        ("en/a/b.html", "en/a/c.html", "b.html"),
        ("assets/style.css", "en/a/c.html", "../../assets/style.css"),
        ("zh/x.html#y", "en/x.html", "../zh/x.html#y"),
        ("en/index.html", "index.html", "en/index.html"),
        ("en/a/c.html", "en/a/c.html", "c.html"),
    ],
)
def test_ways_between_pages_are_relative(target: str, page: str, way: str) -> None:
    assert relative(target, page) == way


def test_an_alias_lies_with_its_entry_or_where_its_id_says() -> None:
    assert alias_page("zh", "disk/new", "old") == "zh/disk/old.html"
    assert alias_page("en", "disk/new", "floppy/old") == "en/floppy/old.html"


# --- the book for the page -----------------------------------------------------------------------------------------------------------


def test_the_page_gets_the_book_that_the_program_has(tmp_path: Path) -> None:
    made = volume(small_book(tmp_path)).published(True)
    loaded = load([tmp_path / "kb"])
    assert made.info.digest == Bundle.of(loaded, Index.build(())).digest
    whole = json.loads(json.dumps(matcher_data(loaded.entries, made.info)))
    assert {**json.loads(bundle(made)), "tables": whole["tables"]} == whole
    assert [item.entry for item in made.items] == list(loaded.entries)
