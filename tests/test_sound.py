"""The two ways to the same answer: all patterns over every message of a whole log, and the first pass with what it lets through.

Hits, lines, columns, matched texts and captures are equal, on generated books and logs (the same ones in every run, and others in each)
and on the field cases, in chunks of any size.
"""

import io
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fixbook
from chunks import cut_into
from field import CASES
from fixbook import engine as engine_room
from fixbook import rows as rows_room
from fixbook import searcher as searcher_room
from fixbook import shelf as shelf_room
from fixbook import sweep as sweep_room
from fixbook.background import GRAM, Background, shipped
from fixbook.decoding import decode
from fixbook.facts import read_facts
from fixbook.index import Index
from fixbook.large import probes_for_large, read_large
from fixbook.log import read
from fixbook.model import Entry, Signature, Status
from fixbook.report import Hit, Log, Place
from fixbook.scan import key_of, scan, texts_of
from fixbook.searcher import Searcher
from fixbook.source import Source, Stream
from fixbook.stream import once
from fixbook.value import replace

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from workload import Healthy, Made, signatures

BOOK = fixbook.load()
ENTRIES = tuple(article.entry for article in BOOK.entries if article.entry.status is Status.ACTIVE)

Facts = tuple[str, str, int, int, str, tuple[tuple[str, str], ...]]


def hits(log: Log, entries: tuple[Entry, ...], index: Index | None) -> set[Facts]:
    """What was found where, without what depends on how much of the log was read."""
    by_id = {entry.id: entry for entry in entries}
    return {_facts(hit) for hit in scan(log, by_id, by_id, index).hits}


def _facts(hit: Hit) -> Facts:
    return hit.entry, hit.signature, hit.line, hit.column, hit.matched, tuple(sorted(hit.captures.items()))


def naive(log: Log, entries: tuple[Entry, ...]) -> set[Facts]:
    """Every pattern over every text of every message, with nothing of the program but its reading and the meaning of its flags."""
    found = set()
    for entry, signature in ((each, signature) for each in entries for signature in each.signatures):
        pattern = regex.compile(signature.pattern, regex.ASCII | (regex.IGNORECASE if signature.flags else 0))
        for message in log.messages:
            if message.place not in (Place.MESSAGE, Place.EXCEPTION):
                continue
            matches = ((strand, pattern.search(strand.text)) for _, strand in texts_of(message))
            for strand, match in ((strand, match) for strand, match in matches if match):
                captures = sorted((name, value) for name, value in match.groupdict().items() if value is not None)
                found.add((entry.id, signature.id, *log.locate(strand.raw(match.start())), match.group(), tuple(captures)))
                break
    return found


def entry_of(made: Made) -> Entry:
    return replace(ENTRIES[0], id=made.id, signatures=(Signature("made", made.pattern, flags=made.flags),), aliases=(), siblings=())


def source_of(data: bytes) -> Source:
    return Source("log", opener=once(Stream(io.BytesIO(data))))


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(probes_for_large(ENTRIES))


def quiet(count: int, seed: int) -> Iterator[str]:
    """Lines that say nothing, so that what comes after a failure tells nothing of it."""
    r = random.Random(seed)
    for _ in range(count):
        yield f"(APIServer pid=77) waiting for the next item, slot {r.randrange(10_000)}\n"


# --- a whole log at once ----------------------------------------------------------------------------------------------------------


def cases(step: int) -> list[Path]:
    return sorted(CASES.glob("*/*/*/log.txt"))[::step]


