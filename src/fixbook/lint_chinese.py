"""How a Chinese text is set: spaces, full-width punctuation, the glossary's words, bold that does not break."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from .errors import Problem, Where
from .filling import tidy
from .lint_language import HAN, pairs
from .model import Term
from .prose import without_code
from .yaml_reader import Node

__all__ = ["chinese_problems", "is_checkable", "typography_problems"]

_CODE = "`x`"  # stands for any code, so that nothing inside it is judged
_TIGHT = re.compile(rf"[{HAN}]`|`(?=[{HAN}])")
_HALF = re.compile(rf"[{HAN}][,;:!?](?![\w/])|[{HAN}] ?\((?=[^()\n]*[{HAN}][^()\n]*\))|(?<=[{HAN}])\.(?=\s|$)")


def typography_problems(document: Node, glossary: Sequence[Term]) -> Iterator[Problem]:
    """What is wrong in the Chinese texts of a document, and bold that both languages would print as stars."""
    for en, zh in pairs(document):
        yield from chinese_problems(zh.text, zh.where, glossary)
        for side in (en, zh):
            yield from _bold(side)


def chinese_problems(text: str, where: Where, glossary: Sequence[Term]) -> Iterator[Problem]:
    """What is wrong with how one Chinese text is set; code is not looked at, nor are gaps that the reader never sees."""
    plain = without_code(tidy(text), _CODE)
    for what, remedy in (*_spacing(plain), *_corrections(plain)):
        yield Problem(where, "zh-typography", what, remedy, "warning")
    for term in glossary:
        for word in term.avoid:
            if word in plain:
                yield Problem(where, "zh-term", f"`{word}` is not our word for “{term.en}”", f"write {term.zh}", "warning")


def _spacing(text: str) -> Iterator[tuple[str, str]]:
    if _TIGHT.search(text):
        yield "no space between Chinese and a code span", "put one space between them"
    half = _HALF.search(text)
    if half:
        yield f"half-width punctuation in a Chinese sentence: `{_around(text, half)}`", "use ，。；：！？（）"


def _around(text: str, match: re.Match[str]) -> str:
    return " ".join(text[max(match.start() - 6, 0) : match.end() + 6].split())


def is_checkable() -> bool:
    """Whether the corrector for Chinese text is installed."""
    return _corrector() is not None


@cache
def _corrector() -> Any:
    try:
        import autocorrect_py
    except ImportError:
        return None
    return autocorrect_py


def _corrections(text: str) -> Iterator[tuple[str, str]]:
    corrector = _corrector()
    if corrector is None:
        return
    for line in corrector.lint_for(text, "markdown").lines:
        yield f"`{line.old.strip()}`", f"write `{line.new.strip()}`"


def _bold(node: Node) -> Iterator[Problem]:
    if "**" not in node.text:
        return
    from markdown_it import MarkdownIt

    for token in MarkdownIt("commonmark").parse(node.text):
        for child in token.children or ():
            if child.type == "text" and "**" in child.content:
                what = "the bold breaks: `**` stands beside full-width punctuation or code, and the stars are printed"
                yield Problem(node.where, "bold", what, "put the punctuation outside with a space or do without bold")
                return
