"""Messages → hits: every signature that the index lets through is looked for in the messages of its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, zip_longest

from .index import Index, Probe, Role
from .model import Entry, Place, Signature
from .pattern import TIMEOUT, Search, search_for
from .report import Hit, Log, Message, MessageStatus, Skipped
from .strand import Strand
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    import regex

__all__ = ["Hits", "key_of", "probes", "scan", "texts_of"]

# Work is counted, not timed: what goes over these is named in the report. The time-out is the last net.
MOST_HITS = 64  # of one signature in one log: the spread over ranks is known long before
MOST_TRIES = 20_000  # texts that one signature is tried on
WINDOW = 16_384  # characters of one text that a pattern sees at once; longer texts are cut with half a window of overlap


class Hits(Value):
    hits: tuple[Hit, ...]
    skipped: tuple[Skipped, ...] = ()


def scan(log: Log, entries: Mapping[str, Entry], active: Iterable[str], index: Index | None = None) -> Hits:
    """All hits of the active entries' signatures, in the order of the log.

    With an index, made by `probes` from the active entries, a pattern is tried only where its literals stand, and no entry is touched
    without need; without one every pattern is tried on every text. Both find the same.
    """
    finder = _Finder(log, index)
    if index is None:
        wanted = [(id, signature.id, -1) for id in active for signature in entries[id].signatures]
    else:
        found = ((key.partition("#"), number) for key, number in index.candidates(finder.haystack).items() if key.count("#") == 1)
        wanted = sorted((id, name, number) for (id, _, name), number in found)
    for id, name, number in wanted:
        entry = entries[id]
        finder.look(entry, next(signature for signature in entry.signatures if signature.id == name), number)
    hits = sorted(finder.hits, key=lambda hit: (hit.line, hit.column, hit.entry, hit.signature, hit.message))
    return Hits(tuple(hits), tuple(finder.skipped))


def key_of(entry: Entry, signature: Signature) -> str:
    """The name of a signature in an index and in reports."""
    return f"{entry.id}#{signature.id}"


def probes(entries: Iterable[Entry]) -> tuple[Probe, ...]:
    """What an index has to look for, so that `scan` can use it."""
    return tuple(
        Probe(key_of(entry, signature), signature.pattern, signature.flags, Role.SIGNATURE)
        for entry in entries
        for signature in entry.signatures
    )


def texts_of(message: Message) -> Iterator[tuple[tuple[str, ...], Strand]]:
    """The message's text, then its readings, each with the repairs it took."""
    yield message.repairs, message.strand
    for name, strand in message.readings:
        yield (*message.repairs, *(part for part in name.split("+") if part and part not in message.repairs)), strand


class _Text(Value):
    """One text of one message: its own, or a reading."""

    message: Message
    repairs: tuple[str, ...]
    strand: Strand
    reading: int  # 0 for the message's own text


