"""What an entry requires and what rules it out, judged by a log: holds, fails or unknown. What is not stated is unknown, never false."""

from collections.abc import Iterator

from .fact_values import at_least, glob_matches
from .facts import Lookup
from .model import Condition, Conditions
from .pattern import search_for
from .report import Fact, Hit, Log, Message, Reason, Traceback

__all__ = ["describe", "judge", "own_traceback", "unknown_facts"]

_NEAR = 3  # lines between a log line that tells an exception and the traceback printed with it


def judge(conditions: Conditions, rules_out: bool, hit: Hit, log: Log, look: Lookup) -> tuple[Reason, ...]:
    """One reason for each condition, in the order of the entry; facts are those that hold for the hit.

    `frames` looks in the hit's own traceback: not found there fails when the traceback is whole, and is unknown when it was cut off,
    when it only stands next to the hit, or when there is none. `messages` looks in all messages of the hit's run: not seen is unknown.
    """
    return tuple(_reasons(conditions, rules_out, hit, log, look))


def _reasons(conditions: Conditions, rules_out: bool, hit: Hit, log: Log, look: Lookup) -> Iterator[Reason]:
    for condition in conditions.facts:
        fact = look(condition.fact)
        holds = _holds(condition, fact, look)
        yield Reason(
            describe(condition), condition.fact, holds, fact.value if fact else None, fact.line or None if fact else None, rules_out
        )
    if conditions.frames is not None:
        holds, message = _frames(conditions.frames, hit, log)
        yield _seen(f"frames ~ {conditions.frames}", "frames", holds, message, rules_out)
    if conditions.messages is not None:
        message = _message(conditions.messages, hit, log)
        yield _seen(f"messages ~ {conditions.messages}", "messages", True if message else None, message, rules_out)


def describe(condition: Condition) -> str:
    """The condition in signs that both languages read: `kv_cache_dtype = float16 | bfloat16`, `compute_capability < 8.0`."""
    parts = []
    if condition.any_of:
        parts.append(f"= {' | '.join(condition.any_of)}")
    if condition.none_of:
        parts.append(f"≠ {' | '.join(condition.none_of)}")
    if condition.same_as:
        parts.append(f"= {condition.same_as}")
    if condition.not_same_as:
        parts.append(f"≠ {condition.not_same_as}")
    if condition.at_least:
        parts.append(f"≥ {condition.at_least}")
    if condition.below:
        parts.append(f"< {condition.below}")
    return f"{condition.fact} {', '.join(parts)}"


def unknown_facts(conditions: Conditions, look: Lookup) -> tuple[str, ...]:
    """The facts that conditions need and the log does not state."""
    names: dict[str, None] = {}
    for condition in conditions.facts:
        for name in (condition.fact, condition.same_as, condition.not_same_as):
            if name and look(name) is None:
                names[name] = None
    return tuple(names)


def own_traceback(message: Message, log: Log) -> Traceback | None:
    """The traceback in which a message stands, or the one printed with it: vLLM logs `RuntimeError('…')`, then the frames."""
    return next(_tracebacks(message, log), None)


def _tracebacks(message: Message, log: Log) -> Iterator[Traceback]:
    """The same, in every reading of the log."""
    if message.traceback is not None:
        yield log.tracebacks[message.traceback]
        return
    for traceback in log.tracebacks:
        if traceback.process == message.process and traceback.frames:
            last = log.messages[traceback.frames[-1]].end_line
            if 0 <= traceback.line - message.end_line <= _NEAR or 0 <= message.line - last <= 1:
                yield traceback


def _holds(condition: Condition, fact: Fact | None, look: Lookup) -> bool | None:
    if fact is None:
        return None
    name, value = condition.fact, fact.value
    tests: list[bool | None] = []
    if condition.any_of:
        tests.append(any(glob_matches(name, value, glob) for glob in condition.any_of))
    if condition.none_of:
        tests.append(not any(glob_matches(name, value, glob) for glob in condition.none_of))
    if condition.same_as:
        tests.append(_same(fact, look(condition.same_as)))
    if condition.not_same_as:
        same = _same(fact, look(condition.not_same_as))
        tests.append(None if same is None else not same)
    if condition.at_least:
        tests.append(at_least(name, value, condition.at_least))
    if condition.below:
        enough = at_least(name, value, condition.below)
        tests.append(None if enough is None else not enough)
    return False if False in tests else None if None in tests else True


def _same(fact: Fact, other: Fact | None) -> bool | None:
    return None if other is None else fact.value.casefold() == other.value.casefold()


def _frames(pattern: str, hit: Hit, log: Log) -> tuple[bool | None, Message | None]:
    told = log.messages[hit.message]
    tracebacks = [traceback for traceback in _tracebacks(told, log) if traceback.frames]
    search = search_for(pattern).search
    for traceback in tracebacks:
        for index in traceback.frames:
            if search(log.messages[index].text):
                return True, log.messages[index]
    whole = told.traceback is not None and bool(tracebacks) and tracebacks[0].exception is not None
    return (False if whole else None), None


def _message(pattern: str, hit: Hit, log: Log) -> Message | None:
    search = search_for(pattern).search
    for message in log.messages:
        if message.run == hit.run and (search(message.text) or any(search(strand.text) for _, strand in message.readings)):
            return message
    return None


def _seen(condition: str, kind: str, holds: bool | None, message: Message | None, rules_out: bool) -> Reason:
    return Reason(
        condition, kind, holds, message.text.split("\n", 1)[0][:200] if message else None, message.line if message else None, rules_out
    )