@pytest.mark.parametrize("case", cases(25), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_an_index_hides_nothing_of_a_paste(case: Path, index: Index) -> None:
    log = read(decode(case.read_bytes()))
    assert hits(log, ENTRIES, index) == hits(log, ENTRIES, None)


def odd(line: str, r: random.Random) -> str:
    """The line as it is, or with what makes letters unequal: other case, characters that fold to ASCII, Chinese, bytes that are no text."""
    at = r.randrange(len(line) + 1)
    choices = (
        line,
        line,
        line.upper(),
        line.swapcase(),
        line.replace("k", "\u212a"),
        line.replace("s", "\u017f").replace("i", "\u0130"),
        f"显存{line}，不足",
        f"{line[:at]}显存{line[at:]}",
        f"{line[:at]}\udcff\udc93{line[at:]}",
        f"\udcfe {line} \udce6\udc98",
    )
    return r.choice(choices)


def made_log(made: list[Made], blocks: int, seed: int, prefix: str = "") -> bytes:
    r, healthy = random.Random(seed), Healthy(seed)
    lines = [healthy.block() if r.random() < 0.8 else odd(r.choice(made).sample, r) for _ in range(blocks)]
    return "".join(f"{prefix}{line}\n" for block in lines for line in block.split("\n")).encode("utf-8", "surrogateescape")


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(1, 60))
@example(1, 60)
@example(2, 60)
@example(3, 60)
def test_generated_books_and_logs(seed: int, blocks: int) -> None:
    made = random.Random(seed).sample(signatures(400), 40)
    entries = tuple(entry_of(each) for each in made)
    log = read(decode(made_log(made, blocks, seed)))
    assert hits(log, entries, Index.build(probes_for_large(entries))) == naive(log, entries) == hits(log, entries, None)


def test_the_generated_logs_hold_something() -> None:
    made = random.Random(1).sample(signatures(400), 40)
    assert len(naive(read(decode(made_log(made, 60, 1))), tuple(entry_of(each) for each in made))) > 5


# --- a large log, by regions ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[1 << 20, 5000], ids=["large chunks", "small chunks"])
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param < 1 << 20:
        cut_into(monkeypatch, request.param, 1 << 13)


@pytest.mark.usefixtures("_chunks")
@pytest.mark.parametrize("case", cases(37), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_field_case_inside_a_large_log_gives_the_same_hits(case: Path, index: Index) -> None:
    text = decode(case.read_bytes()).replace("\r\n", "\n")
    before, after = "".join(quiet(300, 1)), "".join(quiet(150, 2))
    whole = f"{before}{text}\n{after}"
    alone = hits(read(whole), ENTRIES, None)
    log, skipped = read_large(source_of(whole.encode()), Searcher(index))
    given_up = {skip.what for skip in skipped}
    missing = {hit for hit in alone - hits(log, ENTRIES, index) if f"{hit[0]}#{hit[1]}" not in given_up}
    assert not missing


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.sampled_from([300, 3_000, 70_000]), st.sampled_from(["", "\x1b[1;36m", "[rank0]: "]))
@example(1, 300, "")
@example(2, 3_000, "\x1b[1;36m")
@example(3, 70_000, "[rank0]: ")
def test_generated_logs_in_chunks(seed: int, size: int, prefix: str) -> None:
    made = random.Random(seed).sample(signatures(1000), 60)
    entries = tuple(entry_of(each) for each in made)
    data = made_log(made, 150, seed, prefix)
    index = Index.build(probes_for_large(entries))
    with pytest.MonkeyPatch.context() as patch:
        cut_into(patch, size, 5_000)
        patch.setattr(engine_room, "_ENOUGH", 0)
        patch.setattr(shelf_room, "KEPT", dict.fromkeys(shelf_room.Role, (10**6, 1)))
        log, skipped = read_large(source_of(data), Searcher(index))
    assert {skip.what for skip in skipped} & {key_of(entry, entry.signatures[0]) for entry in entries} == set()
    assert hits(log, entries, index) == naive(read(decode(data)), entries)


# --- a table of what is common that is wrong -------------------------------------------------------------------------------------


def inverted(index: Index) -> Background:
    """A table by which all that is common is rare, and what literals consist of, if it is rare, common."""
    levels = shipped()._levels
    literals = (literal.encode().lower() for number in range(len(index.keys)) for need in index.needs(number)[1] for literal in need)
    grams = {literal[at : at + GRAM] for literal in literals for at in range(len(literal) - GRAM + 1)}
    return Background({gram: max(255 - levels.get(gram, 0), 1) for gram in {*grams, *levels}})


