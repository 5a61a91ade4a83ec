"""Hits: places, `with`, readings, what was given up; and that the index changes nothing."""

import pytest

import fixbook
from field import covered_cases, samples
from fixbook.index import Index
from fixbook.kb import shipped_root
from fixbook.log import read
from fixbook.model import Place, Signature
from fixbook.report import MessageStatus
from fixbook.scan import MOST_HITS, MOST_TRIES, probes, scan
from triage_parts import entry

TRACEBACK = """\
Traceback (most recent call last):
  File "/x/outer.py", line 5, in run
    raise ValueError("only quoted")
  File "/x/backends/flashinfer.py", line 801, in __init__
    assert a == b
AssertionError
"""


def _hits(text: str, signature: Signature) -> list[tuple[int, int, str]]:
    of = entry("vllm/x", "", signatures=(signature,))
    return [(hit.line, hit.column, hit.matched) for hit in scan(read(text), {of.id: of}, [of.id]).hits]


def test_places() -> None:
    frame = Signature("f", r"flashinfer\.py:(?P<line>\d+) in __init__", place=Place.FRAME, with_="^AssertionError$")
    assert _hits(TRACEBACK, frame) == [(4, 21, "flashinfer.py:801 in __init__")]
    assert _hits(TRACEBACK, Signature("o", r"outer\.py:\d+ in run", place=Place.FRAME, with_="^AssertionError$")) == []
    assert _hits(TRACEBACK, Signature("o", r"outer\.py:\d+ in run", place=Place.FRAME)) == [(2, 12, "outer.py:5 in run")]
    assert _hits(TRACEBACK, Signature("s", "assert a == b", place=Place.SOURCE)) == [(5, 5, "assert a == b")]
    assert _hits(TRACEBACK, Signature("m", "assert a == b")) == []


def test_a_quoted_source_line_counts_only_where_nothing_else_tells() -> None:
    quoted = Signature("q", "only quoted")
    assert _hits(TRACEBACK, quoted) == []
    cut = "\n".join(TRACEBACK.splitlines()[:3]) + "\n"
    assert [hit[0] for hit in _hits(cut, quoted)] == [3]


def test_the_plainest_text_is_the_proof() -> None:
    log = read("RuntimeError: “too” wide\n")
    of = entry("vllm/x", '"too" wide')
    (hit,) = scan(log, {of.id: of}, [of.id]).hits
    assert (hit.repairs, hit.text) == (("marks",), "RuntimeError: “too” wide")


def test_the_second_half_of_a_wrapped_line_tells_the_process_of_the_first() -> None:
    """Its status is its own, as it may be an item of a listing under the line."""
    of = entry("vllm/x", "worker exploded")
    for head, process, rank in (("[rank3]: ", "rank3", 3), ("(Worker_TP1 pid=7) ", "Worker_TP1 pid=7", 1)):
        first, *rest = scan(read(head + "INFO 12-01 10:00:00 [a.py:1] a\nworker exploded in its turn\n"), {of.id: of}, [of.id]).hits
        assert (first.line, first.process, first.rank, first.status) == (2, process, rank, MessageStatus.RAISED)
        assert [(hit.line, hit.process, hit.rank) for hit in rest] == [(2, "", None)]


def test_too_many_hits_are_said_to_be_skipped() -> None:
    of = entry("vllm/x", "worker exploded")
    found = scan(read("RuntimeError: worker exploded\n\n" * (MOST_HITS + 5)), {of.id: of}, [of.id])
    assert len(found.hits) == MOST_HITS
    assert [skipped.what for skipped in found.skipped] == ["vllm/x#words"]


@pytest.mark.parametrize(
    "said",
    [
        "error: cannot open cuda:0 (rank 3): no space. Try again",
        "error：cannot open cuda：0（rank 3）：no space。Try again",
        "error： cannot open cuda：0 （rank 3）： no space． Try again",
        "error:cannot open cuda:0 (rank 3): no space. Try again",
    ],
)
def test_a_full_width_mark_may_have_taken_its_blank_along(said: str) -> None:
    for pattern in (r"\berror:\s+cannot open", r"\bcuda:0\b", r"(?:\bcuda:0\b|\bcuda: 0) \(rank 3\): no space\. Try"):
        found = _hits(f"{said}\n", Signature("w", pattern))
        assert [hit[0] for hit in found] == ([] if "error:cannot" in said and "error" in pattern else [1])


def test_of_too_many_hits_the_first_and_the_last_are_read() -> None:
    """Also where the texts tried are too many, and two readings of a message stay one hit."""
    of = entry("vllm/x", r"worker (?P<how>\w+) at “?once")
    failed = [f"RuntimeError: worker failed{at} at “once\n\n" for at in range(MOST_HITS + 9)]
    found = scan(read("".join(failed)), {of.id: of}, [of.id])
    half = MOST_HITS // 2
    assert [hit.captures["how"] for hit in found.hits] == [f"failed{at}" for at in (*range(half), *range(half + 9, MOST_HITS + 9))]
    assert [hit.repairs for hit in found.hits] == [()] * MOST_HITS
    healthy = "INFO worker is at work\n" * (MOST_TRIES + 2)
    (hit,) = scan(read(healthy + failed[7]), {of.id: of}, [of.id]).hits
    assert hit.captures == {"how": "failed7"}


def test_a_text_longer_than_a_window_is_searched_to_its_end() -> None:
    assert [hit[1] for hit in _hits("x" * 70_000 + " worker exploded\n", Signature("w", "worker exploded"))] == [70_002]


def test_the_index_changes_nothing() -> None:
    """Every field log and sample: the same hits with the index as with every pattern on every text."""
    book = fixbook.load(shipped_root() / "kb")
    entries = {article.id: article.entry for article in book.entries}
    index = Index.build(probes(entries.values()))
    for case in (*covered_cases(), *samples()):
        log = read("\n".join(case.lines))
        assert scan(log, entries, entries, index) == scan(log, entries, entries), case.name
