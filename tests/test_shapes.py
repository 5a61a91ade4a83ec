"""A signature written once holds in every shape: the same first finding, level and proving line, however the log was pasted."""

import io
from collections.abc import Iterable

import pytest

import fixbook
from field import Case, covered_cases, samples
from fixbook.api import Book, Report
from fixbook.model import Level
from fixbook.source import Source, Stream
from shapes import HEADED_SHAPES, LARGE_SHAPES, SHAPES, Shape, Shaped

EMBEDDED = next(shape for shape in SHAPES if shape.name == "embedded in 2,000 lines")
PARTS = 4
CUTTING = tuple(shape for shape in SHAPES if shape.cuts)
SPELLING = tuple(shape for shape in SHAPES if shape.spells)


@pytest.fixture(scope="module")
def book() -> Book:
    return fixbook.load()


Answer = tuple[str, str, str, tuple[int, ...]]


def _told(report: Report) -> Answer | None:
    """`(verdict, id, level, proving lines)` of the first finding."""
    if not report.findings:
        return None
    first = report.findings[0]
    return str(report.verdict), first.entry.id, str(first.level), tuple(hit.line for hit in first.hits)


def _paste(book: Book, data: str | bytes, facts: dict[str, str]) -> Answer | None:
    return _told(book.diagnose(data, facts))


def _stream(book: Book, data: str | bytes, facts: dict[str, str]) -> Answer | None:
    """As a log that is too large to be read whole."""
    raw = data.encode() if isinstance(data, str) else data
    return _told(book.diagnose_source(Source("large.log", 1 << 30, plain=True, opener=lambda: Stream(io.BytesIO(raw))), facts))


READINGS = {"paste": _paste, "stream": _stream}
COVERED = covered_cases()
CASES = (*COVERED, *samples())
FRAMED = tuple(case for case in CASES if any('  File "' in line for line in case.lines))


@pytest.fixture(scope="module")
def plain(book: Book) -> dict[str, Answer]:
    """The answer to each log as it stands."""
    answers = {case.name: _paste(book, "\n".join(case.lines) + "\n", case.facts) for case in CASES}
    return {name: answer for name, answer in answers.items() if answer is not None}


def test_each_case_has_an_answer_that_can_be_kept(plain: dict[str, Answer]) -> None:
    """Left out are samples alone that show an entry ruled out while nothing else is found."""
    left = [case for case in CASES if case.name not in plain]
    assert {case.name for case in left} <= {case.name for case in samples()}
    assert all(set(case.levels) == {Level.RULED_OUT} for case in left)


def _wrong(book: Book, plain: dict[str, Answer], cases: Iterable[Case], shape: Shape, reading: str) -> list[str]:
    wrong = []
    for case in cases:
        answer = plain.get(case.name)
        if answer is None:
            continue
        shaped = shape.make(list(case.lines))
        got = READINGS[reading](book, shaped.data, case.facts)
        line = answer[3][0]
        proofs = got[3] if got and shape.loose else got[3][:1] if got else ()
        if got is None or got[:3] != answer[:3] or not any(_same_line(proof, line, shaped.lines) for proof in proofs):
            wrong.append(f"{case.name}: {got} instead of {answer[:3]} in line {shaped.lines[line - 1]}")
    return wrong


def _same_line(got: int, line: int, lines: tuple[int, ...]) -> bool:
    """A line that became several is proved by any of them."""
    following = [each for each in lines if each > lines[line - 1]]
    return lines[line - 1] <= got < (min(following) if following else lines[line - 1] + 400)


@pytest.mark.parametrize(
    ("shape", "reading"),
    [
        pytest.param(shape, reading, id=f"{shape.name}-{reading}")
        for shape in SHAPES
        for reading in READINGS
        if (shape, reading) != (EMBEDDED, "paste") and not ((shape.cuts or shape.spells) and reading == "stream")
    ],
)
def test_shape(book: Book, plain: dict[str, Answer], shape: Shape, reading: str) -> None:
    assert not _wrong(book, plain, CASES, shape, reading)


@pytest.mark.parametrize("shape", CUTTING, ids=[shape.name for shape in CUTTING])
def test_a_stream_of_cut_lines(book: Book, plain: dict[str, Answer], shape: Shape) -> None:
    """A stream looks for literals in the bytes as they are, and a cut goes through some of them: then mostly nothing is said, and nearly
    never another thing."""
    wrong = _wrong(book, plain, CASES, shape, "stream")
    assert len(wrong) < 0.08 * len(CASES)
    assert len([text for text in wrong if ": None instead of " not in text]) < 0.005 * len(CASES)


@pytest.mark.parametrize("shape", SPELLING, ids=[shape.name for shape in SPELLING])
def test_a_stream_of_spelled_lines(book: Book, plain: dict[str, Answer], shape: Shape) -> None:
    """Where each blank or each letter is written in another way hardly a literal stands: a stream then says nothing, and nothing else."""
    wrong = _wrong(book, plain, COVERED, shape, "stream")
    assert wrong
    assert len([text for text in wrong if ": None instead of " not in text]) < 0.01 * len(COVERED)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("shape", HEADED_SHAPES, ids=[shape.name for shape in HEADED_SHAPES])
def test_shape_that_only_a_traceback_explains(book: Book, plain: dict[str, Answer], shape: Shape, reading: str) -> None:
    """Without frames nothing tells where the text of a line begins: what is found there is found in the line as it stands."""
    assert not _wrong(book, plain, FRAMED, shape, reading)


@pytest.mark.parametrize("part", range(PARTS))  # a paste of 2,000 lines takes half a second: so that all workers have a share
def test_embedded(book: Book, plain: dict[str, Answer], part: int) -> None:
    assert not _wrong(book, plain, CASES[part::PARTS], EMBEDDED, "paste")


@pytest.mark.parametrize("shape", LARGE_SHAPES, ids=[shape.name for shape in LARGE_SHAPES])
def test_large_shape(book: Book, plain: dict[str, Answer], shape: Shape) -> None:
    """What stands around the log is made once: it has 12 MB."""
    before, after = str(shape.make(["@@"]).data).split("@@")
    end = "\r\n" if "\r\n" in before else "\n"
    inside = Shape(shape.name, lambda lines: Shaped(before + end.join(lines) + after, _numbers(before.count("\n"), len(lines))))
    assert not _wrong(book, plain, CASES, inside, "stream")


def _numbers(before: int, count: int) -> tuple[int, ...]:
    return tuple(range(before + 1, before + 1 + count))
