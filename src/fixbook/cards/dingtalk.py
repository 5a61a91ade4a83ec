"""DingTalk: a Markdown message of a custom bot."""

import json
from collections.abc import Sequence
from typing import Any

from .content import Card
from .dialect import Dialect, apart, entities, shortened
from .layout import lay_out
from .tree import plain

__all__ = ["payload"]

_BODY = 20_000  # bytes of the request
_TITLE = 100
_RULE = "\n\n---\n\n"


class _Markdown(Dialect):
    """A small subset: no tables, no fenced code that every client shows, no escapes. Code is quoted, a line at a time.

    Counted are the bytes of the request with every character outside ASCII escaped, the longest form.
    """

    nested_code = False
    longest = 8_000

    def size(self, text: str) -> int:
        return len(json.dumps(text)) - 2

    def text(self, text: str) -> str:
        return entities(apart(text))

    def code(self, text: str) -> str:
        return f"`{text.strip().replace('`', 'ˋ') or ' '}`"

    def fence(self, code: str, language: str) -> str:
        return "\n\n".join(f"> {self.code(line)}" for line in code.split("\n") if line.strip())

    def line_break(self) -> str:
        return "  \n  "


_MARKUP = _Markdown()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`msgtype`, `markdown` and an `at` that calls nobody."""
    title = shortened(plain(cards[0].title), _TITLE)
    at = {"isAtAll": False, "atMobiles": [], "atUserIds": []}
    limit = (_BODY - len(json.dumps(_message(title, "", at)))) // len(cards) - _MARKUP.size(_RULE)
    return _message(title, _RULE.join(_text(card, limit) for card in cards), at)


def _message(title: str, text: str, at: dict[str, Any]) -> dict[str, Any]:
    return {"msgtype": "markdown", "markdown": {"title": title, "text": text}, "at": at}


def _text(card: Card, limit: int) -> str:
    title = "### " + _MARKUP.text(shortened(plain(card.title), 2 * _TITLE))
    layout = lay_out(card, _MARKUP, limit - _MARKUP.size(title))
    return _MARKUP.gap.join([title, *layout.texts(_MARKUP, _MARKUP.gap)])
