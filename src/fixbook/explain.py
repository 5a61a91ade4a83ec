"""Why an entry was found, or not: for each signature where its literal stands, how far its pattern got, and which fact decided."""

from collections.abc import Sequence

from .model import Entry, Place, Signature
from .pattern import compile_pattern
from .report import Finding, Hit, Log, Report
from .scan import texts_of
from .value import Value

__all__ = ["Explanation", "SignatureTrace", "explain", "farthest"]


class SignatureTrace(Value):
    """What became of one signature in one log."""

    signature: Signature
    lines: tuple[int, ...]  # lines whose message holds the part of the pattern that got farthest
    hits: tuple[Hit, ...]
    matched: str  # the longest beginning of the pattern that matches somewhere; the whole pattern when it hits
    rest: str  # what of the pattern did not match any more
    elsewhere: Place | None = None  # the place in which the pattern would have matched, when it looks in another


class Explanation(Value):
    """One entry and one log. `finding` is None where no signature hit; its reasons say which fact decided. `others` are the report's."""

    entry: Entry
    finding: Finding | None
    signatures: tuple[SignatureTrace, ...]
    others: tuple[Finding, ...] = ()


def explain(log: Log, report: Report, hits: Sequence[Hit], entries: Sequence[Entry]) -> tuple[Explanation, ...]:
    """One explanation an entry, in the order given."""
    found = {finding.entry.id: finding for finding in (*report.findings, *report.consequences, *report.ruled_out)}
    return tuple(
        Explanation(entry, found.get(entry.id), tuple(_trace(log, hits, entry, each) for each in entry.signatures), report.findings)
        for entry in entries
    )


def _trace(log: Log, hits: Sequence[Hit], entry: Entry, signature: Signature) -> SignatureTrace:
    own = tuple(hit for hit in hits if (hit.entry, hit.signature) == (entry.id, signature.id))
    if own:
        return SignatureTrace(signature, tuple(hit.line for hit in own), own, signature.pattern, "")
    places = (Place.MESSAGE, Place.EXCEPTION) if signature.place is None else (signature.place,)
    texts = [(message, strand.text) for message in log.messages for _, strand in texts_of(message)]
    inside = [(message, text) for message, text in texts if message.place in places]
    matched, lines = farthest(signature.pattern, signature.flags, [(message.line, text) for message, text in inside])
    elsewhere = None
    if matched != signature.pattern:
        whole = compile_pattern(signature.pattern, signature.flags)
        others = ((message, text) for message, text in texts if message.place not in places)
        elsewhere = next((message.place for message, text in others if whole.search(text, timeout=1.0)), None)
    return SignatureTrace(signature, lines, (), matched, signature.pattern[len(matched) :], elsewhere)


def farthest(pattern: str, flags: str, texts: Sequence[tuple[int, str]]) -> tuple[str, tuple[int, ...]]:
    """The longest beginning of a pattern that matches in one of the `(line, text)`, with the lines where it does.

    A beginning is a cut at which what stands before is a pattern of its own; beginnings of fewer than four characters say nothing.
    """
    import regex

    for end in range(len(pattern), 3, -1):
        try:
            part = compile_pattern(pattern[:end], flags)
        except (regex.error, ValueError):
            continue
        if part.search("") is not None:
            continue
        lines = tuple(dict.fromkeys(line for line, text in texts if part.search(text, timeout=1.0)))
        if lines:
            return pattern[:end], lines[:20]
    return "", ()
