"""One message → the pattern of a signature: what another report of the same failure will say differently becomes a named capture."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .fact_kinds import kind_of
from .literals import derive
from .pattern import compile_pattern, problems

__all__ = ["Keep", "anchored", "best_pattern", "fixed_words", "frame_pattern", "pattern_of"]

# What stays as it is: nothing that varies; names in quotes, too; everything.
Keep = Literal["words", "names", "all"]

_LONGEST = 160  # characters of a message that its pattern knows
_SHORT = 20  # characters of it that one varying value counts for at most
_MOST_CAPTURES = 8
_ENOUGH = {"words": 12, "names": 4, "all": 4}  # letters that a pattern needs beside the class of the exception

# An element of a list whose length varies, too: the models that a release knows, the sizes of a tensor.
_ITEM = r"(?:'[^'\[\](){}\n]{0,100}'|\"[^\"\[\](){}\n]{0,100}\"|-?\d[\d.]{0,30})"
# What varies between two reports, and the pattern of its kind. The first that matches at a place is taken.
_VARYING: tuple[tuple[str, str, str], ...] = (
    ("url", r"[a-z][a-z0-9+.-]{1,10}://[^\s'\"<>)\]]+", r"[^\s'\"<>)\]]{1,300}"),
    ("values", rf"(?<=[\[({{]){_ITEM}(?:,\s*{_ITEM})+(?=,?\s*[\])}}])", r"[^\[\](){}]{1,2000}"),
    ("id", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", r"[0-9a-fA-F-]{36}"),
    ("value", r"(?<!\w)'[^'\n]{0,300}'(?!\w)", r"[^'\n]{0,300}"),
    ("value", r"\"[^\"\n]{0,300}\"", r"[^\"\n]{0,300}"),
    ("value", r"`[^`\n]{0,300}`", r"[^`\n]{0,300}"),
    ("token", r"<(?:token|key|password|email)-\d+>", r"\S{1,300}"),
    ("path", r"(?:\b[A-Za-z]:)?(?:[\\/]+[\w.@+~-]+){2,}[\\/]*|~[\\/][\w.@+~\\/-]+", r"[^\s'\",;()]{1,300}"),
    ("address", r"\b0x[0-9a-fA-F]+\b", r"0x[0-9a-fA-F]{1,16}"),
    ("host", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b", r"[\w.:-]{1,100}"),
    ("shape", r"(?<![\w.])\d+(?:x\d+)+\b", r"\d{1,9}(?:x\d{1,9}){1,6}"),
    ("id", r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b", r"[0-9a-f]{12,64}"),
    ("number", r"(?<![\w.])-?\d+(?:[.,_]\d+)*(?=(?:[KMGT]i?B|ms|us|s|k|[BKMG])?\b)(?![A-Za-z_]*\d)", r"-?\d[\d.,_]{0,30}"),
)
_ANY = re.compile("|".join(f"(?P<v{number}>{look})" for number, (_, look, _) in enumerate(_VARYING)))
_NAME_BEFORE = re.compile(r"(?:^|[\s(\[,;])(?P<name>[A-Za-z][A-Za-z_]{2,20})(?:[=:]\s?|\s)$")
_POOR_NAMES = frozenset(
    (
        *("about", "above", "after", "all", "and", "are", "below", "but", "called", "error", "for", "found", "from", "got", "has", "have"),
        *("into", "least", "line", "loading", "more", "most", "named", "not", "only", "over", "size", "than", "that", "the", "then"),
        *("this", "under", "via", "was", "with", "within"),
    )
)
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.-]{0,80}")
_CLASS = re.compile(r"(?:[A-Za-z_]\w*\.)*(?P<class>[A-Za-z_]\w*)(?P<end>:\s*|\n\s*|$)")
# What Python and the linker say of any name: there the names in quotes are what tells one failure from another.
_STOCK = re.compile(
    r"has no attribute|unexpected keyword argument|cannot import name|No module named|positional arguments?|is not defined|undefined symbol"
    r"|object is not|object does not|unsupported operand|not supported between"
)
_HEADERS = re.compile(r"\d+ validation errors? for \S+|\s*|-{3,}|={3,}")  # lines that say nothing by themselves
_SPECIAL = frozenset(r"\.^$*+?{}[]|()")


@dataclass(slots=True)
class _Namer:
    """Gives each capture a name of its own, which no fact has: a capture named like a fact states it."""

    used: set[str]

    def name(self, before: str, kind: str) -> str:
        match = _NAME_BEFORE.search(before)
        wanted = match["name"].lower() if match else kind
        if wanted in _POOR_NAMES or wanted in self.used or kind_of(wanted) is not None:
            wanted = kind
        number, name = 1, wanted
        while name in self.used:
            number += 1
            name = f"{wanted}_{number}"
        self.used.add(name)
        return name


def best_pattern(text: str) -> str | None:
    """The most general pattern of a message that still says enough; None where the message says nothing."""
    tries: tuple[tuple[Keep, int], ...] = (("words", 1), ("words", 2), ("names", 1), ("all", 1))
    if _STOCK.search(text):
        tries = (("names", 1), ("words", 1), ("all", 1))
    return next((pattern for keep, lines in tries if (pattern := pattern_of(text, keep, lines))), None)


def anchored(text: str) -> str | None:
    """The first line as it stands, and nothing else: for a failure that says no more than its class."""
    pattern = f"^{_quoted(text.split(chr(10))[0].strip())}"
    return pattern if _is_sound(pattern, text) else None


def pattern_of(text: str, keep: Keep = "words", lines: int = 1) -> str | None:
    """A portable pattern that matches `text`, made of its first `lines` lines; None where that would say too little.

    A message of an exception begins with its class, whose package is left out.
    """
    head, rest = _split(text)
    chosen = [line.strip() for line in rest.split("\n") if _HEADERS.fullmatch(line.strip()) is None][:lines]
    if len(chosen) < lines or not "".join(chosen):
        return None
    namer = _Namer(set())
    body = r"\s+".join(_generalised(_shortened(line), keep, namer) for line in chosen)
    pattern = head + body if rest.startswith(chosen[0]) else body
    if len("".join(fixed_words(body))) < _ENOUGH[keep] or not _is_sound(pattern, text):
        return None
    return pattern


def frame_pattern(frame: str) -> str | None:
    """The pattern of a frame `path:line in function`: the end of its path, from the package on."""
    match = re.fullmatch(r"(?P<path>.+?):\d+ in (?P<function>.+)", frame)
    if match is None:
        return None
    parts = re.split(r"(?:site|dist)-packages/", match["path"])[-1].split("/")
    tail = "/".join(parts[-4:] if len(parts) > 1 else parts)
    pattern = rf"{'' if tail[:1] in '<' else chr(92) + 'b'}{_quoted(tail)}:(?P<line>\d+) in {_quoted(match['function'])}"
    return pattern if _is_sound(pattern, frame) else None


def fixed_words(pattern: str) -> tuple[str, ...]:
    """The words of a pattern that every match has, captures and syntax left out."""
    plain = re.sub(r"\(\?P<\w+>(?:[^()\\\[\]]|\\.|\[(?:[^\]\\]|\\.)*\]|\([^()]*\))*\)|\\[sSwWdDb]|\{\d+(?:,\d*)?\}", " ", pattern)
    return tuple(re.findall(r"[A-Za-z]{2,}", plain.replace("\\", "")))


def _is_sound(pattern: str, text: str) -> bool:
    """Whether the pattern is portable, has a literal to look for, and matches the text it was made of."""
    return not problems(pattern) and derive(pattern).problem is None and compile_pattern(pattern).search(text) is not None


def _split(text: str) -> tuple[str, str]:
    r"""The pattern of an exception's class, `\bClass: `, and what it says; no class for any other message."""
    match = _CLASS.match(text)
    if match is None or not match["class"][:1].isupper():
        return "", text
    end = re.sub(r"\s*\n\s*", r"\\s+", match["end"])  # a message may begin on the next line
    return rf"\b{match['class']}{end}", text[match.end() :]


