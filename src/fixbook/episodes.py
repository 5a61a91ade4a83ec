"""What happened, and what was only said: status, run and episode of each message.

*Mentioned* is decided by the line and by the kind of document it stands in (a test runner's listing, a changelog, a search listing);
*handled* by what comes after: a program that goes on working has handled what it reported before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .model import Place
from .report import MessageStatus
from .strand import Strand

__all__ = ["Draft", "assign"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before the whole log is known."""

    strand: Strand
    whole: Strand | None
    place: Place
    status: MessageStatus
    line: int
    end_line: int
    process: str = ""
    rank: int | None = None
    severity: str = ""
    bullet: bool = False
    traceback: int | None = None
    repairs: tuple[str, ...] = ()
    pieces: tuple[Strand, ...] = ()
    blocks: tuple[Strand, ...] = ()


# --- mentioned --------------------------------------------------------------------------------------------------------------------

# A line of a listing: what a test runner, a commit log or a changelog prints of one item.
_LISTED = re.compile(
    r"::\S{1,200} (?:PASSED|SKIPPED|XFAIL|XPASS)\b|^(?:PASSED|SKIPPED|XFAIL|XPASS|DESELECTED)\b|\.\.\. (?:ok|skipped|expected failure)\b|^\s*--- (?:PASS|SKIP):|^=== (?:RUN"
    r"|PAUSE|CONT)\b"
    r"|^(?:not )?ok \d+ - |^# Subtest: |^\s*[✓✔]\s|<testcase\b"
    r"|^[0-9a-f]{7,40} (?:\(.{0,80}\) )?(?:Merge|Revert|[a-z]{2,12}(?:\([\w ./-]{1,40}\))?!?: )"
    r"|^\s*(?:[*+•-]|\d{1,3}\.)\s+(?:\[?(?:[Ff]ix(?:ed|es)?|[Dd]ocs?|ci|CI|[Aa]dded?|[Rr]emoved?|[Cc]hanged?|[Ff]eat|chore|test|perf|refactor|build"
    r"|[Bb]ug ?fix|[Ii]mproved?|修复|新增|优化)\b[^:：\n]{0,40}\]?\s*[:：])"
    r"|^(?:fix|docs|ci|feat|chore|test|perf|refactor|build|style)(?:\([\w ./-]{1,40}\))?!?: "
)
# Documents whose every line only lists: the runner's own summary says that nothing failed.
_ALL_PASSED = re.compile(
    r"^=+ (?=.*\b\d+ passed)(?!.*\b[1-9]\d* (?:failed|error)).*=+\s*$|^OK(?: \(.*\))?$|^PASS$|^ok\s+\S+\s+\d[\d.]*s|^# fail 0$"
    r"|^Tests:.*\b\d+ passed(?!.*failed)|errors=\"0\" failures=\"0\"|failures=\"0\" errors=\"0\"|test result: ok\.",
    re.MULTILINE,
)
_SOME_FAILED = re.compile(
    r"^=+ .*\b[1-9]\d* (?:failed|error).*=+\s*$|^FAILED(?: \(| \S+::)|^--- FAIL|^# fail [1-9]|failures=\"[1-9]|test result: FAILED"
    r"|^FAIL\b",
    re.MULTILINE,
)
_RUNNER = re.compile(
    r"test session starts|^Ran \d+ tests? in|^=== RUN|^TAP version|^1\.\.\d+|<testsuite|^running \d+ tests?|^ok\s+\S+\s+\d"
    r"|^# tests \d",
    re.MULTILINE,
)
_SEARCH = re.compile(r"^\s*(?:\$|#|>|\S+[$#])?\s*(?:grep|egrep|rg|ag|ack|git grep|git log)\s+\S", re.MULTILINE)
_RESULT = re.compile(r"^[\w./-]{1,200}\.\w{1,6}(?::\d+)?(?:[:-].*)?$")
# A warning or a hint that quotes an error which may come.
_HINT = re.compile(
    r"\b(?:errors?|exceptions?|failures?|messages?|issues?) (?:like|such as|similar to)\b|\b(?:can|may|might|could"
    r"|would) (?:also )?(?:cause|lead to|result in|produce|trigger|raise|see|fail with|hit|encounter|get)\b"
    r"|\bif you (?:see|get|encounter|hit|run into|face)\b|\bto (?:avoid|prevent|suppress|silence)\b|\bin case of\b|\bto opt out\b"
    r"|\bwill (?:raise|fail|be raised)\b",
    re.IGNORECASE,
)
_SOFT = frozenset({"DEBUG", "INFO", "WARNING", "NOTICE", "TRACE", "SUCCESS"})


