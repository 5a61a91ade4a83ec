"""What a log that grows has told so far: the statements that still hold for what comes, and the failures that were named.

Each piece of news is read with the lines that are kept here, so that it is judged as it is when the whole log is read: a launch line from
long ago is known, and what follows from a known cause is no news.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

from .events import STARTS
from .fact_kinds import kind_of
from .index import Index
from .report import Fact, Finding, Hit, Log, Message, Reason, Report, Unknown
from .sweep import Region
from .triage import verdict_of
from .value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from .follow import News

    R = TypeVar("R", bound=Report)
    S = TypeVar("S", Fact, Reason)

__all__ = ["Memory"]

_MOST_LINES = 40  # of one statement or traceback that are kept, from its end
_MOST_FAILURES = 30


class Memory:
    """Of one log. For each piece of news: `parts`, which are read and judged, then `fresh`."""

    def __init__(self, index: Index) -> None:
        self._needs = tuple(_needs(index))
        self._lines: dict[int, str] = {}  # what still holds, by the number of its line; negative for a file that was moved away
        self._former: dict[int, int] = {}  # negative numbers → the numbers in that file
        self._starts: list[int] = []  # lines in which the program was started again
        self._before = 0  # starts in files before this one
        self._last = 0  # number of the last line that was read
        self._told: set[tuple[str, int]] = set()  # entry or fingerprint, and the run in which it was told

    def parts(self, news: News) -> list[Region]:
        """What is to be read: the kept lines that the news do not hold themselves, and the news."""
        if news.rotated:
            self._rotate()
        begin = max(self._starts, default=0)  # what the run before this one said is over, but for what is kept
        parts = [part for each in news.regions.parts for part in _from(each, begin)]
        spans = [(part.first_line, part.first_line + part.text.removesuffix("\n").count("\n")) for part in parts]
        self._last = max([self._last, *(end for _, end in spans)])
        missing = [line for line in sorted(self._lines) if not any(first <= line <= end for first, end in spans)]
        parts.extend(Region("".join(f"{self._lines[line]}\n" for line in lines), lines[0]) for lines in _in_a_row(missing))
        return sorted(parts, key=lambda part: part.first_line)

    def fresh(self, report: R, log: Log, from_line: int) -> R | None:
        """The report without what was told before; None when nothing is left of it. `log` is what was read, `report` all about it."""
        self._note_starts(log, from_line)
        new = {message.index for message in log.messages if _end(log, message) >= from_line}
        lines = {message.line for message in log.messages if message.index in new}
        findings = tuple(_only_new(each, new) for each in report.findings if self._is_news(each, new))
        unknown = tuple(each for each in report.unknown if each.line in lines and self._key(each.fingerprint, each.line) not in self._told)
        self._keep(report, log)
        if not findings and not unknown:
            return None
        self._told.update(self._key(hit.entry, hit.line) for finding in findings for hit in finding.hits)
        self._told.update(self._key(each.fingerprint, each.line) for each in unknown)
        return self._renumbered(
            replace(
                report,
                verdict=verdict_of(findings, unknown),
                findings=findings,
                consequences=_all_new(report.consequences, new),
                ruled_out=_all_new(report.ruled_out, new),
                unknown=unknown,
            )
        )

    def _is_news(self, finding: Finding, new: set[int]) -> bool:
        return any(hit.message in new and self._key(hit.entry, hit.line) not in self._told for hit in finding.hits)

    def _key(self, what: str, line: int) -> tuple[str, int]:
        return what, self._before + bisect_right(self._starts, line)

    def _note_starts(self, log: Log, from_line: int) -> None:
        run = 0
        for message in log.messages:
            if message.run > run:
                run = message.run
                if message.line >= from_line and message.line > max(self._starts, default=0):
                    self._starts.append(message.line)

    # --- what is kept

    def _keep(self, report: Report, log: Log) -> None:
        """The lines that matter to what may come: of the last run, and of the machine."""
        run = max((message.run for message in log.messages), default=0)
        kept = {message.index: message for message in log.messages if message.run == run and _is_start(message)}
        kept.update((index, log.messages[index]) for index in _latest(report.facts, run))
        kept.update((message.index, message) for message in self._asked_for(log, run))
        spans = [(_begin(message, message.line), message.end_line) for message in kept.values()]
        failures = sorted({*_hit_spans(report, log, run), *_unknown_spans(report.unknown, log, run)})
        wanted = {line for first, end in (*spans, *failures[-_MOST_FAILURES:]) for line in range(first, end + 1)}
        have = set(log.line_numbers)
        self._lines = {line: log.raw_line(line) for line in sorted(wanted & have)}

    def _asked_for(self, log: Log, run: int) -> Iterator[Message]:
        """The last message of the run for each condition that asks what else was said: one that holds a text that it needs."""
        for literals in self._needs:
            found = [literal for literal in literals if literal in log.raw]
            if found:
                of_run = (message for message in reversed(log.messages) if message.run == run)
                yield from [message for message in of_run if any(literal in message.text for literal in found)][:1]

    # --- a file that was moved away

    def _rotate(self) -> None:
        """Lines count from 1 again; what is kept has negative numbers from now on."""
        shift = self._last + 1
        self._former = {line - shift: self._former.get(line, line) for line in self._lines}
        self._lines = {line - shift: text for line, text in self._lines.items()}
        self._before += len(self._starts)
        self._starts = []
        self._last = 0

    def _renumbered(self, report: R) -> R:
        """With the numbers that the lines have in the file that was moved away, and a name for it."""
        if not self._former:
            return report
        old = f"{report.source} (before its rotation)"

        def placed(stated: S) -> S:
            return replace(stated, line=self._former[stated.line or 0], source=old) if (stated.line or 0) < 0 else stated

        def reasoned(findings: Iterable[Finding]) -> tuple[Finding, ...]:
            return tuple(replace(each, reasons=tuple(map(placed, each.reasons))) for each in findings)

        return replace(
            report,
            findings=reasoned(report.findings),
            consequences=reasoned(report.consequences),
            ruled_out=reasoned(report.ruled_out),
            facts=tuple(map(placed, report.facts)),
            missing=tuple(each for each in report.missing if each.line >= 0),
        )


def _needs(index: Index) -> Iterator[tuple[str, ...]]:
    """For each condition about messages, the texts of which each message that meets it has one."""
    for number, key in enumerate(index.keys):
        if key.startswith("messages:"):
            fold, needs = index.needs(number)
            if needs and not fold:
                yield needs[0]


def _from(part: Region, line: int) -> Iterator[Region]:
    """The region without the lines before `line`."""
    before = max(line - part.first_line, 0)
    lines = part.text.split("\n", before)
    if len(lines) > before and lines[-1]:
        yield Region(lines[-1], part.first_line + before)


def _in_a_row(numbers: Iterable[int]) -> Iterator[list[int]]:
    for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        yield [number for _, number in group]


def _is_start(message: Message) -> bool:
    low = message.text.lower()
    return any(sign.seen(message.text, low) for sign in STARTS)


def _latest(facts: Iterable[Fact], run: int) -> Iterator[int]:
    """The messages that state a fact last: in the last run, or in any where it is one of the machine."""
    last: dict[str, int] = {}
    for fact in facts:
        kind = kind_of(fact.name)
        if fact.index >= 0 and (fact.run == run or (kind is not None and kind.lasting)):
            last[fact.name] = fact.index
    yield from last.values()


def _hit_spans(report: Report, log: Log, run: int) -> Iterator[tuple[int, int]]:
    """The lines of the failures of the last run that stand: what follows from them is no news of its own."""
    for finding in (*report.findings, *report.consequences):
        for hit in finding.hits:
            if hit.run == run:
                message = log.messages[hit.message]
                begin = message.line if message.traceback is None else min(message.line, log.tracebacks[message.traceback].line)
                yield _begin(message, min(begin, hit.line)), max(_end(log, message), hit.line)


def _unknown_spans(unknown: Iterable[Unknown], log: Log, run: int) -> Iterator[tuple[int, int]]:
    lines = {each.line for each in unknown}
    told = (message for message in log.messages if message.line in lines and message.run == run)
    yield from ((_begin(message, message.line), message.end_line) for message in told)


def _begin(message: Message, line: int) -> int:
    return max(line, message.end_line - _MOST_LINES)


def _end(log: Log, message: Message) -> int:
    """The line with which the message was complete, its traceback with it."""
    exception = None if message.traceback is None else log.tracebacks[message.traceback].exception
    return message.end_line if exception is None else max(message.end_line, log.messages[exception].end_line)


def _only_new(finding: Finding, new: set[int]) -> Finding:
    """The finding with its proof and the hits that are new."""
    hits: tuple[Hit, ...] = tuple(hit for number, hit in enumerate(finding.hits) if number == 0 or hit.message in new)
    return replace(finding, hits=hits)


def _all_new(findings: Iterable[Finding], new: set[int]) -> tuple[Finding, ...]:
    return tuple(_only_new(each, new) for each in findings if any(hit.message in new for hit in each.hits))
