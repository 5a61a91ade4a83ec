"""The first pass over large logs: where literals stand, what is read around them, and what is said of the rest."""

import gzip
import io
import re
import sys
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunks import cut_into
from fixbook import cutting as cutting_room
from fixbook import engine as engine_room
from fixbook import finder as finder_room
from fixbook import lines as lines_room
from fixbook import regions as regions_room
from fixbook import shelf as shelf_room
from fixbook import sweep as sweep_room
from fixbook.engine import PlainEngine, make_engine
from fixbook.index import Index, Probe, Role
from fixbook.lines import LineCounter, Utf8, newlines
from fixbook.regions import Anchor, Piece, merge
from fixbook.rows import blind, make_rows
from fixbook.searcher import Searcher
from fixbook.source import Source, Stream, open_sources
from fixbook.stream import once
from fixbook.sweep import Regions, sweep
from fixbook.value import replace

DTYPE = Probe("dtype", r"\bquery and key must have the same dtype\b")
QUIET = "INFO 12-01 09:00:01 [loggers.py:123] Engine 000: 12 requests, all is well\n"


def log_of(data: bytes) -> Source:
    return Source("log", opener=once(Stream(io.BytesIO(data))))


def swept(data: bytes | str, *probes: Probe) -> Regions:
    return sweep(log_of(data.encode() if isinstance(data, str) else data), Searcher(Index.build(probes or (DTYPE,))))


class Searching(Searcher):
    """A searcher that takes some facts for loud."""

    def __init__(self, index: Index, loud: str) -> None:
        super().__init__(index)
        self._prepare()
        assert self._rows is not None
        key = index.keys.index(loud)
        self._rows = tuple(row._replace(loud=any(target.key == key for target in row.targets)) for row in self._rows)


def lines_of(regions: Regions) -> dict[int, str]:
    """What was read, by line number."""
    out = {}
    for text, first in regions.parts:
        for at, line in enumerate(text.split("\n")):
            if line:
                out[first + at] = line
    return out


