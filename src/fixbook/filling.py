"""The book's prose is Markdown with `{name}` placeholders: each value is put in as the place where it lands needs it."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from .escape import code_span, fence_for, one_line, prose_word, shell_word
from .expressions import expression
from .model import Entry, Lang
from .report import Finding
from .value import Value, field

__all__ = ["INLINE", "Marked", "Values", "fill", "fill_command", "is_fence", "tidy", "values_of"]

_HOLE = expression(r"\{\{|\}\}|\{([a-z_][a-z0-9_]*)\}")
_FENCE = expression(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>[^\s`]*)")
_ESCAPED = expression(r"\\.", re.DOTALL)
_ONE_WORD = expression(r"[\w./:<>=-]+", re.ASCII)
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh"})

# Inline Markdown, as far as entries use it. The order decides, as in CommonMark: escapes and code spans before everything else.
INLINE = expression(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n\n).)+?)(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<auto>https?://[^\s<>]+)>"
    r"|\[(?P<words>[^\[\]]+)\]\((?P<url>[^()\s]+)\)"
    r"|\*\*(?P<strong>[^\s*](?:.*?[^\s*])?)\*\*"
    r"|(?<![\w*])\*(?P<em>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])",
    re.DOTALL,
)

_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff"


class Marked(str):
    """Text that is Markdown already: filled, and safe to be put into other Markdown."""

    __slots__ = ()


class Values(Value):
    """What stands for the placeholders: `known` from the log, raw and hostile; `words` of the book where nothing was captured."""

    known: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def in_text(self, name: str) -> str:
        if name in self.known:
            value = self.known[name]
            return value if isinstance(value, Marked) else prose_word(value)
        return self.words.get(name) or code_span(self._stand_in(name))

    def in_code(self, name: str) -> str:
        return one_line(self.known[name]) if name in self.known else self._stand_in(name)

    def in_command(self, name: str, quoted: bool) -> str:
        word = shell_word(self.known[name].strip(), quoted) if name in self.known else None
        return self._stand_in_command(name) if word is None else word

    def in_url(self, name: str) -> str:
        from urllib.parse import quote

        return quote(self.known.get(name, name), safe="")

    def _stand_in(self, name: str) -> str:
        """A word that is seen to be a placeholder: the name in capitals, or the book's own words, several in angle brackets."""
        word = self.words.get(name, name.upper())
        return word if _ONE_WORD.fullmatch(word) else f"<{word}>"

    def _stand_in_command(self, name: str) -> str:
        """The same for a shell, to which an angle bracket is a redirection: several words give way to the name in capitals."""
        word = self._stand_in(name)
        return name.upper() if "<" in word or ">" in word else word


def values_of(entry: Entry, lang: Lang, finding: Finding | None = None) -> Values:
    """What fills the entry's placeholders: captures of the proving hit, then facts; without them the entry's own words."""
    words = {name: text.get(lang) for name, text in entry.names.items()}
    if finding is None:
        return Values(words=words)
    captures = finding.hits[0].captures if finding.hits else {}
    known = {**finding.facts, **{name: value for name, value in captures.items() if value}}
    return Values(known=known, words=words)


def fill(markdown: str, values: Values) -> Marked:
    """`markdown` with its placeholders replaced, so that no value can end a code span, open a block or become markup."""
    return Marked("\n".join(_pieces(markdown, values)))


def _pieces(markdown: str, values: Values) -> Iterator[str]:
    text: list[str] = []
    lines = iter(markdown.split("\n"))
    for line in lines:
        fence = is_fence(line)
        if fence is None:
            text.append(line)
            continue
        if text:
            yield _fill_inline("\n".join(text), values)
            text = []
        yield _fill_fence(fence, lines, values)
    if text:
        yield _fill_inline("\n".join(text), values)


def is_fence(line: str) -> re.Match[str] | None:
    """The opening of a fenced code block, with the groups `indent`, `ticks` and `info`."""
    return _FENCE.match(line)