def _mentioned(drafts: Sequence[Draft]) -> list[bool]:
    whole = [draft.whole.text if draft.whole is not None else draft.strand.text for draft in drafts]
    document = "\n".join(whole)
    listing = bool(_RUNNER.search(document) and _ALL_PASSED.search(document) and not _SOME_FAILED.search(document))
    search = _SEARCH.search(document) is not None
    out = []
    for draft, text in zip(drafts, whole, strict=True):
        listed = listing or _LISTED.search(text) is not None
        found = search and (_RESULT.match(text) is not None or _SEARCH.match(text) is not None)
        hint = draft.severity in _SOFT and draft.place is not Place.FRAME and _HINT.search(text) is not None
        out.append(listed or found or hint)
    return out


# --- handled ----------------------------------------------------------------------------------------------------------------------

# The program works: one such line may be left over from before, two after a failure say that it goes on.
_PROGRESS = re.compile(
    r"\"(?:POST|GET) (?!/(?:health|metrics|ping|version|v1/models|readyz|livez|healthz|load"
    r"|favicon))[^\"]{1,300} HTTP/[\d.]+\"\s+2\d\d|Avg generation throughput: (?!0\.0)"
    r"|\bstep[ =:]+\d+|\biteration\s+\d+/|'loss':|\bloss[=: ]+\d|\bepoch[=: ]+\d+.*\bloss\b|\bgeneration throughput|\bSuccess\b$"
    r"|\" 200 \d+$|\bdecode batch\b",
    re.IGNORECASE,
)
# The program has come up, come back or come to its end.
_DONE = re.compile(
    r"Application startup complete|\bresumed from\b|\bfinished \d+/\d+|'train_runtime'|Training (?:completed|finished)"
    r"|\bclosed after \d+ failures|succeeded after \d+|retry succeeded|\bready: 200\b|\brecovered\b|Saved? (?:model"
    r"|checkpoint) (?:to|in)|\btraining done\b",
    re.IGNORECASE,
)
_SERVER_FAILED = re.compile(
    r"\b5\d\d Internal Server Error|HTTP/[\d.]+\"\s+5\d\d|EngineDeadError|Engine core proc .* died|engine is dead",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"^\s*(?:\^C|KeyboardInterrupt\b)|\bKeyboardInterrupt\b|Received (?:signal |SIG)(?:2\b|INT\b|15\b|TERM\b)"
    r"|Shutting down FastAPI HTTP server|\bsignal SIGINT\b|INFO: +Shutting down\s*$|Ctrl-?C"
)
_RETRY = re.compile(
    r"\bRetry(?:ing)?\b|\bretry in\b|\bwill retry\b|\battempt \d+(?: of |/)\d+|Reducing (?:hysteresis|dynamic loss scale)"
    r"|reducing to \d+|Skipping step|\brecovered:",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"error|exception|fail|fatal|abort|killed|died|panic|out of memory|segfault|assert|timeout|timed out|denied|refused|unable|cannot"
    r"|not supported|unsupported|invalid|no space|not found|missing|mismatch|incompatible|unhandled|\bXid\b|corrupt|illegal|undefined symbol",
    re.IGNORECASE,
)
_NEW_RUN = re.compile(
    r"vLLM API server version|\bversion \d+\.\d+\.\d+.*█|Initializing an? (?:V\d )?LLM engine|server_args=ServerArgs\("
    r"|^Setting OMP_NUM_THREADS|Started server process|Starting (?:vLLM|SGLang)|^\+ (?:vllm|python)\b|^\$ (?:vllm|python"
    r"|torchrun)\b"
)
_FIRST_LINE_OF_RUN = re.compile(r"vLLM API server version|\bversion \d+\.\d+\.\d+.*█|server_args=ServerArgs\(")


