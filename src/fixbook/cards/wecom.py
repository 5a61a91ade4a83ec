"""WeCom: a Markdown message of a group bot, 4,096 bytes: cause, first command and a link."""

import re
from collections.abc import Sequence
from typing import Any

from .content import Card
from .dialect import Dialect, apart, shortened
from .layout import lay_out
from .tree import plain

__all__ = ["payload"]

_CONTENT = 4_096  # bytes in UTF-8
_TITLE = 80
_TAG = re.compile(r"(?i)<(?=@|/?font\b)")  # <@user> calls people, <font> colours


class _Markdown(Dialect):
    """Headings, bold, links, quotes and code of one line; neither lists nor escapes.

    `markdown_v2` would have lists, but clients that do not know it show the source.
    """

    indent = "  "
    nested_code = False
    longest = 2_500

    def size(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))

    def text(self, text: str) -> str:
        return _untagged(apart(text))

    def code(self, text: str) -> str:
        return f"`{_untagged(text.strip()).replace('`', 'ˋ') or ' '}`"

    def fence(self, code: str, language: str) -> str:
        return "\n".join(f"> {self.code(line)}" for line in code.split("\n") if line.strip())

    def line_break(self) -> str:
        return "\n"

    def item(self, marker: str, text: str) -> str:
        return f"{'·' if marker == '•' else marker} {text}"


def _untagged(text: str) -> str:
    return _TAG.sub("<\u200b", text)


_MARKUP = _Markdown()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`msgtype` and `markdown`."""
    limit = _CONTENT // len(cards) - len(_MARKUP.gap)
    return {"msgtype": "markdown", "markdown": {"content": _MARKUP.gap.join(_content(card, limit) for card in cards)}}


def _content(card: Card, limit: int) -> str:
    title = "### " + _MARKUP.text(shortened(plain(card.title), _TITLE))
    layout = lay_out(card, _MARKUP, limit - _MARKUP.size(title))
    return _MARKUP.gap.join([title, *layout.texts(_MARKUP)])