@pytest.fixture(params=[1 << 20, 3000], ids=["large chunks", "small chunks"])
def chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The same with chunks so small that every place is at a border in some test."""
    small: int = request.param
    reach = min(1 << 16, 2 * small)
    cut_into(monkeypatch, small, reach)
    return small


@pytest.mark.usefixtures("chunks")
def test_a_failure_in_a_large_log_is_read_with_its_surroundings_and_line_numbers() -> None:
    text = QUIET * 5000 + "RuntimeError: query and key must have the same dtype\n" + QUIET * 5000
    regions = swept(text)
    got = lines_of(regions)
    assert got[5001] == "RuntimeError: query and key must have the same dtype"
    assert len(got) == 17
    assert min(got) == 4991
    assert (regions.size, regions.keys, regions.skipped) == (len(text), {"dtype"}, ())


@pytest.mark.usefixtures("chunks")
def test_line_numbers_of_a_file_are_those_of_a_stream(tmp_path: Path) -> None:
    text = "".join(QUIET * (at % 700) + f"query and key must have the same dtype {at}\n" for at in range(40))
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(text.encode()))
    searcher = Searcher(Index.build([DTYPE]))
    plain, packed = (sweep(source, searcher) for source in open_sources([tmp_path / "a.log", tmp_path / "a.log.gz"]))
    assert plain.parts == packed.parts
    whole = text.split("\n")
    for number, line in lines_of(plain).items():
        assert whole[number - 1] == line


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("QUERY AND KEY must have".encode("utf-16"), "utf-16"),
        (b"a\x1b[31mb QUERY \x1b[1;36mAND\x1b[0m KEY must have", "colours"),
        ("模型 query and key must have 显存".encode("gb18030"), "gb18030"),
        (b"\xff\xfe\xfa bad \xe6\x98 query and key must have", "invalid bytes"),
        (QUIET.encode() * 50 + "query and key must have".encode("utf-16-le"), "utf-16 behind ascii"),
        (b"\0" * 3_000 + b"query and key must have", "a hole of a truncated file"),
        (b"query and key must have", "the very beginning"),
        (QUIET.encode() * 7 + b"query and key must have", "no line end"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_stands_between_the_bytes_hides_nothing(data: bytes, why: str) -> None:
    regions = swept(data, Probe("words", "query and key must have", "i"))
    text = "".join(part.text for part in regions.parts)
    assert "query and key must have" in re.sub(r"\x1b\[[\d;]*m", "", text).lower(), why


def test_a_hit_in_a_traceback_is_read_with_the_whole_traceback() -> None:
    frames = "".join(f'  File "/app/{at}.py", line {at}, in run\n    step({at})\n' for at in range(60))
    text = (
        QUIET * 300 + "Traceback (most recent call last):\n" + frames + "ValueError: query and key must have the same dtype\n" + QUIET * 300
    )
    got = lines_of(swept(text))
    assert got[301] == "Traceback (most recent call last):"
    got = lines_of(swept(text, Probe("frame", r"/app/3\.py")))
    assert "ValueError: query and key must have the same dtype" in got.values()


def test_a_place_where_the_other_words_are_missing_is_not_read() -> None:
    probe = Probe("pair", r"loading of (?P<what>\w+) failed: .{0,80}\bno space left")
    noise = "loading of weights failed: retry\n"
    regions = swept(QUIET * 100 + noise * 2000 + QUIET * 100 + "loading of weights failed: disk, no space left\n", probe)
    assert [line for line in lines_of(regions).values() if "no space" in line]
    assert regions.keys == {"pair"}


@pytest.mark.parametrize("mark", ["'", "&#x27;", "&quot;", "&rsquo;", "\\u2019", "\\n", "\x1b[1m"])
def test_the_other_words_are_seen_through_escapes(mark: str) -> None:
    """How HTML and JSON write a quote has letters and digits of its own."""
    probe = Probe("pair", r"this model's own pad of (?P<size>\d+) bytes")
    assert swept(QUIET + f"this model{mark}s own pad of 7 bytes\n" + QUIET, probe).keys == {"pair"}


def test_a_million_of_the_same_is_bounded_and_told() -> None:
    line = "query and key must have the same dtype\n"
    regions = swept(line * 100_000)
    got = lines_of(regions)
    assert {1, 100_000} <= got.keys()
    assert len(got) < 200
    assert [(skip.what, skip.reason) for skip in regions.skipped] == [
        ("dtype", "99976 more places with its words were not read, between the first and the last")
    ]


@pytest.mark.parametrize("colour", ["", "\x1b[31m"], ids=["plain", "coloured"])
@pytest.mark.parametrize(
    "beside", [(), (Probe("words", "key must have the same", role=Role.FACT),)], ids=["alone", "with a fact of the same words"]
)
def test_a_crowd_is_counted_as_it_is_told_one_by_one(beside: tuple[Probe, ...], colour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many places in a chunk few are told; what is kept and what is said of the rest is the same as when all are."""
    monkeypatch.setattr(sweep_room, "CHUNK", 1 << 19)
    lines = [f"query and {colour}key must have the same dtype\n"] * 40_000
    for at in range(0, 40_000, 9_000):
        lines[at] = QUIET
    text = "".join(lines)
    told: list[int] = []
    added = shelf_room.Shelf.add

    def add(shelf: shelf_room.Shelf, anchors: list[Anchor], *rest: Any, **options: Any) -> None:
        told.append(len(anchors))
        added(shelf, anchors, *rest, **options)

    monkeypatch.setattr(shelf_room.Shelf, "add", add)
    few = swept(text, DTYPE, *beside)
    assert sum(told) < 20_000 + 40_000 * len(beside)
    told.clear()
    monkeypatch.setattr(finder_room, "_CROWD_FIRST", 1 << 30)
    assert swept(text, DTYPE, *beside) == few
    assert sum(told) > 39_000