def assign(drafts: Sequence[Draft]) -> list[tuple[MessageStatus, int, int]]:
    """`(status, run, episode)` of each message, in order."""
    texts = [draft.strand.text for draft in drafts]
    mentioned = _mentioned(drafts)
    fails = [not said and _is_failure(draft, text) for draft, text, said in zip(drafts, texts, mentioned, strict=True)]
    runs = _runs(texts, fails)
    episodes, handled = _episodes(drafts, texts, fails, mentioned)
    out = []
    for at, draft in enumerate(drafts):
        status = draft.status
        if mentioned[at]:
            status = MessageStatus.MENTIONED
        elif handled[at]:
            status = MessageStatus.HANDLED
        out.append((status, runs[at], episodes[at]))
    return out


def _is_failure(draft: Draft, text: str) -> bool:
    if draft.place is Place.EXCEPTION:
        return True
    return draft.place is Place.MESSAGE and draft.severity not in _SOFT and _FAILS.search(text) is not None


def _runs(texts: Sequence[str], fails: Sequence[bool]) -> list[int]:
    """A start banner after a failure, or a second first line, begins another run of the program."""
    run, failed, banner = 0, False, False
    out = []
    for text, fail in zip(texts, fails, strict=True):
        if len(text) > 8 and _NEW_RUN.search(text):
            first = _FIRST_LINE_OF_RUN.search(text) is not None
            if failed or (first and banner):
                run += 1
                failed = banner = False
            banner = banner or first
        failed = failed or fail
        out.append(run)
    return out


def _episodes(
    drafts: Sequence[Draft], texts: Sequence[str], fails: Sequence[bool], mentioned: Sequence[bool]
) -> tuple[list[int], list[bool]]:
    """Failures between two stretches of progress are one episode; one that progress follows was handled."""
    count = len(drafts)
    strength = [0 if mentioned[at] or fails[at] or drafts[at].place is not Place.MESSAGE else _strength(texts[at]) for at in range(count)]
    episodes: list[int] = []
    episode, since, seen = 0, 0, False
    for at in range(count):
        if fails[at]:
            if seen and since >= 2:
                episode += 1
            seen, since = True, 0
        since += strength[at]
        episodes.append(episode)
    after: dict[int, int] = {}
    died: dict[int, bool] = {}
    stopped = count
    for at in range(count):
        if stopped == count and not mentioned[at] and drafts[at].severity != "DEBUG" and _STOPPED.search(texts[at]):
            stopped = at
        if fails[at]:
            after[episodes[at]] = 0
        else:
            after[episodes[at]] = after.get(episodes[at], 0) + strength[at]
        if _SERVER_FAILED.search(texts[at]):
            died[episodes[at]] = True
    handled = []
    for at in range(count):
        gone_on = after.get(episodes[at], 0) >= 2 and not died.get(episodes[at], False)
        retried = drafts[at].severity in _SOFT and drafts[at].place is Place.MESSAGE and _RETRY.search(texts[at]) is not None
        debug = drafts[at].severity in ("DEBUG", "TRACE")
        handled.append(gone_on or retried or debug or at >= stopped)
    return episodes, handled


def _strength(text: str) -> int:
    if _DONE.search(text):
        return 2
    return 1 if _PROGRESS.search(text) else 0
