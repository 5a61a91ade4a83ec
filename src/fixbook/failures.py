"""What failed in a log, whether or not an entry knows it: exceptions and the marks of a failure, each with a fingerprint.

Two failures of one chain (`During handling of the above exception …`), two readings of the same lines and a repetition of the same
failure belong together.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from .alternatives import Alternatives
from .digest import digest
from .events import ENDED, FAULT
from .expressions import expression
from .model import Place
from .report import Log, Message, MessageStatus, Traceback
from .statements import has_escaped_lines
from .value import Value

__all__ = ["Failure", "failures", "fingerprint", "mask"]


class Failure(Value):
    """One failure as one message tells it. Failures with the same `group` tell of the same event."""

    message: Message
    exception: str  # the class, or the words of the mark
    text: str  # what the class line says after the class; the whole line of a mark
    frames: tuple[str, ...]
    fingerprint: str
    group: int
    exact: bool = True  # False: only its words or its log level say that this is a failure, or that another process failed


# Ends of a program that are no failure: a stop that was asked for, a control-flow exception.
_STOPS = frozenset(
    ("KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration", "StopAsyncIteration", "CancelledError", "BrokenPipeError")
)

# What only tells that another process failed.
_SHELLS = frozenset(("CalledProcessError", "ChildFailedError", "ProcessExitedException", "ProcessRaisedException"))
_EXIT = expression(r"\bexit(?:ed with)? ?code|returned non-zero exit status|\bexitcode\b")

# Failures that are no exception, as runtimes, shells, launchers and compilers print them.
_MARK = Alternatives(
    r"terminate called (?:after|without)|^libc\+\+abi: |Fatal Python error|Segmentation fault|Bus error|Illegal instruction"
    r"|Aborted \(core dumped\)|core dumped|panicked at|^panic: |^fatal error: |\bFATAL\b|\bfatal {0,3}: |Exception in thread"
    r"|^Uncaught \w{3,40}|Unhandled exception|Out of memory: Killed process|oom-kill:|\bOOMKilled\b"
    r"|\bKilled(?:[ \t]{2}|[ \t]*$|: 9\b)|(?<=\d )Killed\b"
    r"|exited with code [1-9]|\bexit(?:ed with)? code:? ?(?:-|[1-9])|\bexitcode\s{0,10}: ?-?[1-9]|returned non-zero exit status"
    r"|Error response from daemon|OCI runtime create failed|Failed to initialize NVML"
    r"|NVRM: Xid|\bASSERT(?:ION)? FAILED\b|Assertion [`'\"].{1,200} failed"
    r"|^(?:\S{1,200}: )?[Ee][Rr][Rr][Oo][Rr](?:\[\w+\])?: |: error: (?:argument |unrecognized arguments: |the following arguments )"
    r"|npm ERR!|symbol lookup error|error while loading shared libraries",
    re.MULTILINE,
)
# Words that tell of a failure only where nothing surer does: a healthy program prints them, too.
_WEAK = Alternatives(
    r"\b(?:CUDA|HIP|NCCL|RCCL|HCCL|NPU|XPU|cuda|nccl)\w* (?:runtime )?error\b|\bhipError\w{4,40}|\bnccl\w{4,40}Error\b|\bX[Ii][Dd] \d+"
    r"|\b[Ee]rror loading\b|\b[Ff]ailed to (?:allocate|build|connect|create|get|import|initiali[sz]e|load|open|quantize|start)\b"
    r"|\bcannot import name\b|\bNo module named\b|\bundefined symbol: |cannot open shared object file|: not found$|: command not found"
    r"|\bnon-zero status\b|\bout of memory\b|\bdoes not match\b|\bis (?:lost|misaligned)\b|\bmust be divisible\b|\b[Vv]alue [Ee]rror\b"
    r"|\bonly supports\b|\bis not supported\b|\b[Cc]ould not (?:create|find|load|open|start)\b|\b[Uu]nable to\b|\brequires more\b"
    r"|\bprobe failed\b|\bis unbalanced\b|\btoo old\b|\bonly 0 bytes available\b|\b[Nn]ot enough free\b|\binvalid magic\b",
    re.MULTILINE,
)
# NCCL warns of what it can do without, and tells its start-up at length; of its warnings those that end it are in `ENDED`.
_LEVEL_OF_NCCL = expression(r"\bNCCL (?:INFO|TRACE)\b| WARN ")
# C++: `terminate called after throwing an instance of 'std::bad_alloc'`, then its text.
_THROWN = expression(r"terminate called after throwing an instance of '(?P<class>[^'\n]{1,200})'(?:\s+what\(\): {0,2}(?P<what>[^\n]*))?")
_MOST_BETWEEN = 40  # lines in which the words of a chain are looked for
_CHAINED = ("The above exception was the direct cause of", "During handling of the above exception")
_CLASS = expression(r"[`*\s]{0,4}(?P<class>[A-Za-z_][\w.]{2,150})(?:\([\w. ]{0,60}\))?(?P<end>[:：(]|\s|$)")
_SOFT = frozenset(("DEBUG", "INFO", "NOTICE", "TRACE", "WARNING"))
_SEVERE = frozenset(("ERROR", "CRITICAL", "FATAL", "SEVERE"))


def failures(log: Log, also: Collection[int] = ()) -> tuple[Failure, ...]:
    """What failed, in the order of the log; a launcher's exit codes and mere words count where nothing surer tells of a failure.

    Messages that are only mentioned or were handled are no failures. `also` are indexes of messages that are known to tell of one.
    """
    told = [*_told(log, also), *_cut(log)]
    if any(exact for *_, exact in told):
        told = [each for each in told if each[-1]]
    told.sort(key=lambda each: each[0].index)
    groups = _groups(log, [message for message, *_ in told])
    return tuple(
        Failure(message, name, text, frames, fingerprint(name, text, frames), groups[message.index], exact)
        for message, name, text, frames, exact in told
    )


def _told(log: Log, also: Collection[int]) -> Iterator[tuple[Message, str, str, tuple[str, ...], bool]]:
    for message in log.messages:
        if message.status in (MessageStatus.MENTIONED, MessageStatus.HANDLED) or has_escaped_lines(message.text):
            continue
        if message.place is Place.EXCEPTION:
            name, text = _parts(message.text)
            kind = name.rsplit(".", 1)[-1]
            if kind not in _STOPS:
                yield message, name, text, _frames(log, message), kind not in _SHELLS
        elif message.index in also:
            yield message, "", message.text, _frames(log, message), True
        elif message.place is Place.MESSAGE and message.severity not in _SOFT:
            low = message.text.lower()
            match = _MARK.search(message.text, low)
            if match:
                yield message, match[0].strip(" :"), message.text, (), not _EXIT.search(match[0])
            elif FAULT.seen(message.text, low):
                yield message, message.severity, message.text, (), True
            elif ENDED.seen(message.text, low) or message.severity in _SEVERE or _is_weak(message.text, low):
                yield message, message.severity, message.text, (), False


def _is_weak(text: str, low: str) -> bool:
    return _WEAK.seen(text, low) and _LEVEL_OF_NCCL.search(text) is None


def _cut(log: Log) -> Iterator[tuple[Message, str, str, tuple[str, ...], bool]]:
    """Tracebacks without an exception at their end."""
    for traceback in log.tracebacks:
        if traceback.exception is None and traceback.frames:
            last = log.messages[traceback.frames[-1]]
            if last.status not in (MessageStatus.MENTIONED, MessageStatus.HANDLED) and last.severity not in _SOFT:
                yield last, "", "", tuple(log.messages[index].text for index in traceback.frames), False


def _parts(text: str) -> tuple[str, str]:
    """Class and message of an exception, also of its repr: `RuntimeError('x')`."""
    match = _CLASS.match(text)
    mark = _MARK.search(text, text.lower())
    thrown = _THROWN.match(text)
    if thrown:
        return thrown["class"], thrown["what"] or ""
    if mark and not (match and (match["end"] or match.end() == len(text)) and match["end"] != " "):
        return mark[0].strip(" :"), text  # a program's last words: `terminate called after …`, `Segmentation fault`
    if not match:
        return "", text
    rest = text[match.end() :].strip()
    if match["end"] == "(":
        rest = rest.rstrip(",)")
        rest = rest[1:-1] if len(rest) > 1 and rest[0] in "'\"" and rest[-1] == rest[0] else rest
    return match["class"], rest


def _frames(log: Log, message: Message) -> tuple[str, ...]:
    if message.traceback is None:
        return ()
    return tuple(log.messages[index].text.split("\n", 1)[0] for index in log.tracebacks[message.traceback].frames)


# --- what belongs together --------------------------------------------------------------------------------------------------------


def _groups(log: Log, told: Sequence[Message]) -> Mapping[int, int]:
    """Message index → number of its group: the index of the first message of the group."""
    group = {message.index: message.index for message in told}
    before: dict[str, Message] = {}
    covered: list[tuple[int, Message]] = []
    for message in told:
        previous = before.get(message.process)
        if previous is not None and _follows(log, previous, message):
            group[message.index] = group[previous.index]
        else:
            same = next((other for end, other in reversed(covered[-8:]) if _is_within(message, other, end)), None)
            if same is not None:
                group[message.index] = group[same.index]
        before[message.process] = message
        covered.append((message.end_line, message))
    return group


def _is_within(message: Message, other: Message, end: int) -> bool:
    """Whether a message begins where another one stands, which goes on to the line `end`; within one line the places tell."""
    if not other.line <= message.line <= end:
        return False
    return other.line < end or other.strand.raw(0) <= message.strand.raw(0) <= other.strand.raw(len(other.text))


def _follows(log: Log, first: Message, second: Message) -> bool:
    """Whether the second failure is chained to the first, or a mark printed with it."""
    begin = _begin(log, second)
    if Place.MESSAGE in (first.place, second.place) and 0 <= begin - first.end_line <= 2:
        return True
    between = range(first.end_line, min(begin, first.end_line + _MOST_BETWEEN) + 1)
    return begin - first.end_line <= _MOST_BETWEEN and any(words in log.raw_line(line) for line in between for words in _CHAINED)


def _begin(log: Log, message: Message) -> int:
    traceback: Traceback | None = None if message.traceback is None else log.tracebacks[message.traceback]
    return min(message.line, traceback.line) if traceback else message.line


# --- the same failure from two logs -----------------------------------------------------------------------------------------------

_MASKS = (
    (r"\x1b\[[0-9;]*[A-Za-z]", ""),
    (r"\b[a-z][a-z0-9+.-]{1,10}://[^\s'\"<>)]+", "<url>"),
    (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<id>"),
    (r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|`[^`\n]{0,300}`", "<value>"),
    (r"(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?|~[\\/][\w.@+~\\/-]+", "<path>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[\w-]+(?:\.[\w-]+)+:\d{2,5}\b", "<host>"),
    (r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", "<id>"),
    (r"[+-]?\d[\d.,_]*(?:e[+-]?\d+)?(?:\s?(?:[KMGT]i?B|bytes|ms|s|%))?(?![A-Za-z])", "#"),
    (r"\d+", "#"),
    (r"\s+", " "),
)
_LIBRARY = expression(r"(?:site|dist)-packages/|/lib/python\d|/python3\.\d+/|<frozen |^<string>|/usr/lib/|/torch/csrc/")
_INSTALLED = expression(r"(?:site|dist)-packages/|/python[0-9.]+/|/lib/")
_FRAME = expression(r"(?P<path>.+?)(?::\d+)?(?: in (?P<function>.+))?$")
_MOST_TEXT = 300  # characters of a message that a fingerprint knows


def mask(text: str) -> str:
    """The text without what differs between two reports of one failure: numbers, addresses, paths, quoted values, hosts."""
    for pattern, replacement in _masks():
        text = pattern.sub(replacement, text)
    return text.strip()


@cache
def _masks() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((expression(pattern), replacement) for pattern, replacement in _MASKS)  # not before something failed


def fingerprint(exception: str, text: str, frames: Sequence[str]) -> str:
    """12 hexadecimal digits: class without its package, masked first line, innermost frame of the user's code and of a library.

    Line numbers, the place of the installation and prefixes do not enter.
    """

    first = text.lstrip().split("\n", 1)[0][:_MOST_TEXT]
    parts = [exception.rsplit(".", 1)[-1], mask(first), *_innermost(frames)]
    return digest("\0".join(parts).encode("utf-8", "surrogatepass"), 6)


def _innermost(frames: Sequence[str]) -> tuple[str, str]:
    user, library = "", ""
    for frame in frames:
        match = _FRAME.match(frame.replace("\\", "/"))
        if not match:
            continue
        path, function = match["path"], match["function"] or ""
        if _LIBRARY.search(path):
            library = f"{_INSTALLED.split(path)[-1]} {function}"
        else:
            user = f"{path.rsplit('/', 1)[-1]} {function}"
    return user, library
