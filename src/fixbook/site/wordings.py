"""How a failure is worded: the message that each signature hits in the entry's own samples, without what a log puts around it."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from ..decoding import decode
from ..escape import excerpt
from ..log import read
from ..model import Entry, Level, Place, Sample, Signature
from ..pattern import compile_pattern
from ..report import Log, Message

__all__ = ["Part", "Wording", "wordings"]

_MOST = 6
_MOST_LINES = 6
_LONGEST_LINE = 480
_ORDER = (None, Place.EXCEPTION, Place.MESSAGE, Place.SOURCE, Place.FRAME)  # what people search for comes first


class Part(NamedTuple):
    """A run of text, and whether it is what the signature recognises."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Wording:
    """One text by which the failure shows itself, in parts."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    @property
    def markup(self) -> str:
        """HTML with the marked runs in `<mark>`."""
        return "".join(f"<mark>{escape(part.text)}</mark>" if part.marked else escape(part.text) for part in self.parts)


def wordings(entry: Entry) -> tuple[Wording, ...]:
    """At most 6, none twice; first what the failure prints before it is fixed, messages before frames."""
    ordered = sorted(entry.signatures, key=lambda signature: (signature.after_fix, _ORDER.index(signature.place)))
    logs: dict[int, Log] = {}  # the same sample is asked for by several signatures
    found: dict[str, Wording] = {}
    for signature in ordered:
        for number, sample in _expecting(entry, signature):
            log = logs.setdefault(number, read(_text(sample)))
            wording = _wording(signature, log)
            if wording is not None:
                found.setdefault(_key(wording.text), wording)
                break
    return tuple(found.values())[:_MOST]


def _key(text: str) -> str:
    """Two wordings that differ in numbers only are one."""
    return "".join(char for char in text.casefold() if char.isalpha())


def _expecting(entry: Entry, signature: Signature) -> Iterator[tuple[int, Sample]]:
    for number, sample in enumerate(entry.samples):
        if sample.expect.get(signature.id, Level.RULED_OUT) != Level.RULED_OUT:
            yield number, sample


def _text(sample: Sample) -> str:
    return sample.text if isinstance(sample.text, str) else decode(sample.text)


def _wording(signature: Signature, log: Log) -> Wording | None:
    search = compile_pattern(signature.pattern, signature.flags).search
    places = (Place.MESSAGE, Place.EXCEPTION) if signature.place is None else (signature.place,)
    for message in log.messages:
        if message.place not in places:
            continue
        for text in (message.text, *(strand.text for _, strand in message.readings)):
            match = search(text)
            if match:
                end = _exception_below(message, log) if message.place == Place.FRAME else ""
                return _cut(text, match.start(), match.end(), end)
    return None


def _exception_below(frame: Message, log: Log) -> str:
    """A frame says where, the exception that ends the traceback says what."""
    if frame.traceback is None:
        return ""
    exception = log.tracebacks[frame.traceback].exception
    return log.messages[exception].text.split("\n", 1)[0] if exception is not None else ""


def _cut(text: str, start: int, end: int, below: str) -> Wording:
    """The lines that the match touches, each cut to a length that can be read."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(end - 1, start))
    parts: list[Part] = []
    at = first
    for line in text[first : last if last >= 0 else len(text)].split("\n")[:_MOST_LINES]:
        if parts:
            parts.append(Part("\n", False))
        parts += _line(line, max(start - at, 0), min(max(end - at, 0), len(line)))
        at += len(line) + 1
    if below:
        parts += [Part("\n", False), *_line(below, 0, 0)]
    if parts and not parts[0].marked:
        parts[0] = Part(parts[0].text.lstrip(), False)
    return Wording(tuple(part for part in parts if part.text))


def _line(line: str, start: int, end: int) -> list[Part]:
    indent = len(line) - len(line.lstrip())
    start = min(max(start, indent), len(line))
    shown, start, end = excerpt(line, start, max(end, start), _LONGEST_LINE)
    shown = shown.rstrip()
    return [Part(shown[:start], False), Part(shown[start:end], True), Part(shown[end:], False)]
