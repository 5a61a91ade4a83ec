"""Markdown as paragraphs for a terminal: wrapped to its width, painted where it has colours."""

import re
from collections.abc import Iterator

from .escape import visible
from .expressions import expression
from .filling import INLINE, is_fence
from .proof import Row, underlined
from .terminal import Painter, chop, wrap
from .value import Value

__all__ = ["TextSurface"]

_ITEM = expression(r"^(?P<indent> *)(?P<marker>[-*+]|\d{1,9}[.)]) +(?P<text>\S.*)$")
_RULE = expression(r"^ {0,3}(?:#{1,6} +|> ?)")


class TextSurface(Value):
    """Turns Markdown into text of `width` columns."""

    width: int
    painter: Painter

    def inline(self, markdown: str) -> str:
        """Markdown without blocks as painted text on one line."""
        return "".join(self._inline(markdown))

    def _inline(self, markdown: str) -> Iterator[str]:
        at = 0
        for match in INLINE.finditer(markdown):
            yield visible(markdown[at : match.start()])
            yield self._token(match)
            at = match.end()
        yield visible(markdown[at:])

    def _token(self, match: re.Match[str]) -> str:
        if match["escape"]:
            return match[0][1:]
        if match["code"]:
            return self.code(match["code"])
        if match["auto"]:
            return self.painter.paint(visible(match["auto"]), "link")
        if match["words"]:
            url = self.painter.paint(visible(match["url"]), "link")
            return url if match["words"] == match["url"] else f"{self.inline(match['words'])} ({url})"
        return self.painter.paint(self.inline(match["strong"] or match["em"]), "strong" if match["strong"] else "em")

    def code(self, body: str) -> str:
        """The inside of a code span: in its colour, or between backticks where there are no colours."""
        text = visible(" ".join(body.split("\n")))
        if text.startswith(" ") and text.endswith(" ") and text.strip():
            text = text[1:-1]
        return self.painter.paint(text, "code") if self.painter.on else f"`{text}`"

    def para(self, markdown: str, indent: int = 0, hang: int | None = None, style: str = "") -> str:
        """One paragraph; lines after the first stand at `hang` columns (as the first when it is not given)."""
        text = self.inline(markdown)
        if style:
            text = self.painter.paint(text, style)
        return wrap(text, self.width, " " * indent, " " * (indent if hang is None else hang))

    def heading(self, markdown: str) -> str:
        return self.para(markdown, style="heading")

    def raw(self, text: str, indent: int = 0) -> str:
        """Text that is shown as it is, each line behind a bar."""
        return self.proof(tuple(Row(visible(line), 0, 0) for line in text.split("\n")), indent)

    def block(self, markdown: str, indent: int = 0) -> str:
        """Paragraphs, lists, code and tables; an empty line between paragraphs, none between the items of a list."""
        return "\n".join(self._blocks(markdown.split("\n"), indent))

    def _blocks(self, lines: list[str], indent: int) -> Iterator[str]:
        at = 0
        gap = False
        while at < len(lines):
            if not lines[at].strip():
                gap, at = True, at + 1
                continue
            start, at = at, _block_end(lines, at)
            if gap and start:
                yield ""
            gap = False
            yield from self._one(lines[start:at], indent)

    def _one(self, lines: list[str], indent: int) -> Iterator[str]:
        item = _ITEM.match(lines[0])
        if is_fence(lines[0]):
            yield from self._code_block(lines, indent)
        elif item:
            yield from self._item(item, lines, indent)
        elif lines[0].lstrip().startswith("|"):
            yield from (" " * indent + self.inline(line) for line in lines)
        else:
            yield self.para(_RULE.sub("", " ".join(line.strip() for line in lines)), indent)

    def _item(self, item: re.Match[str], lines: list[str], indent: int) -> Iterator[str]:
        """A list item: its text hangs behind the marker, what else belongs to it stands below at the same column."""
        marker = item["marker"] + " "
        inner = [item["text"], *(_dedent(line, item.start("text")) for line in lines[1:])]
        body = "\n".join(self._blocks(inner, indent + len(marker)))
        yield " " * indent + marker + body[indent + len(marker) :]

    def _code_block(self, lines: list[str], indent: int) -> Iterator[str]:
        """Code is never wrapped, so that it can be copied."""
        opening = is_fence(lines[0])
        body = [_dedent(line, len(opening["indent"]) if opening else 0) for line in lines[1:-1]]
        yield from (" " * (indent + 4) + self.painter.paint(visible(line), "code") for line in body)

    def proof(self, rows: tuple[Row, ...], indent: int = 0) -> str:
        """The proving rows behind a bar, the match painted, or underlined where there are no colours."""
        bar = " " * indent + self.painter.paint("│", "dim") + " "
        room = max(self.width - indent - 2, 20)
        lines = self._painted(rows, room) if self.painter.on else underlined(rows, room)
        return "\n".join((bar + line).rstrip() for line in lines)

    def _painted(self, rows: tuple[Row, ...], width: int) -> Iterator[str]:
        for row in rows:
            at = 0
            for piece in chop(row.text, width):
                start, end = max(row.start - at, 0), max(min(row.end - at, len(piece)), 0)
                start = min(start, end)
                yield piece[:start] + self.painter.paint(piece[start:end], "mark") + piece[end:]
                at += len(piece)


def _dedent(line: str, by: int) -> str:
    return line[min(by, len(line) - len(line.lstrip(" "))) :]


def _block_end(lines: list[str], start: int) -> int:
    """The line after the block that begins at `start`."""
    opening, item = is_fence(lines[start]), _ITEM.match(lines[start])
    at = start + 1
    if opening:
        while at < len(lines) and not lines[at].strip().startswith(opening["ticks"]):
            at += 1
        return min(at + 1, len(lines))
    if item:
        return _item_end(lines, at, item.start("text"))
    while at < len(lines) and lines[at].strip() and not _ITEM.match(lines[at]) and not is_fence(lines[at]):
        at += 1
    return at


def _item_end(lines: list[str], at: int, column: int) -> int:
    """Lines that are indented to the item's text belong to it, and so do unindented ones that go on its paragraph."""
    while at < len(lines):
        line = lines[at]
        indented = line.startswith(" " * min(column, 2))
        if not line.strip():
            following = next((later for later in lines[at:] if later.strip()), "")
            if not following.startswith(" " * min(column, 2)):
                return at
        elif not indented and (_ITEM.match(line) or is_fence(line) or not lines[at - 1].strip()):
            return at
        at += 1
    return at