def _shortened(line: str) -> str:
    """At most _LONGEST characters, cut between words and not inside a quoted value."""
    if len(line) <= _LONGEST:
        return line
    end = _LONGEST
    for match in _ANY.finditer(line):
        if match.start() >= end:
            break
        end += max(len(match[0]) - _SHORT, 0)  # its capture is short, however long the value
        if match.end() > end:
            end = match.start()
            break
    if len(line) <= end:
        return line
    space = line.rfind(" ", 0, end)
    return line[: space if space > _LONGEST // 2 else end].rstrip()


def _generalised(line: str, keep: Keep, namer: _Namer) -> str:
    if keep == "all":
        return _words(line)
    return "".join(_pieces(line, keep, namer))


def _pieces(line: str, keep: Keep, namer: _Namer) -> Iterator[str]:
    at = 0
    for match in _ANY.finditer(line):
        kind, _, pattern = _VARYING[int((match.lastgroup or "v0")[1:])]
        value = match[0]
        quote = value[:1] if kind == "value" else ""
        if quote and keep == "names" and _IDENTIFIER.fullmatch(value[1:-1]):
            continue
        yield _words(line[at : match.start()])
        at = match.end()
        if len(namer.used) < _MOST_CAPTURES:
            pattern = f"(?P<{namer.name(line[: match.start()], kind)}>{pattern})"
        yield f"{quote}{pattern}{quote}"
    yield _words(line[at:])


def _words(text: str) -> str:
    return re.sub(r"\s+", lambda match: " " if match[0] == " " else r"\s+", _quoted(text))


def _quoted(text: str) -> str:
    """The text as a pattern. `re.escape` escapes blanks, too, which nobody wants to read."""
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in text)
