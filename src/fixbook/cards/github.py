"""GitHub: the body of a comment, with the rest of the article folded away. Also what a job summary shows."""

import re
from collections.abc import Sequence
from typing import Any

from ..templates import label
from .content import Card
from .dialect import Dialect, shortened, utf16
from .layout import Layout, lay_out, texts
from .tree import Span, plain

__all__ = ["payload"]

_BODY = 65_536
_TITLE = 300
_REFERENCE = re.compile(r"#(?=\d)|(?<=\bGH)-(?=\d)")
# A link to a thread leaves a note in that thread; GitHub's documented way round it is this host.
_THREAD = re.compile(r"https?://(?:www\.)?github\.com(?=/[^/\s]+/[^/\s]+/(?:issues|pull|discussions|commit)/)")


class _Flavoured(Dialect):
    """References by number and mentions are taken from the finished text, where an escape no longer stands: they are broken up."""

    def text(self, text: str) -> str:
        return super().text(_quiet(_REFERENCE.sub("\\g<0>\u200b", text)))

    def link(self, inner: str, url: str) -> str:
        return super().link(inner, _quiet(url))

    def heading(self, spans: Sequence[Span]) -> str:
        return f"#### {self.inline(spans)}"


def _quiet(text: str) -> str:
    return _THREAD.sub("https://redirect.github.com", text)


_MARKUP = _Flavoured()


def payload(cards: Sequence[Card]) -> dict[str, Any]:
    """`body`, as `POST /repos/{owner}/{repo}/issues/{number}/comments` takes it."""
    limit = _BODY // len(cards) - 10
    return {"body": "\n\n---\n\n".join(_body(card, limit) for card in cards)}


def _body(card: Card, limit: int) -> str:
    title = "### " + _MARKUP.text(shortened(plain(card.title), _TITLE))
    layout = lay_out(card, _MARKUP, limit - utf16(title) - 100, article=True)
    *above, last = [*layout.texts(_MARKUP, "\n\n"), *([] if layout.last else [""])]
    return _MARKUP.gap.join(filter(None, (title, *above, _folded(card, layout), last)))


def _folded(card: Card, layout: Layout) -> str:
    """The blank line after the summary is what lets Markdown begin again."""
    if not layout.article:
        return ""
    body = _MARKUP.gap.join(texts(layout.article, _MARKUP, "\n\n"))
    return f"<details><summary>{label('card.article', card.lang)}</summary>\n\n{body}\n\n</details>"
