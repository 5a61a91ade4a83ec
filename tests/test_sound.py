"""The two ways to the same answer: all patterns over every message of a whole log, and the first pass with what it lets through.

Hits, lines, matched texts and captures are equal, on generated books and logs and on the field cases, in chunks of any size.
"""

import io
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fixbook
from field import CASES
from fixbook import engine as engine_room
from fixbook import shelf as shelf_room
from fixbook import sweep as sweep_room
from fixbook.decoding import decode
from fixbook.index import Index
from fixbook.large import probes_for_large, read_large
from fixbook.log import read
from fixbook.model import Entry, Signature, Status
from fixbook.report import Hit, Log
from fixbook.scan import scan
from fixbook.searcher import Searcher
from fixbook.source import Source, Stream
from fixbook.stream import once
from fixbook.value import replace

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from workload import Healthy, Made, signatures

BOOK = fixbook.load()
ENTRIES = tuple(article.entry for article in BOOK.entries if article.entry.status is Status.ACTIVE)

Facts = tuple[str, str, int, str, tuple[tuple[str, str], ...]]


def hits(log: Log, entries: tuple[Entry, ...], index: Index | None) -> set[Facts]:
    """What was found where, without what depends on how much of the log was read."""
    by_id = {entry.id: entry for entry in entries}
    return {_facts(hit) for hit in scan(log, by_id, by_id, index).hits}


def _facts(hit: Hit) -> Facts:
    return hit.entry, hit.signature, hit.line, hit.matched, tuple(sorted(hit.captures.items()))


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


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_generated_books_and_logs(seed: int, blocks: int) -> None:
    r, healthy = random.Random(seed), Healthy(seed)
    made = r.sample(signatures(400), 40)
    entries = tuple(entry_of(each) for each in made)
    lines = [healthy.block() if r.random() < 0.7 else r.choice(made).sample for _ in range(blocks)]
    log = read("\n".join(lines))
    assert hits(log, entries, Index.build(probes_for_large(entries))) == hits(log, entries, None)


# --- a large log, by regions ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[1 << 20, 5000], ids=["large chunks", "small chunks"])
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_room, "CHUNK", request.param)


@pytest.mark.usefixtures("_chunks")
@pytest.mark.parametrize("case", cases(37), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_field_case_inside_a_large_log_gives_the_same_hits(case: Path, index: Index) -> None:
    text = decode(case.read_bytes()).replace("\r\n", "\n")
    before, after = "".join(quiet(200, 1)), "".join(quiet(200, 2))
    whole = f"{before}{text}\n{after}"
    alone = hits(read(whole), ENTRIES, None)
    log, skipped = read_large(source_of(whole.encode()), Searcher(index))
    given_up = {skip.what for skip in skipped}
    missing = {hit for hit in alone - hits(log, ENTRIES, index) if f"{hit[0]}#{hit[1]}" not in given_up}
    assert not missing


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.sampled_from([3_000, 70_000]), st.sampled_from(["", "\x1b[1;36m", "[rank0]: "]))
def test_generated_logs_in_chunks(seed: int, size: int, prefix: str) -> None:
    r, healthy = random.Random(seed), Healthy(seed)
    made = r.sample(signatures(1000), 60)
    entries = tuple(entry_of(each) for each in made)
    lines = [healthy.block() if r.random() < 0.9 else r.choice(made).sample for _ in range(150)]
    text = "".join(f"{prefix}{line}\n" for block in lines for line in block.split("\n"))
    index = Index.build(probes_for_large(entries))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_room, "CHUNK", size)
        patch.setattr(engine_room, "_ENOUGH", 0)
        patch.setattr(shelf_room, "KEPT", dict.fromkeys(shelf_room.Role, (10**6, 1)))
        log, skipped = read_large(source_of(text.encode()), Searcher(index))
    given_up = {skip.what for skip in skipped}
    assert {hit for hit in hits(read(text), entries, None) - hits(log, entries, index) if f"{hit[0]}#{hit[1]}" not in given_up} == set()
