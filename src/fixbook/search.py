"""Finding an entry by words, in both languages: no segmenter, so that no Chinese word can be cut wrongly."""

import re
from collections.abc import Iterable

from .model import Entry

__all__ = ["search"]

_LITERAL = re.compile(r"\\(.)")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_BORDER = re.compile(rf"(?<=[{_HAN}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_HAN}])")  # `NCCL超时` is typed without a blank


def search(entries: Iterable[Entry], words: str) -> tuple[Entry, ...]:
    """Entries that hold every word somewhere, best first: in name or title, then in the summary, then in patterns, samples and prose."""
    wanted = _BORDER.sub(" ", words.lower()).split()
    if not wanted:
        return ()
    ranked = []
    for entry in entries:
        fields = _fields(entry)
        places = [next((weight for weight, text in fields if word in text), None) for word in wanted]
        if all(place is not None for place in places):
            phrase = next((weight for weight, text in fields if " ".join(wanted) in text), len(fields))
            ranked.append((sum(place for place in places if place is not None), phrase, entry.commonness.order, entry.id, entry))
    return tuple(row[-1] for row in sorted(ranked, key=lambda row: row[:-1]))


def _fields(entry: Entry) -> list[tuple[int, str]]:
    """`(weight, lower-case text)`; smaller weights are better places."""
    names = " ".join((entry.id, *entry.aliases)).lower()
    title = f"{entry.title.en}\n{entry.title.zh}".lower()
    summary = f"{entry.summary.en}\n{entry.summary.zh}".lower()
    patterns = "\n".join(_LITERAL.sub(r"\1", signature.pattern) for signature in entry.signatures).lower()
    samples = "\n".join(str(sample.text) for sample in entry.samples if sample.expect).lower()
    prose = "\n".join(
        f"{block.text.en}\n{block.text.zh}\n{block.run or ''}" for blocks in entry.sections.values() for block in blocks
    ).lower()
    return [(0, names.replace("-", " ")), (0, names), (0, title), (1, summary), (2, patterns), (2, samples), (3, prose)]
