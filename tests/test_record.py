"""The bounded record of an output, and line numbers of a report on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook.doors.record import Record
from fixbook.doors.renumber import renumbered
from report_factory import finding, hit, seed_entry

PIECES = st.lists(st.tuples(st.sampled_from((b"", b"a", b"bb\n", b"\n", b"ccc\nd", b"e" * 9, b"f\ng\nh\n")), st.just(1)), max_size=60)


def test_all_is_kept_while_it_fits() -> None:
    record = Record(10, 10)
    record.add(b"one\ntwo\n")
    record.add(b"three")
    assert record.kept() == (b"one\ntwo\nthree", 0, 0, 0)


def test_beginning_and_end_are_kept() -> None:
    record = Record(8, 12)
    for number in range(1, 101):
        record.add(b"%03d\n" % number)
    data, line, omitted, lost = record.kept()
    assert data == b"001\n002\n[... 96 lines left out ...]\n099\n100\n"
    assert (line, omitted, lost) == (3, 95, 96 * 4)
    assert record.size == 400


def test_two_streams_do_not_mix_within_a_line() -> None:
    record = Record()
    for piece, stream in ((b"Value", 2), (b"step 1\nst", 1), (b"Error: x\n", 2), (b"ep 2\n", 1), (b"no end", 2)):
        record.add(piece, stream)
    assert record.kept().data == b"step 1\nValueError: x\nstep 2\nno end"


def test_a_line_without_an_end_is_bounded() -> None:
    record = Record(100, 1000)
    for _ in range(5000):
        record.add(b"\r" + b"#" * 99)
    assert len(record.kept().data) < 200_000
    assert record.kept().data.endswith(b"\r" + b"#" * 99)


@given(PIECES, st.integers(0, 40), st.integers(1, 40))
def test_every_kept_line_has_its_number(pieces: list[tuple[bytes, int]], head: int, tail: int) -> None:
    record = Record(head, tail)
    for piece, stream in pieces:
        record.add(piece, stream)
    whole = b"".join(piece for piece, _ in pieces).split(b"\n")
    data, line, omitted, lost = record.kept()
    assert len(data) - (len(data.split(b"\n")[line - 1]) + 1 if line else 0) + lost == record.size
    for number, text in enumerate(data.split(b"\n"), 1):
        if line and number == line:
            assert text.startswith(b"[... ")
        elif line and number == line + 1:
            assert whole[number - 1 + omitted].endswith(text)  # the end of a line that was cut
        else:
            assert whole[number - 1 + (omitted if line and number > line else 0)] == text


@pytest.mark.parametrize(("at", "moved"), [(3, 3), (5, 5), (6, 106)])
def test_lines_behind_the_gap_are_moved(at: int, moved: int) -> None:
    entry = seed_entry()
    before = finding(entry, hits=(hit(entry, line=at),))
    after = renumbered(before, 5, 100)
    assert [hit.line for hit in after.hits] == [moved]
    assert after.entry is before.entry
    assert renumbered(before, 0, 0) is before
