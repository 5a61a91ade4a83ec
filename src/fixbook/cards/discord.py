"""Discord: embeds, one a language. For an execute-webhook call or a bot's `messages`."""

from collections.abc import Sequence
from typing import Any

from .content import Card
from .dialect import Dialect, shortened, unfenced
from .layout import lay_out
from .tree import plain

__all__ = ["payload"]

_TITLE = 256
_DESCRIPTION = 4_096
_WHOLE = 5_900  # 6,000 over all embeds of a message
_COLORS = {"good": 0x2E9E5B, "warn": 0xE0912F, "bad": 0xD0402F}


class _Markdown(Dialect):
    """Escapes as in CommonMark; three backticks are a block wherever they stand."""

    indent = "  "
    nested_code = False
    longest = _DESCRIPTION - 200

    def code(self, text: str) -> str:
        text = text.strip() or " "
        if "`" not in text:
            return f"`{text}`"
        return f"`{text.replace('`', 'ˋ')}`" if "``" in text else f"`` {text} ``"

    def fence(self, code: str, language: str) -> str:
        return f"```{language}\n{unfenced(code)}\n```"

    def line_break(self) -> str:
        return "\n"


_MARKUP = _Markdown()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`embeds`, and an `allowed_mentions` that allows none."""
    limit = min(_DESCRIPTION, _WHOLE // len(cards) - _TITLE)
    return {"content": "", "embeds": [_embed(card, limit) for card in cards], "allowed_mentions": {"parse": []}}


def _embed(card: Card, limit: int) -> dict[str, Any]:
    # Escaping may double a character.
    title = _MARKUP.text(shortened(plain(card.title), _TITLE // 2))
    description = _MARKUP.gap.join(lay_out(card, _MARKUP, limit).texts(_MARKUP))
    return {"title": title, **({"url": card.url} if card.url else {}), "color": _COLORS[card.style], "description": description}