class _Finder:
    def __init__(self, log: Log, index: Index | None) -> None:
        self._log = log
        self._index = index
        self.hits: list[Hit] = []
        self.skipped: list[Skipped] = []
        self._texts = [
            _Text(message, repairs, strand, reading)
            for message in log.messages
            for reading, (repairs, strand) in enumerate(texts_of(message))
        ]
        self._starts = [0, *accumulate(len(text.strand.text) + 1 for text in self._texts)]
        self.haystack = "\n".join(text.strand.text for text in self._texts)
        self._at_line: dict[tuple[int, str | None], Message] = {}
        for message in log.messages:
            if message.place is Place.MESSAGE:
                self._at_line.setdefault((message.line, message.process), message)
                self._at_line.setdefault((message.line, None), message)

    def _untold(self, message: Message) -> bool:
        """A source line that alone tells of the failure: the traceback is cut before its exception."""
        if message.traceback is None or not message.innermost:
            return False
        return self._log.tracebacks[message.traceback].exception is None

    def look(self, entry: Entry, signature: Signature, number: int) -> None:
        """Find the signature, which has this number in the index: in each message the plainest text that matches counts."""
        pattern = search_for(signature.pattern, signature.flags)
        within = search_for(signature.with_) if signature.with_ else None
        found: dict[int, int] = {}
        for tried, at in enumerate(self._in_turn(self._where(number))):
            text = self._texts[at]
            if text.message.index in found or not self._is_place(text.message, signature):
                continue
            if within is not None and not self._ends_in(text.message, within):
                continue
            if len(found) >= MOST_HITS or tried >= MOST_TRIES:
                reason = f"more than {MOST_HITS} hits" if len(found) >= MOST_HITS else f"more than {MOST_TRIES} texts"
                self.skipped.append(Skipped(key_of(entry, signature), reason, text.message.line))
                return
            hit = self._search(entry, signature, pattern, text)
            if hit is not None:
                found[text.message.index] = text.reading
                self.hits.append(hit)

    def _where(self, probe: int) -> Sequence[int]:
        """The texts in which a literal of the pattern stands, in order; all of them where none is known."""
        fold, needs = (False, ()) if self._index is None else self._index.needs(probe)
        if not needs:
            return range(len(self._texts))
        if fold:
            return [at for at, text in enumerate(self._texts) if any(literal in text.strand.text.lower() for literal in needs[0])]
        return sorted({at for literal in needs[0] for at in self._holding(literal)})

    def _in_turn(self, where: Sequence[int]) -> Iterable[int]:
        """Where there may be more than is read: the first message, the last, the second, the last but one …

        A log begins with what brought a failure about and ends with the failure at hand: of a server that failed a hundred times with one
        setting and now fails with another, the last one counts.
        """
        if len(where) <= MOST_HITS:
            return where
        messages = [list(texts) for _, texts in groupby(where, lambda at: self._texts[at].message.index)]
        half = (len(messages) + 1) // 2
        pairs = zip_longest(messages[:half], reversed(messages[half:]))
        return (at for pair in pairs for texts in pair if texts is not None for at in texts)

    def _holding(self, literal: str) -> Iterator[int]:
        at = self.haystack.find(literal)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            yield number
            at = self.haystack.find(literal, self._starts[number + 1])

    def _is_place(self, message: Message, signature: Signature) -> bool:
        if signature.place is not None:
            return message.place is signature.place
        return message.place in (Place.MESSAGE, Place.EXCEPTION) or (message.place is Place.SOURCE and self._untold(message))

    def _ends_in(self, message: Message, within: Search) -> bool:
        """`with`: the message is the innermost frame of a traceback whose exception matches."""
        if message.traceback is None or not message.innermost:
            return False
        at = self._log.tracebacks[message.traceback].exception
        if at is None:
            return False
        return any(within.search(strand.text) is not None for _, strand in texts_of(self._log.messages[at]))

    def _search(self, entry: Entry, signature: Signature, pattern: Search, text: _Text) -> Hit | None:
        for start, part in _windows(text.strand.text):
            try:
                match = pattern.search(part, TIMEOUT)
            except TimeoutError:
                self.skipped.append(Skipped(key_of(entry, signature), "time limit", text.message.line))
                return None
            if match is not None:
                return self._hit(entry, signature, text.message, text.strand, start, match, text.repairs)
        return None

    def _hit(
        self,
        entry: Entry,
        signature: Signature,
        message: Message,
        strand: Strand,
        start: int,
        match: re.Match[str] | regex.Match[str],
        repairs: tuple[str, ...],
    ) -> Hit:
        line, column = self._log.locate(strand.raw(start + match.start()))
        at = message
        if message.place is Place.MESSAGE and line != message.line:
            at = self._at_line.get((line, message.process)) or self._at_line.get((line, None), message)
        teller = at if at.process or at.rank is not None else message  # the second half of a wrapped line lost its prefix
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
            process=teller.process,
            rank=teller.rank,
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
