"""What stands in a piece of an entry's prose: placeholders, code, links, HTML, versions and numbers."""

import re
from collections.abc import Iterator

from .expressions import expression

__all__ = ["code_spans", "html_tags", "links", "numbers", "placeholders", "without_code"]

_PLACEHOLDER = expression(r"\{\{|\}\}|\{([a-z_][a-z0-9_]*)\}")
_FENCE = expression(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1[ \t]*$|\Z)", re.M | re.S)
_SPAN = expression(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_HTML = expression(r"<!--|</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_LINK = expression(r"https?://[^\s<>()\[\]`，。；：、）】」\u4e00-\u9fff]+")
_NUMBER = expression(r"(?<![A-Za-z0-9_.])v?(\d+(?:\.\d+)*(?:(?:a|b|rc|\.dev|\.post)\d+)?)(?![0-9])", re.A)
_CODE_MARK = "\N{OBJECT REPLACEMENT CHARACTER}"


def placeholders(text: str) -> tuple[str, ...]:
    """The names in `{name}`, in order; `{{` and `}}` are braces."""
    return tuple(name for name in _PLACEHOLDER.findall(text) if name)


def code_spans(text: str) -> tuple[str, ...]:
    """The content of fenced blocks and code spans, in order."""
    fenced = [match[2].strip() for match in _FENCE.finditer(text)]
    return (*fenced, *(match[2].strip() for match in _SPAN.finditer(_FENCE.sub("\n", text))))


def without_code(text: str, mark: str = _CODE_MARK) -> str:
    """The text with each fenced block and code span replaced by `mark`."""
    return _SPAN.sub(mark, _FENCE.sub(f"{mark}\n", text))


def html_tags(text: str) -> tuple[str, ...]:
    """HTML tags and comments outside code; a Markdown autolink (`<https://…>`) is none."""
    return tuple(match[0] for match in _HTML.finditer(without_code(text)))


def links(text: str) -> tuple[str, ...]:
    """The web addresses outside code, without the punctuation behind them."""
    return tuple(found.rstrip(".,;:!?'\"") for found in _LINK.findall(without_code(text)))


def numbers(text: str) -> tuple[str, ...]:
    """The numbers and versions outside code and addresses, a leading `v` taken off."""
    return tuple(_numbers(_LINK.sub(" ", without_code(text, " "))))


def _numbers(text: str) -> Iterator[str]:
    for match in _NUMBER.finditer(text):
        yield match[1]
