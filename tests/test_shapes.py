"""A signature written once holds in every shape: the same first finding, level and proving line, however the log was pasted."""

import io

import pytest

import fixbook
from field import covered_cases, samples
from fixbook.api import Book
from fixbook.source import Source, Stream
from shapes import LARGE_SHAPES, SHAPES, Shape


@pytest.fixture(scope="module")
def book() -> Book:
    return fixbook.load()


Answer = tuple[str, str, str, tuple[int, ...]]


def _answer(book: Book, data: str | bytes, facts: dict[str, str]) -> Answer | None:
    """`(verdict, id, level, proving lines)` of the first finding."""
    report = book.diagnose(data, facts)
    if not report.findings:
        return None
    first = report.findings[0]
    return str(report.verdict), first.entry.id, str(first.level), tuple(hit.line for hit in first.hits)


CASES = (*covered_cases(), *samples())
# Reading 2,000 lines takes a while: there the field logs and one sample of each entry have to do.
FEW = (*covered_cases(), *(case for case in samples() if case.name.endswith("[0]")))


@pytest.fixture(scope="module")
def plain(book: Book) -> dict[str, Answer | None]:
    """The answer to each log as it stands."""
    return {case.name: _answer(book, "\n".join(case.lines) + "\n", case.facts) for case in CASES}


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_shape(book: Book, plain: dict[str, Answer | None], shape: Shape) -> None:
    wrong = []
    cases = FEW if shape.name.startswith("embedded") else CASES
    for case in cases:
        answer = plain[case.name]
        if answer is None:
            continue
        shaped = shape.make(list(case.lines))
        got = _answer(book, shaped.data, case.facts)
        line = answer[3][0]
        if got is None or got[:3] != answer[:3] or not any(_same_line(each, line, shaped.lines) for each in got[3]):
            wrong.append(f"{case.name}: {got} instead of {answer[:3]} in line {shaped.lines[line - 1]}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:30])


def _same_line(got: int, line: int, lines: tuple[int, ...]) -> bool:
    """A line that became several is proved by any of them."""
    following = [each for each in lines if each > lines[line - 1]]
    return lines[line - 1] <= got < (min(following) if following else lines[line - 1] + 400)


def _source(data: bytes) -> Source:
    return Source("large.log", len(data), opener=lambda: Stream(io.BytesIO(data)))


@pytest.mark.parametrize("shape", LARGE_SHAPES, ids=[shape.name for shape in LARGE_SHAPES])
def test_large_shape(book: Book, shape: Shape) -> None:
    """As a stream: the same answer as to the log alone, on the line where it stands."""
    wrong = []
    before = None
    for case in covered_cases()[:: 1 if shape is LARGE_SHAPES[0] else 8]:
        answer = _answer(book, "\n".join(case.lines) + "\n", case.facts)
        if answer is None:
            continue
        before = before or str(shape.make(["@@"]).data).split("@@")
        end = "\r\n" if "\r\n" in before[0] else "\n"
        data = f"{before[0]}{end.join(case.lines)}{before[1]}".encode()
        first_line = before[0].count("\n")
        report = book.diagnose_source(_source(data))
        got = report.findings[0] if report.findings else None
        found = (str(report.verdict), got.entry.id, str(got.level)) if got else None
        if found != answer[:3] or got is None or first_line + answer[3][0] not in [hit.line for hit in got.hits]:
            wrong.append(f"{case.name}: {found} instead of {answer[:3]} in line {first_line + answer[3][0]}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:30])
