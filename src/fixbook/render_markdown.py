"""Markdown as Markdown: what is left is to make it visible and to indent it."""

from .escape import fence_for, visible
from .proof import Row, underlined
from .value import Value

__all__ = ["MarkdownSurface"]

_PROOF_WIDTH = 400  # a fenced block scrolls; it is not wrapped


class MarkdownSurface(Value):
    """Passes Markdown on."""

    def inline(self, markdown: str) -> str:
        return visible(markdown)

    def block(self, markdown: str, indent: int = 0) -> str:
        """The blocks, indented so that they belong to a list item."""
        return "\n".join((" " * indent + line).rstrip() for line in visible(markdown).split("\n"))

    def heading(self, markdown: str) -> str:
        return f"## {visible(markdown)}"

    def raw(self, text: str) -> str:
        """`text` as a fenced block."""
        fence = fence_for(text)
        return f"{fence}text\n{visible(text)}\n{fence}"

    def proof(self, rows: tuple[Row, ...]) -> str:
        """The proving rows as a fenced block, `^^^` below the match."""
        return self.raw("\n".join(line.rstrip() for line in underlined(rows, _PROOF_WIDTH)))