def test_one_line_without_end_is_bounded() -> None:
    regions = swept(b"x" * 3_000_000 + b" query and key must have the same dtype " + b"y" * 3_000_000)
    assert sum(len(part.text) for part in regions.parts) < 200_000
    assert "query and key must have the same dtype" in regions.parts[0].text


def test_facts_before_each_failure_are_read_with_it() -> None:
    fact = Probe("fact", r"Initializing engine with config \w+", role=Role.FACT)
    runs = "".join(f"Initializing engine with config c{at}\n{QUIET * 400}query and key must have the same dtype {at}\n" for at in range(60))
    text = "\n".join(lines_of(swept(runs, DTYPE, fact)).values())
    for at in (0, 30, 59):
        if f"the same dtype {at}\n" in text:
            assert f"config c{at}\n" in text
    assert "config c59" in text
    assert "the same dtype 59" in text


STATE = Probe("state", r"\bstate of the cache is \w+", role=Role.FACT)


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("colour", ["", "\x1b[32m"], ids=["plain", "coloured"])
@pytest.mark.parametrize("engine", [True, False], ids=["engine", "no engine"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_stated_on_every_other_line_is_read_as_it_was_last(
    seed: int, engine: bool, colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine tells of it only that it is there: its first places, its last ones, and those before a failure are looked up."""
    if not engine:
        monkeypatch.setitem(sys.modules, "hyperscan", None)
    random = Random(seed)
    lines = []
    for at in range(60):
        lines += [
            QUIET if random.random() < 0.5 else f"state of {colour}the cache is s{at}x{each}\n" for each in range(random.randrange(90))
        ]
        lines.append(f"query and key must have the same dtype {at}\n")
        lines += [QUIET] * random.choice([0, 0, 900])
    lines += [f"state of {colour}the cache is final\n", *[QUIET] * 20]
    searcher = Searching(Index.build([DTYPE, STATE]), "state")
    regions = sweep(log_of("".join(lines).encode()), searcher)
    got = lines_of(regions)
    stated = [number for number, line in enumerate(lines, 1) if line.startswith("state")]
    for number, line in enumerate(lines, 1):
        if number in got and line.startswith("query"):
            before = [each for each in stated if each < number]
            assert not before or before[-1] in got, (number, before[-1])
    assert {stated[0], stated[-1]} <= got.keys()
    assert [skip for skip in regions.skipped if skip.what == "state"] == []


def test_what_is_not_as_loud_as_was_thought_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_room, "CHUNK", 1 << 19)
    lines = [*[QUIET] * 20, "state of the cache is s\n", *[QUIET] * 8_000] * 30
    lines.append("query and key must have the same dtype\n")
    searcher = Searching(Index.build([DTYPE, STATE]), "state")
    got = lines_of(sweep(replace(log_of("".join(lines).encode()), size=1 << 32), searcher))
    assert not any(row.loud for row in searcher.rows)
    last = max(number for number, line in enumerate(lines, 1) if line.startswith("state"))
    assert {21, last, len(lines)} <= got.keys()


def test_signs_of_progress_are_read_behind_a_failure() -> None:
    sign = Probe("on", r"200 OK", role=Role.PROGRESS)
    text = (
        QUIET * 100 + "query and key must have the same dtype\n" + QUIET * 300 + "POST 200 OK one\n" + QUIET * 50 + "POST 200 OK two\n" * 9
    )
    got = lines_of(swept(text, DTYPE, sign))
    assert {402: got.get(402), 453: got.get(453)} == {402: "POST 200 OK one", 453: "POST 200 OK two"}
    assert len(got) < 30


@pytest.mark.parametrize("engine", [True, False], ids=["engine", "no engine"])
def test_a_literal_is_seen_wherever_the_border_of_two_chunks_cuts_it(engine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its window may stand before the border, and the rest of it behind."""
    if not engine:
        monkeypatch.setitem(sys.modules, "hyperscan", None)
    monkeypatch.setattr(sweep_room, "CHUNK", 256)
    monkeypatch.setattr(sweep_room, "KEEP", 512)
    for room in (sweep_room, regions_room, cutting_room, shelf_room):
        monkeypatch.setattr(room, "REACH", 128)
    words = "zqxjkvwpzq is the state of the request"
    searcher = Searcher(Index.build([Probe("rare", words)]))
    assert searcher.rows[0].targets[0].offset + len(searcher.rows[0].window) < len(words) - 20
    for before in range(512 + 256 - len(words) - 2, 512 + 256 + 2):
        text = "." * before + words + "\n" + QUIET * 30
        assert sweep(log_of(text.encode()), searcher).keys == {"rare"}, before


def test_a_damaged_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress((QUIET * 50_000).encode())[:-2000])
    (source,) = open_sources([tmp_path / "a.log.gz"])
    (skip,) = sweep(source, Searcher(Index.build([DTYPE]))).skipped
    assert skip.reason == "the compressed data is cut off; what came before it was read"


def test_a_pattern_whose_words_do_not_survive_quoting_is_told() -> None:
    probe = Probe("odd", r"\"<\"+&'<'")
    assert blind(Index.build([probe])) == ("odd",)
    assert [(skip.what, skip.reason) for skip in swept(QUIET, probe).skipped] == [("odd", "no fixed text of it stands in a raw log")]


def test_without_the_engine_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(QUIET * 9 + f"query and key must have the same dtype {at}\n" for at in range(50)).encode()
    probes = (DTYPE, Probe("fold", "ALL IS WELL", "i"))
    one = swept(text, *probes)
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    index = Index.build(probes)
    assert isinstance(make_engine(make_rows(index)), PlainEngine)
    assert sweep(log_of(text), Searcher(index)) == one


def test_rows_that_are_noisy_in_this_log_are_exchanged() -> None:
    pair = Probe("pair", r"the weights of layer \d+ were not found in (?P<file>\w+)\.safetensors: xyzzy")
    index = Index.build([pair])
    searcher = Searcher(index)
    (before,) = searcher.rows
    line = f"INFO {before.window.decode()} as always, {{}} requests\n"
    text = "".join(line.format(at) for at in range(200_000)) + "the weights of layer 3 were not found in m.safetensors: xyzzy\n"
    regions = sweep(replace(log_of(text.encode()), size=1 << 32), searcher)
    (after,) = searcher.rows
    assert after.window != before.window
    assert 200_001 in lines_of(regions)


def test_beyond_four_gigabytes(tmp_path: Path) -> None:
    """A sparse file: its hole takes no room, but is read. An engine that is given more than 4 GiB at once misses what is behind."""
    words = b"RuntimeError: query and key must have the same dtype\n"
    with (tmp_path / "sparse.log").open("wb") as file:
        file.write(words)
        file.seek((1 << 32) - 30)
        file.write(b"\n" + words + words)  # astride the border, and behind it
    (source,) = open_sources([tmp_path / "sparse.log"])
    regions = sweep(source, Searcher(Index.build([DTYPE])))
    assert [(part.first_line, part.text.count("the same dtype")) for part in regions.parts] == [(1, 1), (2, 2)]


# --- pieces -----------------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), max_size=12))
def test_merged_pieces_cover_what_they_were_made_of_once(spans: list[tuple[int, int]]) -> None:
    whole = bytes(at % 251 for at in range(300))
    merged, dropped = merge(Piece(start, whole[start : start + size]) for start, size in spans)
    assert dropped == 0
    assert all(whole[piece.start : piece.end] == piece.data for piece in merged)
    assert all(left.end < right.start for left, right in pairwise(merged))
    covered = {at for piece in merged for at in range(piece.start, piece.end)}
    assert covered == {at for start, size in spans for at in range(start, start + size)}


@given(st.binary(max_size=200))
def test_newlines(data: bytes) -> None:
    assert newlines(data) == data.count(b"\n")


@given(st.binary(max_size=200).map(lambda data: data.replace(b"\1", b"\n")), st.integers(1, 40), st.integers(0, 40), st.integers(1, 30))
def test_lines_are_counted_wherever_the_buffer_begins(data: bytes, chunk: int, keep: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_room, "_BLOCK", block)
        counter = LineCounter()
        base = 0
        for stop in (*range(chunk, len(data), chunk), len(data)):
            start = stop - (stop - 1) % chunk - 1 if stop else 0
            counter.feed(bytearray(data[base:stop]), start - base, stop - base)
            for at in range(base, stop):
                assert counter.line(bytearray(data[base:stop]), base, at - base) == 1 + data[:at].count(b"\n")
            base = max(base, stop - keep)


@given(
    st.text("ab\r\n显\U0001f600", max_size=30),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]),
    st.integers(1, 9),
    st.booleans(),
)
def test_wide_characters_are_read_to_the_last(text: str, encoding: str, size: int, marked: bool) -> None:
    """Wherever a piece ends: between characters, within one, or within a surrogate pair; a mark before them shifts all by two bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_room, "_PIECE", size)
        reader = Utf8(Stream(io.BytesIO(("\ufeff" * marked + text).encode(encoding))), encoding)
        buffer = bytearray(7)
        read = b"".join(iter(lambda: bytes(buffer[: reader.readinto(memoryview(buffer))]), b""))
    assert read.decode().replace("\ufeff", "") == text


# --- rows and literals against a plain search -------------------------------------------------------------------------------------

ALPHABET = "abAB .:k\u212aé显\n"


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(st.text(ALPHABET.replace("\n", ""), min_size=4, max_size=24), st.booleans()), min_size=1, max_size=8),
    st.lists(st.one_of(st.text(ALPHABET, max_size=30), st.integers(0, 7)), max_size=40),
    st.sampled_from([64, 200]),
    st.booleans(),
    st.booleans(),
)
def test_every_literal_is_found_wherever_chunks_end(
    words: list[tuple[str, bool]], pieces: list[str | int], size: int, plain: bool, noisy: bool
) -> None:
    """Every line that a pattern matches is in a region, whatever the size of the chunks, and when rows are exchanged at every chunk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_room, "CHUNK", size)
        for room in (sweep_room, regions_room, cutting_room, shelf_room):
            patch.setattr(room, "REACH", 128)
        patch.setattr(sweep_room, "KEEP", 512)
        patch.setattr(engine_room, "_ENOUGH", 0)  # 850 rows for each example take their time
        if noisy:
            patch.setattr(sweep_room, "_TUNE", 0)
            patch.setattr(sweep_room._Sweep, "_tuned", property(lambda self: 0, lambda self, value: None), raising=False)
            patch.setattr(sweep_room, "is_noisy", lambda *given: True)
        if plain:
            patch.setitem(sys.modules, "hyperscan", None)
        probes = [Probe(str(at), re.escape(word), "i" if fold else "") for at, (word, fold) in enumerate(words)]
        text = "".join(piece if isinstance(piece, str) else words[piece % len(words)][0] for piece in pieces)
        index = Index.build(probes)
        seen = sweep(log_of(text.encode()), Searcher(index))
    unseen = {*blind(index), *index.unfit}
    got = lines_of(seen)
    for probe in probes:
        bits = re.ASCII | (re.IGNORECASE if probe.flags else 0)
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(probe.pattern, line, bits) and probe.key not in unseen:
                assert probe.key in seen.keys
                kept = [skip for skip in seen.skipped if skip.what == probe.key]
                assert kept or number in got, (probe, number, line, got)
