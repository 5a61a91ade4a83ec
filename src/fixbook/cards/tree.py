"""Markdown as flat blocks of spans: what each chat's own markup is written from, so that no text can become markup on its way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from ..escape import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Block", "Span", "code_block", "cut_spans", "parse", "parse_line", "plain"]

SpanKind = Literal["text", "code", "strong", "em", "link", "break"]
_MARKS: dict[str, SpanKind] = {"strong_open": "strong", "em_open": "em", "link_open": "link"}


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text. `text` is plain and safe to show; strong, em and link carry their content in `inner`."""

    kind: SpanKind
    text: str = ""
    inner: tuple["Span", ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of `spans`, or a block of `code`.

    `marker` begins a list item at `depth`; what else stands in the item is one deeper and has no marker.
    """

    spans: tuple[Span, ...] = ()
    code: str | None = None
    language: str = ""
    depth: int = 0
    marker: str = ""


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def parse(markdown: str) -> tuple[Block, ...]:
    """The blocks of a text; a table becomes one paragraph a row, because most chats have none."""
    return tuple(_blocks(_markdown().parse(visible(markdown))))


def parse_line(markdown: str) -> tuple[Span, ...]:
    """Markdown without blocks."""
    tokens = _markdown().parseInline(visible(markdown))
    return _spans(iter(tokens[0].children or ())) if tokens else ()


def code_block(code: str, language: str = "", depth: int = 0) -> Block:
    """`code` as it is, made safe to show."""
    return Block(code=visible(code).strip("\n"), language=language, depth=depth)


def plain(spans: Sequence[Span]) -> str:
    """The words alone."""
    return "".join(" " if span.kind == "break" else span.text or plain(span.inner) for span in spans)


def cut_spans(spans: Sequence[Span], length: int) -> tuple[Span, ...]:
    """The first `length` characters of the words with `…` behind them; everything when it is not longer."""
    if len(plain(spans)) <= length:
        return tuple(spans)
    return (*_first(spans, length), Span("text", "…"))


def _first(spans: Sequence[Span], length: int) -> Iterator[Span]:
    for span in spans:
        size = len(plain((span,)))
        if size <= length:
            yield span
        elif span.inner:
            yield replace(span, inner=tuple(_first(span.inner, length)))
        elif span.text[:length].strip():
            yield replace(span, text=span.text[:length])
        length -= size
        if length <= 0:
            return


class _List:
    """An open list: its next marker."""

    def __init__(self, token: "Token") -> None:
        self.number = int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None

    def marker(self) -> str:
        if self.number is None:
            return "•"
        self.number += 1
        return f"{self.number - 1}."


def _blocks(tokens: Sequence["Token"]) -> Iterator[Block]:
    lists: list[_List] = []
    marker = ""
    row: list[str] | None = None
    for token in tokens:
        depth = len(lists) - bool(marker)
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                lists.append(_List(token))
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "list_item_open":
                marker = lists[-1].marker()
            case "tr_open":
                row = []
            case "tr_close":
                yield Block((Span("text", " · ".join(row or ())),), depth=depth)
                row = None
            case "fence" | "code_block":
                yield Block(code=token.content.strip("\n"), language=token.info.split(" ")[0], depth=depth, marker=marker)
                marker = ""
            case "inline" if row is not None:
                row.append(plain(_spans(iter(token.children or ()))))
            case "inline":
                yield Block(_spans(iter(token.children or ())), depth=depth, marker=marker)
                marker = ""


def _spans(tokens: Iterator["Token"], close: str = "") -> tuple[Span, ...]:
    """The spans up to the token that closes them."""
    out: list[Span] = []
    for token in tokens:
        if token.type == close:
            break
        if token.type in _MARKS:
            inner = _spans(tokens, token.type.replace("_open", "_close"))
            url = str(token.attrGet("href") or "")
            if token.type != "link_open" or (inner and url.startswith(("https://", "http://"))):
                out.append(Span(_MARKS[token.type], inner=inner, url=url))
            else:  # no place that a chat could open, or no words to open it by
                out.extend(inner)
        elif token.type == "code_inline":
            out.append(Span("code", token.content))
        elif token.type == "hardbreak":
            out.append(Span("break"))
        elif token.type == "softbreak":
            out.append(Span("text", " "))
        elif token.content:
            out.append(Span("text", token.content))
    return _merged(out)


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Neighbouring texts as one, so that nothing hides between two of them."""
    out: list[Span] = []
    for span in spans:
        if out and span.kind == out[-1].kind == "text":
            out[-1] = Span("text", out[-1].text + span.text)
        else:
            out.append(span)
    return tuple(out)