TABLES: dict[str, Callable[[Index], Background]] = {"inverted": inverted, "empty": lambda index: Background({})}


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.sampled_from([3_000, 70_000]), st.sampled_from(sorted(TABLES)), st.booleans())
@example(1, 3_000, "inverted", True)
@example(1, 70_000, "inverted", False)
@example(2, 3_000, "empty", True)
def test_a_wrong_table_hides_nothing(seed: int, size: int, table: str, noisy: bool) -> None:
    """Also when rows are exchanged at every chunk."""
    made = random.Random(seed).sample(signatures(1000), 60)
    entries = tuple(entry_of(each) for each in made)
    data = made_log(made, 150, seed)
    wrong = TABLES[table](Index.build(probes_for_large(entries)))
    with pytest.MonkeyPatch.context() as patch:
        cut_into(patch, size, 5_000)
        patch.setattr(engine_room, "_ENOUGH", 0)
        patch.setattr(shelf_room, "KEPT", dict.fromkeys(shelf_room.Role, (10**6, 1)))
        patch.setattr(rows_room, "shipped", lambda: wrong)
        if noisy:
            patch.setattr(sweep_room, "_TUNE", 0)
            patch.setattr(sweep_room._Sweep, "_tuned", property(lambda self: 0, lambda self, value: None), raising=False)
            patch.setattr(sweep_room, "is_noisy", lambda *given: True)
        index = Index.build(probes_for_large(entries), wrong)
        found = hits(read_large(source_of(data), Searcher(index))[0], entries, index)
    assert found == naive(read(decode(data)), entries)


class Counting:
    """An engine that writes down how many bytes it was given, and how many places it told."""

    def __init__(self, engine: engine_room.Engine, told: list[tuple[int, int]]) -> None:
        self._engine = engine
        self._told = told

    def scan(self, data: memoryview) -> list[tuple[int, int]]:
        found = self._engine.scan(data)
        self._told.append((len(data), len(found)))
        return found


def places_told(table: Background, index: Index, data: bytes) -> tuple[list[float], list[float]]:
    """How many places a megabyte the engine tells, in each chunk: before rows are exchanged, and when they are."""
    told: list[tuple[int, int]] = []
    built: list[int] = []

    def counting(*given: Any) -> Counting:
        built.append(len(told))
        return Counting(engine_room.make_engine(*given), told)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_room, "shipped", lambda: table)
        patch.setattr(searcher_room, "make_engine", counting)
        read_large(source_of(data), Searcher(index))
    rates = [count * (1 << 20) / size for size, count in told]
    return rates[: built[-1] if len(built) > 1 else None], rates[built[-1] :] if len(built) > 1 else []


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_wrong_table_costs_little_once_rows_were_exchanged(table: str, index: Index) -> None:
    healthy = Healthy(5)
    data = "".join(f"{healthy.block()}\n" for _ in range(9_000)).encode()
    data *= 1 + (12 << 20) // len(data)
    right, _ = places_told(shipped(), index, data)
    before, after = places_told(TABLES[table](index), index, data)
    assert min(before) > 10 * max(right), "the table is wrong indeed"
    assert len(after) > 2
    assert max(after) < 2 * max(right)


def test_a_wrong_table_hides_no_fact_once_rows_were_exchanged(index: Index) -> None:
    """It says that the words of facts are everywhere; the log shows that they are not."""
    healthy = Healthy(6)
    quiet = "".join(f"{healthy.block()}\n" for _ in range(9_000))
    quiet *= 1 + (6 << 20) // len(quiet)
    data = (quiet + "SLURM_JOB_ID=4711\n" + quiet + "RuntimeError: nobody knows this one\n").encode()
    for table in (shipped(), TABLES["inverted"](index)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows_room, "shipped", lambda table=table: table)
            log, _ = read_large(source_of(data), Searcher(index))
        assert ("launcher", "slurm") in {(fact.name, fact.value) for fact in read_facts(log)}