def _fill_fence(opening: re.Match[str], lines: Iterator[str], values: Values) -> str:
    body: list[str] = []
    for line in lines:
        if line.strip().startswith(opening["ticks"]) and not line.strip().strip(opening["ticks"][0]):
            break
        body.append(line)
    code = "\n".join(body)
    filled = fill_command(code, values) if opening["info"] in _SHELLS else _fill_holes(code, values.in_code)
    indent, fence = opening["indent"], fence_for(filled)
    return f"{indent}{fence}{opening['info']}\n{filled}\n{indent}{fence}"


def _fill_inline(text: str, values: Values) -> str:
    out: list[str] = []
    at = 0
    for match in INLINE.finditer(text):
        out.append(_fill_holes(text[at : match.start()], values.in_text))
        out.append(_fill_token(match, values))
        at = match.end()
    out.append(_fill_holes(text[at:], values.in_text))
    return "".join(out)


def _fill_token(match: re.Match[str], values: Values) -> str:
    if match["escape"]:
        return match[0]
    if match["code"]:
        return code_span(_fill_holes(match["code"].strip(), values.in_code)) if _HOLE.search(match["code"]) else match[0]
    if match["auto"]:
        return f"<{_fill_holes(match['auto'], values.in_url)}>"
    if match["words"]:
        return f"[{_fill_inline(match['words'], values)}]({_fill_holes(match['url'], values.in_url)})"
    stars = "**" if match["strong"] else "*"
    return f"{stars}{_fill_inline(match['strong'] or match['em'], values)}{stars}"


def fill_command(code: str, values: Values) -> str:
    """A shell command with its placeholders replaced by words that the shell takes as one argument each."""
    out: list[str] = []
    at = 0
    state = ""
    for start, end, name in _holes(code):
        state = _open_quote(code[at:start], state)
        out.append(code[at:start])
        out.append(values.in_command(name, bool(state)) if name else code[start])
        at = end
    return "".join((*out, code[at:]))


def _open_quote(text: str, state: str) -> str:
    """The quote that is open after `text` when `state` was open before it; "#" in a comment, where an apostrophe opens nothing."""
    before = "\n"
    for char in _ESCAPED.sub("  ", text):
        if state == "#":
            state = "" if char == "\n" else "#"
        elif char in "'\"" and state in ("", char):
            state = "" if state else char
        elif char == "#" and not state and before.isspace():
            state = "#"
        before = char
    return state


def _fill_holes(text: str, value: Callable[[str], str]) -> str:
    out: list[str] = []
    at = 0
    for start, end, name in _holes(text):
        out.append(text[at:start])
        out.append(value(name) if name else text[start])
        at = end
    return "".join((*out, text[at:]))


def _holes(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of each placeholder; the name is "" for a doubled brace, which stands for one.

    `}}` is a doubled brace only after `{{`: alone it closes nested JSON.
    """
    open_braces = 0
    for match in _HOLE.finditer(text):
        if match[0] == "{{":
            open_braces += 1
        elif match[0] == "}}":
            if not open_braces:
                continue
            open_braces -= 1
        yield match.start(), match.end(), match[1] or ""


def tidy(markdown: str) -> str:
    """Chinese prose without the gaps that folded YAML leaves: between two Han characters, beside full-width punctuation.

    Code keeps its spaces; so do Latin letters, beside which a space belongs.
    """
    return _gap().sub(lambda match: match["keep"] or "", markdown)


@cache
def _gap() -> re.Pattern[str]:
    """A gap, or a code span to be kept; compiled when Chinese is first wanted, because its classes take 5 ms."""
    return expression(
        rf"(?P<keep>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
        rf"|(?<=[{_HAN}])[ \t]*\n[ \t]*(?=[{_HAN}])|(?<=[{_HAN}]) +(?=[{_HAN}])"
        rf"|(?<=[，。；：！？、）】》」』（【《「『])(?:[ \t]+\n?[ \t]*|\n[ \t]*)(?=[^\s\-*+#>|0-9])|[ \t]+(?=[，。；：！？、）】》」』])",
        re.DOTALL,
    )
