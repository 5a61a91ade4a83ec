"""What a log gave: messages, facts, hits, findings and the report. Values only; nothing here computes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum

from .model import Commonness, Entry, Kind, Level, Ordered, Place
from .strand import Strand
from .value import Value, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from .value import NamedTuple

__all__ = [
    "Ask",
    "BookInfo",
    "Fact",
    "Finding",
    "Hit",
    "Log",
    "Message",
    "MessageStatus",
    "Missing",
    "Nearest",
    "Rank",
    "Reason",
    "Report",
    "Skipped",
    "Traceback",
    "Unknown",
    "Verdict",
    "VersionStatus",
]


class MessageStatus(Ordered):
    RAISED = "raised"
    REPORTED = "reported"  # told by another exception or a log line
    MENTIONED = "mentioned"  # the text of an error, in a listing, a changelog, a warning
    HANDLED = "handled"  # the program says so, or goes on


class Verdict(StrEnum):
    KNOWN = "known"
    WRAPPER = "wrapper"
    UNKNOWN = "unknown"
    CLEAN = "clean"


class VersionStatus(StrEnum):
    AFFECTED = "affected"
    HAS_FIX = "has_fix"
    PREDATES = "predates"  # older than the release that brought the fault
    UNKNOWN = "unknown"


class Message(Value):
    """One statement of one process, unwrapped. `text` is searched first, then the `readings`: the same text with a repair done."""

    strand: Strand
    place: Place
    status: MessageStatus
    line: int  # 1-based raw line on which it begins
    end_line: int  # raw line on which it ends
    index: int  # its number in the log, in order of appearance
    process: str = ""  # what the prefixes call the process: "EngineCore_DP0 pid=41"; "" when nothing tells
    rank: int | None = None
    severity: str = ""  # log level of the line: "ERROR", "WARNING", "INFO" …, "" when nothing tells
    run: int = 0  # which start of the program: 0, 1 after the first restart …
    episode: int = 0  # failures between two stretches of progress are one episode
    traceback: int | None = None  # index into Log.tracebacks for frame, source and exception
    innermost: bool = False  # frame and source: the last frame before the exception
    repairs: tuple[str, ...] = ()  # what had to be undone to get this text
    readings: tuple[tuple[str, Strand], ...] = ()  # (repair, text) to try where the text itself does not match

    @property
    def text(self) -> str:
        return self.strand.text


class Traceback(Value):
    """One traceback: the indexes of its frames (outermost first) and of the exception in which it ends (None when cut off)."""

    frames: tuple[int, ...]
    exception: int | None
    line: int
    process: str = ""


class Log(Value):
    """A log as messages.

    `raw` is what was read, `line_starts` the offsets in it at which a line begins, `line_numbers` the 1-based number of each of these
    lines in the source (a range for a whole paste; with gaps where only the regions of a large file were read).
    """

    name: str
    messages: tuple[Message, ...]
    tracebacks: tuple[Traceback, ...]
    raw: str
    line_starts: Sequence[int]
    line_numbers: Sequence[int]

    def locate(self, raw_offset: int) -> tuple[int, int]:
        """1-based line and column of a raw offset."""
        if not self.line_starts:
            return 1, 1
        at = max(bisect_right(self.line_starts, raw_offset) - 1, 0)
        return self.line_numbers[at], raw_offset - self.line_starts[at] + 1

    def raw_line(self, line: int) -> str:
        """The raw text of a 1-based line, without its end; "" when the log does not hold it."""
        at = bisect_left(self.line_numbers, line)
        if at >= len(self.line_numbers) or self.line_numbers[at] != line:
            return ""
        end = self.line_starts[at + 1] if at + 1 < len(self.line_starts) else len(self.raw)
        return self.raw[self.line_starts[at] : end].rstrip("\r\n")


class Fact(Value):
    """Something the log states about its system. `value` is normalised, `stated` is what stood there."""

    name: str
    value: str
    stated: str
    source: str  # name of the log, or "caller", or "capture"
    line: int  # 0 when the caller said it
    run: int = 0
    index: int = -1  # index of the message it was read from; -1 when the caller said it


class Hit(Value):
    """A signature found in a message."""

    entry: str  # id
    signature: str  # id within the entry
    message: int  # index into Log.messages
    source: str
    line: int
    column: int
    text: str  # the raw line that proves it
    matched: str  # what the pattern matched
    captures: Mapping[str, str]
    place: Place
    status: MessageStatus
    process: str = ""
    rank: int | None = None
    run: int = 0
    episode: int = 0
    repairs: tuple[str, ...] = ()
    after_fix: bool = False
    shared: bool = False


class Reason(Value):
    """One condition of an entry, and what the log says about it. `holds` None: unknown."""

    condition: str  # as the author wrote it, for people: "kv_cache_dtype is one of float16, bfloat16"
    fact: str  # name of the fact, or "frames" / "messages"
    holds: bool | None
    value: str | None = None
    line: int | None = None
    rules_out: bool = False  # from `rules_out`, so that holding speaks against the entry
    source: str = ""  # name of the log that states the fact, where a report is over several


class Rank(NamedTuple):
    """Order of findings. Smaller is better, compared from left to right."""

    kind: Kind  # cause < wrapper < cascade < benign
    level: Level  # confirmed < likely < possible
    version_surprise: bool  # the stated version speaks against it
    unknown_requires: int  # how much the log leaves open
    place: int  # the earlier failure of the last episode began the chain
    commonness: Commonness  # the entry's own last tie-break


class Finding(Value):
    """An entry with its hits (the proving one first), its level and its version status."""

    entry: Entry
    level: Level
    version: VersionStatus
    rank: Rank
    hits: tuple[Hit, ...]
    reasons: tuple[Reason, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # values that hold for the proving hit, for placeholders
    affected_version: str | None = None  # the version that the log states for the package of `affects`
    ranks: tuple[int, ...] = ()  # the ranks that printed it
    world: int | None = None  # of how many
    tell: Mapping[str, str] = field(default_factory=dict)  # lang → what tells it from the first finding (the sibling's words)


class Ask(Value):
    """A fact to look up because it decides."""

    fact: str
    decides_between: tuple[str, ...]  # entry ids
    command: str  # how to look it up


class Nearest(Value):
    """An entry that is close to an unknown failure, and why it is not it."""

    entry: str
    because: str


class Unknown(Value):
    """A failure that no entry explains."""

    fingerprint: str
    exception: str
    message: str
    line: int
    frames: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    source: str = ""  # name of the log, where a report is over several


class Missing(Value):
    """A part of the log that is needed and not there. `what` is a key of templates/labels.yaml, `command` gets it."""

    what: str
    line: int
    command: str = ""
    source: str = ""  # name of the log, where a report is over several


class Skipped(Value):
    """Work that was given up: never the same as absent."""

    what: str  # "kb/x#signature", a file name
    reason: str
    line: int = 0


class BookInfo(Value):
    version: str
    digest: str
    entries: int


class Report(Value):
    """The answer to one log."""

    book: BookInfo
    source: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    consequences: tuple[Finding, ...] = ()
    ruled_out: tuple[Finding, ...] = ()
    ask: tuple[Ask, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    facts: tuple[Fact, ...] = ()
    missing: tuple[Missing, ...] = ()
    skipped: tuple[Skipped, ...] = ()
