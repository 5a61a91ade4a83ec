"""What happened, and what was only said: status, run and episode of each message.

*Mentioned* is decided by the line and by the kind of document it stands in (a test runner's listing, a changelog, a search listing);
*handled* by what comes after: a program that goes on working has handled what it reported before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import compress

from .events import (
    ALL_PASSED,
    ASKED,
    DONE,
    FAILS,
    HINT,
    LISTED,
    LISTED_WITHIN,
    PROGRESS,
    RESULT,
    RETRY,
    RUNNER,
    SEARCH,
    SERVER_FAILED,
    SOFT,
    SOME_FAILED,
    STARTS,
    STOPPED,
)
from .expressions import expression
from .model import Place
from .report import MessageStatus
from .strand import Strand
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = ["Draft", "assign"]


class Draft(Value):
    """A message before the whole log is known."""

    strand: Strand
    whole: Strand | None
    context: Strand | None  # the line it stands in, where it is only a part of it
    place: Place
    status: MessageStatus
    line: int
    end_line: int
    process: str = ""
    container: str = ""
    rank: int | None = None
    severity: str = ""
    bullet: bool = False
    traceback: int | None = None
    repairs: tuple[str, ...] = ()
    pieces: tuple[Strand, ...] = ()
    blocks: tuple[Strand, ...] = ()


def assign(drafts: Sequence[Draft], fences: Sequence[int] = ()) -> list[tuple[MessageStatus, int, int]]:
    """`(status, run, episode)` of each message, in order. `fences` are the numbers of the lines at which a block of text begins or ends."""
    texts = [draft.strand.text for draft in drafts]
    lows = [text.lower() for text in texts]
    mentioned = _mentioned(drafts)
    fails = [not said and _is_failure(draft, low) for draft, low, said in zip(drafts, lows, mentioned, strict=True)]
    runs = _runs(drafts, texts, lows, fails)
    episodes, over = _episodes(drafts, texts, lows, fails, mentioned, runs, _voices(drafts, texts, fences))
    stopped = _stopped(drafts, texts, lows, mentioned, runs)
    out = []
    for at, draft in enumerate(drafts):
        status = draft.status
        if mentioned[at]:
            status = MessageStatus.MENTIONED
        elif at <= over.get(episodes[at], -1) or _torn_down(at, stopped, runs[at], draft) or _told_softly(draft, texts[at], lows[at]):
            status = MessageStatus.HANDLED
        out.append((status, runs[at], episodes[at]))
    return out


def _torn_down(at: int, stopped: Mapping[tuple[int, str], int], run: int, draft: Draft) -> bool:
    return any(stopped.get((run, container), at + 1) <= at for container in ("", draft.container))


def _mentioned(drafts: Sequence[Draft]) -> list[bool]:
    """Whether a message only stands in a listing, a search result, a hint or what a client sent."""
    lines = [(draft.context or draft.strand).text for draft in drafts]
    once = dict.fromkeys(lines)  # the messages inside one line share it
    document = "\n".join([*once, *(draft.strand.text for draft in drafts if draft.end_line > draft.line)])
    listing = bool(RUNNER.seen(document, document.lower()) and ALL_PASSED.search(document) and not SOME_FAILED.search(document))
    search = SEARCH.search(document) is not None
    listed = {line for line in once if listing or _is_listed(line, search)}
    soft = [draft.severity in SOFT and draft.place is not Place.FRAME for draft in drafts]
    hints = {line for line in dict.fromkeys(compress(lines, soft)) if HINT.seen(line, line.lower())}
    asked = {draft.line for draft, line, may in zip(drafts, lines, soft, strict=True) if may and ASKED.seen(line, line.lower())}
    return [
        line in listed or (may and (line in hints or draft.line in asked)) for draft, line, may in zip(drafts, lines, soft, strict=True)
    ]


def _is_listed(line: str, search: bool) -> bool:
    """Whether the line is an item of a listing; with `search` the document holds a search command and its results."""
    if LISTED.match(line) is not None or LISTED_WITHIN.seen(line, line.lower()):
        return True
    return search and (RESULT.match(line) is not None or SEARCH.match(line) is not None)


def _is_failure(draft: Draft, low: str) -> bool:
    if draft.place is Place.EXCEPTION:
        return True
    if draft.place is not Place.MESSAGE or draft.severity in SOFT:
        return False
    return draft.severity != "" or FAILS.seen(draft.strand.text, low)


def _told_softly(draft: Draft, text: str, low: str) -> bool:
    """The program says itself that it tries again, or speaks to those who look for faults."""
    if draft.severity in ("DEBUG", "TRACE"):
        return True
    if draft.severity not in SOFT or draft.place not in (Place.MESSAGE, Place.EXCEPTION):
        return False
    if draft.context is not None and draft.status is MessageStatus.REPORTED:  # the words may stand before the exception
        text, low = draft.context.text, draft.context.text.lower()
    return RETRY.seen(text, low)


def _runs(drafts: Sequence[Draft], texts: Sequence[str], lows: Sequence[str], fails: Sequence[bool]) -> list[int]:
    """The run of each message. What is told before the first start line (a report's title) belongs to the first run."""
    run, failed = 0, False
    seen: set[tuple[int, str]] = set()
    lines: set[int] = set()  # of start lines: another reading of the same line is the same start
    out = []
    for draft, text, low, fail in zip(drafts, texts, lows, fails, strict=True):
        kind = next((number for number, sign in enumerate(STARTS) if sign.seen(text, low)), None)
        if kind is not None and draft.line not in lines:
            lines.add(draft.line)
            # One of several engines may start after another has failed: only the same one, under a new pid, has been started again.
            start = kind, _PID.sub("", draft.process) if kind else draft.container
            if start in seen and (failed or kind == 0):
                run += 1
                failed = False
                seen.clear()
            seen.add(start)
        failed = failed or fail
        out.append(run)
    return out


_PID = expression(r"pid=\d+|\[\d+\]")


def _episodes(
    drafts: Sequence[Draft],
    texts: Sequence[str],
    lows: Sequence[str],
    fails: Sequence[bool],
    mentioned: Sequence[bool],
    runs: Sequence[int],
    voices: Sequence[_Voice],
) -> tuple[list[int], dict[int, int]]:
    """Failures between two stretches of progress or two starts are one episode; also the last failure of each that was handled."""
    episodes: list[int] = []
    over: dict[int, int] = {}
    died: set[int] = set()
    whose: set[_Voice] = set()  # that failed since the last progress; what another one goes on doing tells nothing of them
    before: dict[int, int] = {}  # episodes that a new start ended, and their last failures: progress of a later run handles them, too
    episode, since, last, run = 0, 0, -1, 0
    for at, draft in enumerate(drafts):
        if runs[at] != run:
            run = runs[at]
            if last >= 0:
                before[episode] = last
                episode, last = episode + 1, -1
        if fails[at]:
            if last >= 0 and since >= _GOES_ON:
                episode += 1
            if since >= _GOES_ON:
                whose.clear()
            if len(whose) < _MOST_VOICES:
                whose.add(voices[at])
            last, since = at, 0
            over.pop(episode, None)
        elif (
            not mentioned[at]
            and draft.place is Place.MESSAGE
            and "unwrapped" not in draft.repairs  # that is told twice
            and (strength := _strength(texts[at], lows[at]))  # few messages tell of progress: whose it is, is asked of those alone
            and (not whose or any(_speaks_for(voices[at], other) for other in whose))
        ):
            since += strength
        episodes.append(episode)
        if SERVER_FAILED.seen(texts[at], lows[at]):
            died.add(episode)
        if since >= _GOES_ON:
            over.update(before)
            if last >= 0:
                over[episode] = last
    return episodes, {number: at for number, at in over.items() if number not in died}


class _Voice(NamedTuple):
    """Who writes: one program, or one rank of it."""

    block: int  # of a text in Markdown: how many fences stand before it
    file: str  # whose head `tail` printed last
    host: str  # the word before what a writer without a known prefix says: `node01: `, `train-0 main `
    container: str
    program: str  # the process, without the tags of the parts of one server and without the pid that a system log adds
    rank: int | None
    part: bool  # of a server: what one part goes on doing, the other parts survived


# The parts of one vLLM server, as they name themselves.
_PART = expression(r" ?\b(?:A[Pp][Ii]Server|EngineCore|VllmWorker|Worker)\w*(?: rank=\d{1,4})? pid=\d{1,8}")
_LOGGED_PID = expression(r"\[\d{1,8}\]")
_HOST = expression(r"(?P<name>[A-Za-z]{2}[\w.-]{0,60}\d[\w.-]{0,20})(?::? )")
_DIGITS = expression(r"\d+")
_KERNEL = expression(r"(?:NVRM: |Out of memory: Killed process |Memory cgroup out of memory: |oom-kill:)")  # `dmesg` names no program
_FILE_HEAD = expression(r"==> (?P<name>.{1,300}) <==$")


def _voices(drafts: Sequence[Draft], texts: Sequence[str], fences: Sequence[int]) -> list[_Voice]:
    file = ""
    out = []
    for draft, text in zip(drafts, texts, strict=True):
        head = _FILE_HEAD.match(text) if text.startswith("==> ") else None
        if head is not None:
            file = head["name"]
        program = _PART.sub("", draft.process)
        block = bisect_left(fences, draft.line)
        named = _HOST.match((draft.context or draft.strand).text) if not draft.process else None
        host = named["name"] if named else ""
        who = "kernel" if not draft.process and _KERNEL.match(text) else _LOGGED_PID.sub("", program)
        out.append(_Voice(block, file, host, draft.container, who, draft.rank, program != draft.process))
    return out


def _speaks_for(voice: _Voice, failed: _Voice) -> bool:
    """Whether the progress of a voice tells that what failed goes on. Who says nothing of itself may be anybody, but no other rank."""
    if (voice.block, voice.file) != (failed.block, failed.file) or (
        voice.container and failed.container and voice.container != failed.container
    ):
        return False
    if voice.host != failed.host and _DIGITS.sub("", voice.host) == _DIGITS.sub("", failed.host):
        return False
    if voice.program and failed.program and voice.program != failed.program:
        return False
    if voice.rank is None:
        return failed.rank is None or failed.part
    return failed.rank is None or failed.rank == voice.rank


_MOST_VOICES = 64  # that are kept: of more that fail, what these go on doing tells
_GOES_ON = 2  # signs of progress; one may be left over from before the failure


def _strength(text: str, low: str) -> int:
    if DONE.seen(text, low):
        return _GOES_ON
    return 1 if PROGRESS.seen(text, low) else 0


def _stopped(
    drafts: Sequence[Draft], texts: Sequence[str], lows: Sequence[str], mentioned: Sequence[bool], runs: Sequence[int]
) -> dict[tuple[int, str], int]:
    """For each run and container that somebody stopped, the first message of its teardown; "" stops all containers."""
    out: dict[tuple[int, str], int] = {}
    for at, draft in enumerate(drafts):
        whose = runs[at], draft.container
        if whose not in out and not mentioned[at] and draft.severity != "DEBUG" and STOPPED.seen(texts[at], lows[at]):
            out[whose] = at
    return out
