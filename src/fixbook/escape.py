"""Log text is hostile: what it has to become before it stands on a terminal, in Markdown or in a shell command."""

import re

from .expressions import expression

__all__ = ["code_span", "escaped", "excerpt", "fence_for", "one_line", "prose_word", "shell_word", "visible"]

# What a terminal or a renderer acts upon instead of showing: C0, DEL and C1 (\x9b is a CSI in one byte), bidi marks and overrides,
# zero-width and other format characters, line and paragraph separators, tags, lone surrogates.
_ACTS = expression(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_SPACES = expression(r"\s+")
# A word that means nothing to Markdown, to a chat's mentions or to an autolinker, wherever it stands.
_PLAIN_WORD = expression(r"/?[^\W_](?:[\w./-]*[^\W_])?")
_MARKUP = expression(r"[\\`*_\[\]<>&#|~@]")
_WWW = expression(r"(?i)www\.|//|__")
_SHELL_SAFE = expression(r"[A-Za-z0-9_@%+=:,./-]+")
_TICKS = expression("`+")
_LONGEST_VALUE = 300


def visible(text: str) -> str:
    """`text` with every character that acts instead of showing written as an escape (`\\x1b`, `\\u202e`); newline and tab stay.

    A `\\r\\n` counts as one newline. The result is safe to write to a terminal.
    """
    return _ACTS.sub(_named, text.replace("\r\n", "\n"))


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, limit: int = _LONGEST_VALUE) -> str:
    """`text` made visible on one line, runs of white space as one space, at most `limit` characters with `…` for the rest."""
    line = visible(_SPACES.sub(" ", text[: limit * 4])).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def excerpt(text: str, start: int, end: int, limit: int) -> tuple[str, int, int]:
    """At most about `limit` characters of the line `text` round `text[start:end]`, made visible, with the span in the result.

    `…` stands where something was left out. A span longer than the limit is cut at its end.
    """
    room = max(limit - (end - start), limit // 4)
    left = max(min(start - room // 2, len(text) - limit), 0)
    right = min(max(left + limit, start + 1), len(text))
    end = min(end, right)
    before, match, after = (_flat(part) for part in (text[left:start], text[start:end], text[end:right]))
    before = ("…" if left else "") + before
    return before + match + after + ("…" if right < len(text) else ""), len(before), len(before) + len(match)


def _flat(text: str) -> str:
    return visible(text.replace("\t", "    ").replace("\n", "⏎"))


def code_span(value: str) -> str:
    """A Markdown code span that shows `value`, whatever backticks it holds."""
    inner = one_line(value)
    if not inner:
        return "` `"
    ticks = "`" * (_longest_run(inner) + 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def prose_word(value: str) -> str:
    """`value` for running Markdown text: as it is where it is a plain word or number, else as a code span.

    In a code span nothing is markup, and no chat or forge takes `@name` or `#1` for a mention.
    """
    word = one_line(value)
    return word if _PLAIN_WORD.fullmatch(word) and not _WWW.search(word) else code_span(word)


def escaped(text: str) -> str:
    """`text` as running Markdown that shows it: for words of the program's own, which need no code span."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text))


def fence_for(code: str) -> str:
    """The backtick fence that no run of backticks in `code` can close."""
    return "`" * max(3, _longest_run(code) + 1)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def shell_word(value: str, quoted: bool) -> str | None:
    """`value` as one word of a POSIX shell command, or None where it cannot be made one.

    `quoted`: it lands inside the author's own quotes, where only a value that needs none can stand.
    """
    if value.startswith("-") and not value[1:2].isdigit():  # it would be read as an option
        return None
    if _SHELL_SAFE.fullmatch(value):
        return value
    if quoted or not value or len(value) > _LONGEST_VALUE or visible(value) != value or "\n" in value or "\t" in value:
        return None
    return "'" + value.replace("'", "'\"'\"'") + "'"
