"""How a platform writes text, code and links: the part that its card is made with. What is said here holds for CommonMark."""

import re
from collections.abc import Sequence

from ..escape import code_span, fence_for
from .tree import Block, Span

__all__ = ["Dialect", "apart", "entities", "joined", "shortened", "unfenced", "utf16"]

_MARKUP = re.compile(r"[\\`*_\[\]<>&#|~!]")
_LINE_START = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])", re.MULTILINE)
_AT = re.compile(r"@(?=\S)")
# For markup without an escape: marks that could open or close something get a neighbour that joins no words and is not seen.
_LOOSE = re.compile(r"(?<!\w)[*_~]+|[*_~]+(?!\w)|(?<=\])(?=\()|^[#>]+(?=\s)|^(?=\d+[.)]\s)|^(?=[-+]\s)", re.MULTILINE)
_NOT_A_LANGUAGE = re.compile(r"[^\w+-]")
_FENCE = re.compile(r"`{3,}")
_GUARD = "\u2060"  # word joiner
_GRAVE = "\u02cb"  # a letter that looks like a backtick, which would open code wherever it stands
_ZERO_WIDTH_SPACE = "\u200b"


def utf16(text: str) -> int:
    """Length as JavaScript and Java count it: never less than the number of characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def apart(text: str) -> str:
    """`text` for markup that knows no escape: its marks no longer touch what they would mark, and no name follows an `@`."""
    marked = _LOOSE.sub(lambda match: _GUARD + "".join(mark + _GUARD for mark in match[0]), text)
    return _unnamed(marked.replace("`", _GRAVE))


def _unnamed(text: str) -> str:
    """`text` in which no name follows an `@`."""
    return _AT.sub("@" + _ZERO_WIDTH_SPACE, text)


def entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unfenced(code: str) -> str:
    """`code` without a run of backticks that would end its block, for markup whose fences cannot be longer than three."""
    return _FENCE.sub(lambda match: _ZERO_WIDTH_SPACE.join(match[0]), code)


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters as a platform counts them, `…` for the rest; never empty, because platforms refuse empty texts."""
    if utf16(text) > limit:
        text = text[: limit - 1]
        while utf16(text) > limit - 1:
            text = text[:-1]
        text += "…"
    return text.strip() or "fixbook"


class Dialect:
    """CommonMark with escapes. A platform overrides what it does otherwise."""

    gap = "\n\n"  # between two blocks
    indent = "    "  # of what belongs to a list item
    nested_code = True  # a code block may stand inside a list item
    longest = 60_000  # size of one block

    def size(self, text: str) -> int:
        """What the platform's limit counts."""
        return utf16(text)

    def text(self, text: str) -> str:
        """Plain words that stay plain, whatever they hold."""
        escaped = _MARKUP.sub(r"\\\g<0>", _unnamed(text))
        return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", escaped)

    def code(self, text: str) -> str:
        return code_span(text)

    def strong(self, inner: str) -> str:
        return f"**{inner}**"

    def em(self, inner: str) -> str:
        return f"*{inner}*"

    def link(self, inner: str, url: str) -> str:
        return f"[{inner}]({url.replace('(', '%28').replace(')', '%29')})"

    def fence(self, code: str, language: str) -> str:
        fence = fence_for(code)
        return f"{fence}{language}\n{code}\n{fence}"

    def line_break(self) -> str:
        return "\\\n"

    def heading(self, spans: Sequence[Span]) -> str:
        return self.strong(self.inline(spans))

    def inline(self, spans: Sequence[Span]) -> str:
        return "".join(map(self._span, spans))

    def _span(self, span: Span) -> str:
        match span.kind:
            case "text":
                return self.text(span.text)
            case "code":
                return self.code(span.text)
            case "strong":
                return self.strong(self.inline(span.inner))
            case "em":
                return self.em(self.inline(span.inner))
            case "link":
                return self.link(self.inline(span.inner), span.url)
        return self.line_break()

    def block(self, block: Block) -> str:
        """A paragraph, list item or code block, indented to its depth."""
        if block.code is not None:
            text = self.fence(block.code, _NOT_A_LANGUAGE.sub("", block.language))
            if not self.nested_code:
                return text
        else:
            text = self.inline(block.spans)
        if block.marker:
            text = self.item(block.marker, text)
        return "\n".join(self.indent * block.depth + line if line else line for line in text.split("\n"))

    def item(self, marker: str, text: str) -> str:
        first, *rest = text.split("\n")
        return "\n".join([f"{'-' if marker == '•' else marker} {first}", *(self.indent + line for line in rest)])


def joined(blocks: Sequence[tuple[Block, str]], dialect: Dialect) -> str:
    """The texts of blocks, one under the other: the items of a list close together, everything else with a gap."""
    out = ""
    before: Block | None = None
    for block, text in blocks:
        out += text if before is None else _between(before, block, dialect) + text
        before = block
    return out


def _between(before: Block, block: Block, dialect: Dialect) -> str:
    if before.code is not None or block.code is not None or not (before.marker or before.depth):
        return dialect.gap
    if block.marker:
        return "\n"
    return dialect.line_break() if block.depth else dialect.gap
