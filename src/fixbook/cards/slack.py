"""Slack: Block Kit with mrkdwn. For `chat.postMessage`, an incoming webhook or a `response_url`."""

from collections.abc import Iterator, Sequence
from typing import Any

from .budget import Fitted
from .content import Card
from .dialect import Dialect, apart, entities, joined, shortened, unfenced, utf16
from .layout import lay_out
from .tree import Block, plain

__all__ = ["payload"]

_HEADER = 150
_SECTION = 3_000
_FALLBACK = 300  # characters that a notification shows
# Slack refuses a message whose blocks hold more than 12,000 to 13,200 characters together (`msg_blocks_too_long`); it documents no number.
_WHOLE = 10_000


class _Mrkdwn(Dialect):
    """No escapes but for `& < >`, through which mentions and links come; a code span cannot hold a backtick."""

    indent = "    "
    nested_code = False
    longest = _SECTION - 200

    def text(self, text: str) -> str:
        return entities(apart(text))

    def code(self, text: str) -> str:
        return f"`{entities(text.strip()).replace('`', 'ˋ') or ' '}`"

    def strong(self, inner: str) -> str:
        return f"*{inner}*"

    def em(self, inner: str) -> str:
        return f"_{inner}_"

    def link(self, inner: str, url: str) -> str:
        return f"<{entities(url).replace('|', '%7C')}|{inner}>"

    def fence(self, code: str, language: str) -> str:
        return f"```\n{entities(unfenced(code))}\n```"

    def line_break(self) -> str:
        return "\n"

    def item(self, marker: str, text: str) -> str:
        return f"{marker} {text}"


_MARKUP = _Mrkdwn()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`text` and `blocks`; nothing in it notifies anybody or unfolds a link."""
    blocks: list[dict[str, Any]] = []
    for card in cards:
        if blocks:
            blocks.append({"type": "divider"})
        blocks += _blocks(card, _WHOLE // len(cards) - _HEADER)
    title = entities(shortened(plain(cards[0].title), _FALLBACK))
    return {"text": title, "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def _blocks(card: Card, limit: int) -> Iterator[dict[str, Any]]:
    title = shortened(plain(card.title), _HEADER)
    yield {"type": "header", "text": {"type": "plain_text", "text": title, "emoji": False}}
    layout = lay_out(card, _MARKUP, limit)
    if layout.subtitle:
        yield _context(layout.subtitle)
    for section in layout.sections:
        yield from ({"type": "section", "text": _mrkdwn(text)} for text in _pieces(section) if text.strip())
    if layout.last:
        yield _context(layout.last)


def _pieces(section: Fitted) -> Iterator[str]:
    """The section in texts that Slack takes, divided between blocks."""
    held: list[tuple[Block, str]] = []
    heading = section.heading
    for block in section.blocks:
        if held and utf16(_under(heading, joined([*held, block], _MARKUP))) > _SECTION:
            yield _under(heading, joined(held, _MARKUP))
            held, heading = [], ""
        held.append(block)
    yield _under(heading, joined(held, _MARKUP))


def _under(heading: str, text: str) -> str:
    return f"{heading}\n{text}" if heading else text


def _mrkdwn(text: str) -> dict[str, Any]:
    # "verbatim" keeps Slack from making links of words that look like channels or addresses.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _context(text: str) -> dict[str, Any]:
    return {"type": "context", "elements": [_mrkdwn(text)]}
