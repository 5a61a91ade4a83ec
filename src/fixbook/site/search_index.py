"""What the search of the pages reads: one flat list a language, and the articles' text in parts.

No segmenter, here or in the browser: the search looks for the words as they were typed, so no Chinese word can be cut wrongly.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from ..model import SECTIONS, Entry, Lang
from .card import Card

__all__ = ["PART_SIZE", "search_list", "search_text", "text_row"]

PART_SIZE = 200  # entries whose text is one file
_MOST_TERMS = 60


def search_list(cards: Sequence[Card], lang: Lang, names: Mapping[str, str], parts: int) -> bytes:
    """The list as a script, so that it loads without a server, too.

    A row: id, title, title in the other language, summary, error texts, other terms. The articles' text is in `parts` more files.
    """
    rows = [_row(card, lang) for card in cards if card.is_listed]
    size = sum(card.length for card in cards)
    used = {row[0].split("/", 1)[0] for row in rows}
    shown = {id: names[id] for id in sorted(used)}
    head = f'"lang":{_json(lang)},"names":{_json(shown)},"parts":{parts},"size":{size}'
    body = ",\n".join(map(_json, rows))
    return f'fixbookSearch({{{head},"rows":[\n{body}\n]}});\n'.encode()


def _row(card: Card, lang: Lang) -> list[str]:
    other: Lang = "en" if lang == "zh" else "zh"
    said = "\n".join(wording.text for wording in card.wordings)
    terms = " ".join((*card.aliases, *card.terms[:_MOST_TERMS]))
    return [card.id, card.title.get(lang), card.title.get(other), card.summary.get(lang), said, terms]


def search_text(rows: Iterable[bytes], lang: Lang, part: int) -> bytes:
    """The articles of one part as a script; the rows are those of `text_row`."""
    return b'fixbookText({"lang":%b,"part":%d,"rows":[\n%b\n]});\n' % (_json(lang).encode(), part, b",\n".join(rows))


def text_row(entry: Entry, lang: Lang) -> bytes:
    """What a search of the articles reads of one."""
    return _json([entry.id, _text(entry, lang)]).encode()


def _text(entry: Entry, lang: Lang) -> str:
    prose = [block.text.get(lang) + " " + (block.run or "") for name in SECTIONS for block in entry.sections.get(name, ())]
    tells = [sibling.tell.get(lang) for sibling in entry.siblings]
    return " ".join(" ".join((*prose, *tells)).split())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
