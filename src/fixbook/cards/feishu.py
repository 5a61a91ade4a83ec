"""Feishu and Lark: a card in JSON 2.0. For a custom bot's webhook; an app sends what stands under `card`."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .content import Card
from .dialect import Dialect, shortened
from .layout import lay_out
from .tree import Span, plain

__all__ = ["payload"]

_BODY = 20_000  # bytes of a webhook's request; an app may send 30 KB
_TITLE = 200
_COLORS = {"good": "green", "warn": "orange", "bad": "red"}
# Feishu's own way of writing what has a meaning in its Markdown.
_ENTITIES = str.maketrans({mark: f"&#{ord(mark)};" for mark in "&<>*_~`[]#!|\\"} | {"@": "@\u200b"})
# Tags of cards, which may be looked for before code is: an <at> would call people from inside a code block.
_TAG = re.compile(r"(?i)<(?=/?(?:at|person|font|link|text_tag|number_tag|local_datetime|audio|img|highlight|record|chat|a|br|u|s|b|i)\b)")


class _Markdown(Dialect):
    """Entities instead of escapes. Counted are the bytes of the request with every character outside ASCII escaped, the longest form."""

    nested_code = False
    longest = 8_000

    def size(self, text: str) -> int:
        return len(json.dumps(text)) - 2

    def text(self, text: str) -> str:
        return text.translate(_ENTITIES)

    def code(self, text: str) -> str:
        return f"`{_untagged(text.strip()).replace('`', 'ˋ') or ' '}`"

    def fence(self, code: str, language: str) -> str:
        return super().fence(_untagged(code), language)

    def line_break(self) -> str:
        return "\n"


def _untagged(code: str) -> str:
    return _TAG.sub("<\u200b", code)


_MARKUP = _Markdown()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`msg_type` and `card`."""
    elements: list[dict[str, Any]] = []
    message = {"msg_type": "interactive", "card": _card(cards[0], elements)}
    limit = (_BODY - len(json.dumps(message))) // len(cards)
    for card in cards:
        elements += _elements(card, limit, first=not elements)
    return message


def _card(card: Card, elements: list[dict[str, Any]]) -> dict[str, Any]:
    header: dict[str, Any] = {"title": _plain(card.title), "template": _COLORS[card.style]}
    if card.subtitle:
        header["subtitle"] = _plain(card.subtitle)
    return {"schema": "2.0", "config": {"update_multi": True}, "header": header, "body": {"elements": elements}}


def _plain(spans: Sequence[Span]) -> dict[str, str]:
    return {"tag": "plain_text", "content": shortened(plain(spans), _TITLE)}


def _elements(card: Card, limit: int, first: bool) -> Iterator[dict[str, Any]]:
    """The card's sections, one element each; the second language begins with a rule and its own title."""
    frame = len(json.dumps(_element(""))) + 2  # of each element, with what stands between two
    title = _MARKUP.strong(_MARKUP.text(shortened(plain(card.title), _TITLE)))
    layout = lay_out(card, _MARKUP, limit - _MARKUP.size(title) - frame * (len(card.sections) + 4))
    if not first:
        yield {"tag": "hr"}
        yield _element(title)
    # The header of the card has the first subtitle.
    yield from map(_element, layout.texts(_MARKUP)[1 if first and layout.subtitle else 0 :])


def _element(text: str) -> dict[str, Any]:
    return {"tag": "markdown", "content": text}
