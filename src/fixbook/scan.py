"""Messages → hits: every signature that the index lets through is looked for in the messages of its place."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .model import Entry, Place, Signature
from .pattern import compile_pattern
from .report import Hit, Log, Message, MessageStatus, Skipped
from .strand import Strand

if TYPE_CHECKING:
    import regex

__all__ = ["Candidates", "Hits", "scan"]

# Work is counted, not timed: what goes over these is named in the report. The time-out is the last net.
MOST_HITS = 64  # of one signature in one log: the spread over ranks is known long before
MOST_TRIES = 20_000  # texts that one signature is tried on
WINDOW = 16_384  # characters of one text that a pattern sees at once; longer texts are cut with half a window of overlap
TIMEOUT = 2.0  # seconds for one pattern on one text


class Candidates(Protocol):
    """The first pass over a paste: the keys whose literals the text contains."""

    def candidates(self, text: str) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Hits:
    hits: tuple[Hit, ...]
    skipped: tuple[Skipped, ...] = ()


def scan(log: Log, entries: Iterable[Entry], index: Candidates | None = None) -> Hits:
    """All hits of the entries' signatures, in the order of the log. `index` None tries every signature on every message."""
    wanted = None if index is None else set(index.candidates(haystack(log.messages)))
    finder = _Finder(log)
    for entry in entries:
        for signature in entry.signatures:
            if wanted is None or f"{entry.id}#{signature.id}" in wanted:
                finder.look(entry, signature)
    hits = sorted(finder.hits, key=lambda hit: (hit.line, hit.column, hit.entry, hit.signature))
    return Hits(tuple(hits), tuple(finder.skipped))


def haystack(messages: Sequence[Message]) -> str:
    """Every text that a signature may see, one after the other."""
    return "\n".join(strand.text for message in messages for _, strand in texts_of(message))


def texts_of(message: Message) -> Iterator[tuple[tuple[str, ...], Strand]]:
    """The message's text, then its readings, each with the repairs it took."""
    yield message.repairs, message.strand
    for name, strand in message.readings:
        yield (*message.repairs, *(part for part in name.split("+") if part and part not in message.repairs)), strand


class _Finder:
    def __init__(self, log: Log) -> None:
        self._log = log
        self.hits: list[Hit] = []
        self.skipped: list[Skipped] = []
        self._by_place: dict[Place, list[Message]] = defaultdict(list)
        self._at_line: dict[tuple[int, str], Message] = {}
        for message in log.messages:
            self._by_place[message.place].append(message)
            if message.place is Place.MESSAGE:
                self._at_line.setdefault((message.line, message.process), message)
        self._cut = [message for message in self._by_place[Place.SOURCE] if self._untold(message)]
        self._both = sorted([*self._by_place[Place.MESSAGE], *self._by_place[Place.EXCEPTION]], key=lambda message: message.index)

    def _untold(self, message: Message) -> bool:
        """A source line that alone tells of the failure: the traceback is cut before its exception."""
        if message.traceback is None or not message.innermost:
            return False
        return self._log.tracebacks[message.traceback].exception is None

    def look(self, entry: Entry, signature: Signature) -> None:
        pattern = compile_pattern(signature.pattern, signature.flags)
        within = compile_pattern(signature.with_) if signature.with_ else None
        found = tried = 0
        for message in self._places(signature):
            if signature.with_ and not self._ends_in(message, within):
                continue
            tried += 1
            if found >= MOST_HITS or tried > MOST_TRIES:
                what = f"{entry.id}#{signature.id}"
                reason = f"more than {MOST_HITS} hits" if found >= MOST_HITS else f"more than {MOST_TRIES} messages"
                self.skipped.append(Skipped(what, reason, message.line))
                return
            for hit in self._search(entry, signature, pattern, message):
                found += 1
                self.hits.append(hit)

    def _places(self, signature: Signature) -> Sequence[Message]:
        if signature.place is None:
            return [*self._both, *self._cut] if self._cut else self._both
        return self._by_place[signature.place]

    def _ends_in(self, message: Message, within: "regex.Pattern[str] | None") -> bool:
        """`with`: the message is the innermost frame of a traceback whose exception matches."""
        if within is None or message.traceback is None or not message.innermost:
            return False
        at = self._log.tracebacks[message.traceback].exception
        if at is None:
            return False
        return any(within.search(strand.text) is not None for _, strand in texts_of(self._log.messages[at]))

    def _search(self, entry: Entry, signature: Signature, pattern: "regex.Pattern[str]", message: Message) -> Iterator[Hit]:
        """The first match in the plainest text that has one."""
        for repairs, strand in texts_of(message):
            for start, text in _windows(strand.text):
                try:
                    match = pattern.search(text, timeout=TIMEOUT)
                except TimeoutError:
                    self.skipped.append(Skipped(f"{entry.id}#{signature.id}", "time limit", message.line))
                    return
                if match is not None:
                    yield self._hit(entry, signature, message, strand, start, match, repairs)
                    return

    def _hit(
        self,
        entry: Entry,
        signature: Signature,
        message: Message,
        strand: Strand,
        start: int,
        match: "regex.Match[str]",
        repairs: tuple[str, ...],
    ) -> Hit:
        line, column = self._log.locate(strand.raw(start + match.start()))
        at = message
        if message.place is Place.MESSAGE and line != message.line:
            at = self._at_line.get((line, message.process), message)
        status = at.status
        if message.place is Place.SOURCE and signature.place is None and status is MessageStatus.RAISED:
            status = MessageStatus.REPORTED
        captures: Mapping[str, str] = {name: value for name, value in match.groupdict().items() if value is not None}
        return Hit(
            entry=entry.id,
            signature=signature.id,
            message=at.index,
            source=self._log.name,
            line=line,
            column=column,
            text=self._log.raw_line(line),
            matched=match.group(),
            captures=captures,
            place=message.place,
            status=status,
            process=at.process,
            rank=at.rank,
            run=at.run,
            episode=at.episode,
            repairs=repairs,
            after_fix=signature.after_fix,
            shared=signature.shared,
        )


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that a pattern may see at once."""
    if len(text) <= WINDOW:
        yield 0, text
        return
    for start in range(0, len(text), WINDOW // 2):
        yield start, text[start : start + WINDOW]
