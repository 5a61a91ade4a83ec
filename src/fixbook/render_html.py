"""Markdown as an HTML fragment: raw HTML of the book or the log is shown, never passed on; code carries pygments' classes."""

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from .escape import visible
from .proof import Row
from .value import Value

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["CODE_CLASS_PREFIX", "HtmlSurface"]

CODE_CLASS_PREFIX = "hl-"
_LANGUAGES = {"": "text", "sh": "bash", "shell": "bash", "console": "bash", "yml": "yaml", "log": "text"}


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # "html": False is what keeps a third party's entry and a hostile log from writing markup.
    return MarkdownIt("commonmark", {"html": False, "highlight": _highlight}).enable("table")


def _highlight(code: str, language: str, _: str) -> str:
    """Code as spans of classes; "" (plain escaped text) for a language that pygments does not know."""
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter  # from the package above, it is missing for threads that import it at once
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(_LANGUAGES.get(language, language), stripnl=False)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix=CODE_CLASS_PREFIX)))


class HtmlSurface(Value):
    """Turns Markdown into escaped HTML."""

    def inline(self, markdown: str) -> Markup:
        """Markdown without blocks, without the paragraph around it."""
        return Markup(_markdown().renderInline(visible(markdown)))

    def block(self, markdown: str) -> Markup:
        html = _markdown().render(visible(markdown))
        # A block that scrolls has to be reachable by keyboard.
        return Markup(re.sub(r"<pre>", '<pre tabindex="0">', html).strip())

    def heading(self, markdown: str) -> Markup:
        return Markup("<h3>{}</h3>").format(self.inline(markdown))

    def raw(self, text: str) -> Markup:
        """Text that is shown as it is."""
        return Markup('<pre tabindex="0"><code>{}</code></pre>').format(visible(text))

    def proof(self, rows: tuple[Row, ...]) -> Markup:
        """The proving rows with the match in `<mark>`."""
        lines = (
            escape(row.text[: row.start])
            + Markup("<mark>{}</mark>" if row.end > row.start else "{}").format(row.text[row.start : row.end])
            + escape(row.text[row.end :])
            for row in rows
        )
        return Markup("\n").join(lines)
