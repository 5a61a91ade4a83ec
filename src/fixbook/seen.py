"""How an entry's failure looks in a log, taken from its own samples: the lines that its signatures hit, without what stands around."""

import re
from collections.abc import Iterator

from .model import Entry, Level, Sample, Signature

__all__ = ["shown_texts"]

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
_MOST_TEXTS = 6
_MOST_LINES = 4
_LONGEST = 600


def shown_texts(entry: Entry) -> tuple[str, ...]:
    """One short text for each signature, no text twice, in the order of the signatures."""
    texts = (_shown(signature, sample) for signature in entry.signatures for sample in _first_sample(entry, signature))
    return tuple(dict.fromkeys(text for text in texts if text))[:_MOST_TEXTS]


def _first_sample(entry: Entry, signature: Signature) -> Iterator[Sample]:
    for sample in entry.samples:
        if sample.expect.get(signature.id, Level.RULED_OUT) != Level.RULED_OUT:
            yield sample
            return


def _shown(signature: Signature, sample: Sample) -> str:
    """The lines of the sample that the signature hits; where it hits none as it stands (a frame, a wrapped line), the last lines."""
    text = sample.text if isinstance(sample.text, str) else sample.text.decode("utf-8", "replace")
    match = _search(signature, text)
    if match is None:
        lines = [line for line in text.splitlines() if line.strip()][-2:]
    else:
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end() - 1)
        lines = text[start : end if end >= 0 else len(text)].splitlines()
    return "\n".join(line.rstrip()[:_LONGEST] for line in lines[:_MOST_LINES])


def _search(signature: Signature, text: str) -> re.Match[str] | None:
    flags = re.ASCII
    for flag in signature.flags:
        flags |= _FLAGS[flag]
    try:
        return re.search(signature.pattern, text, flags)
    except re.error:  # a book's own problem, reported where it is loaded
        return None
