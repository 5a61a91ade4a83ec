"""Whether both languages of an entry say the same facts: the same code, links, placeholders, numbers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from .errors import Problem
from .prose import code_spans, links, numbers, placeholders, without_code
from .yaml_reader import Node

__all__ = ["HAN", "pairs", "prose_problems"]

HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_HAN = re.compile(f"[{HAN}]")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_LEFT_OVER = re.compile(r"\b(?:TODO|FIXME|XXX|TBD)\b|\[cut\]|\b[Ll]orem ipsum\b|待补充|待完善|此处填写")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", re.S)
_ANGLE = re.compile(rf"(?<!<)<[A-Za-z{HAN}](?:[^<>\s]| (?=[^<>\s]))*>")  # `<in >out` is two redirections, not one name
_SENTENCE = 6  # words from which an English text is a sentence, so that its Chinese side has to be Chinese

_SPELLED: Mapping[str, tuple[str, ...]] = {
    "0": ("zero", "no", "零"),
    "1": ("one", "once", "single", "first", "January", "一", "单"),
    "2": ("two", "twice", "both", "second", "half", "February", "二", "两", "双", "半"),
    "3": ("three", "third", "March", "三"),
    "4": ("four", "fourth", "quarter", "April", "四"),
    "5": ("five", "fifth", "May", "五"),
    "6": ("six", "sixth", "June", "六"),
    "7": ("seven", "seventh", "July", "七"),
    "8": ("eight", "eighth", "August", "八"),
    "9": ("nine", "ninth", "September", "九"),
    "10": ("ten", "tenth", "October", "十"),
    "11": ("eleven", "November", "十一"),
    "12": ("twelve", "dozen", "December", "十二"),
}

_SAME: Sequence[tuple[str, str, Callable[[str], Sequence[str]], Literal["error", "warning"]]] = (
    ("code", "the code", code_spans, "error"),
    ("links", "the link", links, "error"),
    ("placeholders", "the placeholder", placeholders, "error"),
    ("numbers", "the number", numbers, "warning"),
)


def pairs(document: Node) -> Iterator[tuple[Node, Node]]:
    """Every English text of a document with its Chinese one."""
    if "en" in document.fields and "zh" in document.fields:
        yield document.fields["en"], document.fields["zh"]
    for child in (*document.fields.values(), *document.items):
        yield from pairs(child)


def prose_problems(document: Node) -> Iterator[Problem]:
    """What one language says and the other does not, and what does not belong into a finished text or command."""
    for en, zh in pairs(document):
        yield from _differences(en, zh)
        yield from _wrong_language(en, zh)
        for side in (en, zh):
            yield from _left_over(side)
    yield from _redirections(document)
    for name in ("links", "samples", "signatures"):
        for item in document.fields[name].items if name in document.fields else ():
            for text in item.fields.values():
                yield from _left_over(text)


def _differences(en: Node, zh: Node) -> Iterator[Problem]:
    for code, thing, find, severity in _SAME:
        left, right = ({" ".join(found.split()): None for found in find(side.text)} for side in (en, zh))
        missing = [(zh, "en", item) for item in left if item not in right] + [(en, "zh", item) for item in right if item not in left]
        for side, other, item in missing:
            if code == "numbers" and _is_spelled_out(item, side.text):
                continue
            what = f"{thing} `{item}` stands only in `{other}`"
            yield Problem(side.where, f"unequal-{code}", what, "say the same in both languages", severity)


def _is_spelled_out(number: str, text: str) -> bool:
    """Whether a text has the number as a word: `two`, `October`, `两`."""
    words = _SPELLED.get(number, ())
    return any(re.search(rf"\b{word}\b" if word.isascii() else word, text, re.I) for word in words)


def _wrong_language(en: Node, zh: Node) -> Iterator[Problem]:
    english = without_code(en.text, " ")
    if _HAN.search(english):
        yield Problem(
            en.where, "not-english", "the English text holds Chinese characters", "write English, or put them into a code span", "warning"
        )
    if len(_WORDS.findall(english)) >= _SENTENCE and not _HAN.search(zh.text):
        yield Problem(zh.where, "not-chinese", "the Chinese text holds no Chinese", "write it in Chinese", "warning")


def _redirections(document: Node) -> Iterator[Problem]:
    """Names to fill in that a shell takes for files: `vllm serve <model>`."""
    if "run" in document.fields:
        run = document.fields["run"]
        found = _ANGLE.search(_QUOTED.sub(" ", run.text))
        if found:
            name = re.sub(r"\W+", "_", found[0].strip("<>").upper()).strip("_")
            yield Problem(run.where, "redirection", f"a shell takes `{found[0]}` for a redirection", f"write `{name}`, or a placeholder")
    for child in (*document.fields.values(), *document.items):
        yield from _redirections(child)


def _left_over(node: Node) -> Iterator[Problem]:
    found = _LEFT_OVER.search(node.text)
    if found:
        yield Problem(node.where, "left-over", f"`{found[0]}` is left over from writing", "finish the text")
