"""Failures that no entry explains, each with a fingerprint and the entries that come nearest."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log as logarithm

from .expressions import expression
from .failures import Failure, failures
from .model import Kind, Level
from .report import Finding, Log, Message, Nearest, Unknown
from .statements import has_escaped_lines
from .vocabulary import Vocabulary, words_of

__all__ = ["nearest", "unexplained"]

_MOST_UNKNOWN = 8
_NEAR = 25  # messages
_MOST_NEAREST = 3
_FRAMES = 3  # innermost frames that the report shows
_MOST_TEXT = 400  # characters of a failure that are compared
_ENOUGH = 0.35  # of the weight of a failure's words must be shared with an entry; rare words weigh more


def unexplained(
    log: Log, standing: Sequence[Finding], ruled_out: Sequence[Finding], vocabulary: Callable[[], Vocabulary]
) -> tuple[Unknown, ...]:
    """The failures that no finding explains, in the order of the log, each once.

    A finding explains the message that it hits, the traceback around it and what is chained to it; the same failure told again anywhere;
    and where a cause was found, the failures of the same episode near it and, when it is more than possible, after it: its consequences.
    `vocabulary` is asked for when one is left.
    """
    told = failures(log, {hit.message for finding in ruled_out for hit in finding.hits if finding.entry.kind is Kind.CAUSE})
    left: dict[int, Failure] = {}
    for failure in _left(log, told, standing):
        left[failure.group] = failure  # the last of a chain is what the program ended with
    once: dict[str, Failure] = {}
    for failure in left.values():
        once.setdefault(failure.fingerprint, failure)
    return tuple(_unknown(failure, ruled_out, vocabulary()) for failure in [*once.values()][:_MOST_UNKNOWN])


def _left(log: Log, told: Sequence[Failure], standing: Sequence[Finding]) -> Iterator[Failure]:
    """The failures that no finding explains."""
    caused = _caused(standing, len(log.messages))
    touched = _touched(log, standing)
    explained = [failure for failure in told if _is_touched(failure, log, touched)]
    groups = {failure.group for failure in explained}
    prints = {failure.fingerprint for failure in explained}
    for failure in told:
        known = failure.group in groups or failure.fingerprint in prints or _is_consequence(failure, caused)
        if not known and (failure.exact or not standing):
            yield failure


def _caused(standing: Sequence[Finding], end: int) -> list[tuple[int, int, int]]:
    """`(episode, from, to)` of the messages whose failures a cause brought about: those of its episode from shortly before it on. One that
    is only possible explains what stands right after it: what failed before may be what brought it about."""
    return [
        (hit.episode, hit.message - _NEAR, end) if finding.level < Level.POSSIBLE else (hit.episode, hit.message, hit.message + _NEAR)
        for finding in standing
        if finding.entry.kind is Kind.CAUSE
        for hit in finding.hits
    ]


def _is_consequence(failure: Failure, caused: Sequence[tuple[int, int, int]]) -> bool:
    message = failure.message
    return any(episode == message.episode and begin <= message.index <= end for episode, begin, end in caused)


_Range = tuple[int, int, int, int]  # lines, and the columns in them where it is one line


def _touched(log: Log, standing: Sequence[Finding]) -> tuple[set[int], set[int], list[_Range]]:
    """Messages, tracebacks and ranges of the log in which a finding was hit."""
    messages: set[int] = set()
    tracebacks: set[int] = set()
    ranges: list[_Range] = []
    for finding in standing:
        for hit in finding.hits:
            message = log.messages[hit.message]
            messages.add(message.index)
            columns = (hit.column, hit.column) if has_escaped_lines(message.text) else _columns(log, message)
            ranges.append((min(message.line, hit.line), max(message.end_line, hit.line), *columns))
            if message.traceback is not None:
                tracebacks.add(message.traceback)
    return messages, tracebacks, ranges


def _columns(log: Log, message: Message) -> tuple[int, int]:
    return log.locate(message.strand.raw(0))[1], log.locate(message.strand.raw(len(message.text)))[1]


def _is_touched(failure: Failure, log: Log, touched: tuple[set[int], set[int], list[_Range]]) -> bool:
    messages, tracebacks, ranges = touched
    message = failure.message
    if message.index in messages or message.traceback in tracebacks:
        return True
    left, right = _columns(log, message)
    for first, last, begin, end in ranges:
        if first <= message.end_line and message.line <= last and (first < last or (begin <= right and left <= end)):
            return True  # of a log in one line, as JSON has it, only the columns tell what stands together
    return False


def _unknown(failure: Failure, ruled_out: Sequence[Finding], vocabulary: Vocabulary) -> Unknown:
    return Unknown(
        fingerprint=failure.fingerprint,
        exception=failure.exception,
        message=_ADVICE.split(failure.text.split("\n\n", 1)[0], maxsplit=1)[0],
        line=failure.message.line,
        frames=failure.frames[-_FRAMES:],
        nearest=nearest(failure, ruled_out, vocabulary),
    )


# What torch prints under each asynchronous error; it tells nothing of this one.
_ADVICE = expression(r"\n(?:CUDA|HIP) kernel errors might be asynchronously reported")


# --- what comes near --------------------------------------------------------------------------------------------------------------


def nearest(failure: Failure, ruled_out: Sequence[Finding], vocabulary: Vocabulary) -> tuple[Nearest, ...]:
    """The entries that come nearest, best first, each with the reason why it is not the one: ruled out, or words that are not there."""
    found = [
        Nearest(finding.entry.id, _speaks_against(finding)) for finding in ruled_out if finding.hits[0].message == failure.message.index
    ]
    have = words_of(f"{failure.exception} {failure.text[:_MOST_TEXT]}")
    holders = {word: [*vocabulary.having(word)] for word in have}
    # In thousandths: sums of whole numbers are the same in whatever order they are made.
    weight = {
        word: round(1000 * logarithm((1 + vocabulary.entries) / (1 + len({vocabulary.owners[number] for number in numbers}))))
        for word, numbers in holders.items()
    }
    enough = _ENOUGH * sum(weight.values())
    scores: Counter[int] = Counter()
    for word, numbers in holders.items():
        for number in numbers:
            scores[number] += weight[word]
    best: dict[str, int] = {}  # entry → its signature that shares most, the first of equals
    for number in sorted(scores, key=lambda number: (-scores[number], number)):
        best.setdefault(vocabulary.owners[number], number)
    scored = []
    for id, number in best.items():
        if scores[number] > 0 and scores[number] >= enough and id not in {each.entry for each in found}:
            words = vocabulary.words(number)
            if len(words & have) >= 2:
                scored.append((-scores[number], id, words & have, words - have))
    for _, id, shared, lacking in sorted(scored)[:_MOST_NEAREST]:
        found.append(Nearest(id, _compared(shared, lacking)))
    return tuple(found[:_MOST_NEAREST])


def _speaks_against(finding: Finding) -> str:
    for reason in finding.reasons:
        if reason.holds is reason.rules_out:
            sign = "✓" if reason.rules_out else "✗"
            return f"{sign} {reason.condition}" + (f" ({reason.value})" if reason.value else "")
    return ""


def _compared(shared: frozenset[str], lacking: frozenset[str]) -> str:
    """`✓ query, key, dtype · ✗ flash_api`: what the failure has of the entry's signature, and what it has not."""
    parts = [f"✓ {', '.join(sorted(shared)[:6])}"]
    if lacking:
        parts.append(f"✗ {', '.join(sorted(lacking)[:6])}")
    return " · ".join(parts)
