"""Repairs of text that was escaped, translated or wrapped on its way into the log.

A repair makes text that the raw log does not contain, so it is tried only where the text itself does not match, and a match that
needed one says so. `readings` are repairs of one message; `unescape` and `unwrap` make new lines and are read anew.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from .alternatives import Alternatives
from .expressions import expression
from .peel import Line, peel, plain
from .strand import Strand

__all__ = ["entities", "readings", "spread", "unescape", "unwrap"]

# --- within one message -----------------------------------------------------------------------------------------------------------

# Full-width and typographic marks that input methods, editors and translators put in, and UTF-8 read as Windows-1252.
_MARKS = {
    "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "`": "'",
    "：": ":", "，": ",", "；": ";", "（": "(", "）": ")", "［": "[", "］": "]", "｛": "{", "｝": "}", "！": "!", "？": "?", "。": ".",
    "＝": "=", "／": "/", "＿": "_", "－": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": "...", "、": ",", "｜": "|",
    "＜": "<", "＞": ">", "＂": '"', "＇": "'", "．": ".", "＼": "\\", "～": "~", "×": "x",
    "â€™": "'", "â€˜": "'", "â€œ": '"', "â€\x9d": '"', "â€“": "-", "â€”": "-", "â€¦": "...", "Â ": " ",
}  # fmt: skip
_BLANK_BEHIND = "，；"
del _MARKS["`"]  # a backtick belongs to messages
_MARK = expression("|".join(sorted(map(re.escape, _MARKS), key=len, reverse=True)))
# Where English sets a blank beside a mark whose full-width form brings its own room. Whether one stood there is not to be seen, as in
# `cuda：0` and `error：no space`, so both are read.
_GAP = expression(r"(?<=[A-Za-z0-9_.)\]])（|[：）。．！？](?=[A-Za-z0-9_/(\[<{'\"“‘（])")
_ENTITY = expression(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_PERCENT = expression(r"%[0-7][0-9A-Fa-f]")
# Markdown ate the underscores of `__init__`: what is left are these names, alone, bold or italic.
_DUNDER = expression(
    r"(?:\*\*|(?<![\w.]))(init|new|call|enter|exit|getattr|getitem|setattr|setitem|del|main|iter|next|len|repr|str)\*\*"
    r"|(?<=\bin )(init|new|call|enter|exit|getattr|getitem|post_init)$|(?<=\.)(init|new|call|post_init)(?=\(\))"
)
_ADDRESS = expression(r"\[address=[^\]\n]{1,80}, pid=\d+\] ?")
_PADDING = expression(r"[ \t](?<=\S[ \t])[ \t]{2,}(?=\S)")  # begins with what most places are not
_CLASS_QUOTE = expression(r"[`*]+")


def _sub(pattern: re.Pattern[str], new: Callable[[re.Match[str]], str], strand: Strand) -> Strand:
    edits = [(m.start(), m.end(), new(m)) for m in pattern.finditer(strand.text)]
    return strand.splice(edits) if edits else strand


def entities(strand: Strand) -> Strand:
    """The text with its HTML entities decoded; the same strand where it has none."""
    return plain(_sub(_ENTITY, _entity, strand)) if "&" in strand.text else strand  # `&nbsp;` is a blank like any other


def _entity(match: re.Match[str]) -> str:
    from html import unescape as decode

    return decode(match.group())


def _percent(match: re.Match[str]) -> str:
    return chr(int(match.group()[1:], 16))


def _mark(match: re.Match[str]) -> str:
    """A full-width comma stands where a comma and a blank stood."""
    found, after = match.group(), match.string[match.end() : match.end() + 1]
    return _MARKS[found] + (" " if found in _BLANK_BEHIND and after.strip() else "")


def _gap(match: re.Match[str]) -> str:
    mark = match.group()
    return f" {mark}" if mark == "（" else f"{mark} "


def _dunder(match: re.Match[str]) -> str:
    return f"__{match.group(1) or match.group(2) or match.group(3)}__"


# Each repair builds on those before it, so that a text that needs two gets both. What it repairs has one of its signs in it, or, where none
# is given, a character that is not ASCII: most texts have none.
_REPAIRS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str], tuple[str, ...]], ...] = (
    ("entities", _ENTITY, _entity, ("&",)),
    ("marks", _MARK, _mark, ()),
    ("percent", _PERCENT, _percent, ("%",)),
    ("dunder", _DUNDER, _dunder, ("**", "in ", "()")),
    ("address", _ADDRESS, lambda m: "", ("[address=",)),
    ("markup", _CLASS_QUOTE, lambda m: "", ("`", "*")),
    ("padding", _PADDING, lambda m: " ", ("   ", "\t")),
)
_SIGNS = tuple(dict.fromkeys(sign for *_, signs in _REPAIRS for sign in signs))
_SUSPECT = Alternatives(
    r"[^\x00-\x7f]|&[#\w]|%[0-7]|\bin \w+$|\.(?:init|new|call|post_init)\(\)|\*\*|\[address=|`|\S[ \t]{3,}\S",
    re.MULTILINE,
)


def readings(strand: Strand) -> Iterator[tuple[str, Strand]]:
    """The text with its repairs done, one after the other: `(names joined by +, text)`."""
    text = strand.text
    if (text.isascii() and not _has(text, _SIGNS)) or not _SUSPECT.seen(text, text.lower()):
        return
    names: list[str] = []
    for name, pattern, new, signs in _REPAIRS:
        if not _has(strand.text, signs):
            continue
        done = _sub(pattern, new, strand)
        if done is not strand and done.text != strand.text:
            names.append(name)
            apart = _sub(_MARK, _mark, _sub(_GAP, _gap, strand)) if name == "marks" and _GAP.search(strand.text) else None
            strand = done
            yield "+".join(names), strand
            if apart is not None:
                yield "+".join(names), apart
    tight = _sub(_PADDING, lambda m: "", strand)
    if tight is not strand:
        yield "+".join([*names, "padding"]), tight


def _has(text: str, signs: tuple[str, ...]) -> bool:
    if not signs:
        return not text.isascii()
    return any(sign in text for sign in signs)


def spread(pieces: Iterable[Strand]) -> Iterator[tuple[str, Strand]]:
    """Readings of a statement that stands on several lines: wrapped between words, and inside a word."""
    pieces = [piece for piece in pieces if piece.text.strip()]
    if len(pieces) < 2:
        return
    stripped = [_strip(piece) for piece in pieces]
    yield "joined", Strand.join(stripped, " ")
    yield "joined", Strand.join([_rstrip_newline(piece) for piece in pieces])
    tight = Strand.join(stripped)
    yield "joined", tight


def _strip(strand: Strand) -> Strand:
    text = strand.text
    start = len(text) - len(text.lstrip())
    return strand.cut(start, len(text.rstrip()))


def _rstrip_newline(strand: Strand) -> Strand:
    return strand.cut(0, len(strand.text.rstrip("\r\n")))


# --- escapes ----------------------------------------------------------------------------------------------------------------------

# JSON writes a character beyond U+FFFF as a pair.
_ESCAPE = expression(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbf\"'/\\]))"
)
_LINE_END = expression(r"\r\n|\n|\r")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", '"': '"', "'": "'", "/": "/", "\\": "\\"}


def _escape(match: re.Match[str]) -> str:
    if match.group(1):
        return chr(0x10000 + (int(match.group(1), 16) - 0xD800) * 0x400 + int(match.group(2), 16) - 0xDC00)
    code = match.group(3) or match.group(4)
    return chr(int(code, 16)) if code else _SIMPLE[match.group(5)]


def unescape(strand: Strand) -> list[Strand]:
    """The lines inside an escaped text, one layer of escapes undone: a JSON string, Python's repr, `\\n` as text."""
    return _cut_lines(_sub(_ESCAPE, _escape, strand))


def _cut_lines(strand: Strand) -> list[Strand]:
    out, at = [], 0
    for match in _LINE_END.finditer(strand.text):
        out.append(strand.cut(at, match.start()))
        at = match.end()
    if at < len(strand.text) or not out:
        out.append(strand.cut(at))
    return out


# --- hard wraps of a terminal -----------------------------------------------------------------------------------------------------

_NARROWEST, _WIDEST = 40, 400
_FRESH = expression(
    r"\s*(?:(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b|Traceback \(most|File \"|The above exc|During handling|\{\"|$"
    r"|[\w.]{0,80}[A-Z]\w{0,40}(?:Error|Exception)(?::| at |\s*$)"
    # a line of an access log, a progress bar
    r"|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3} - |[\w ,.()-]{3,60}:\s{1,3}\d{1,3}%)"
)


def unwrap(lines: list[Line]) -> Iterator[list[Line]]:
    """The lines with a terminal's hard wraps undone; nothing where nothing looks wrapped.

    A line is taken as wrapped when it fills a width that other lines fill, too (or a usual one), or when it ends where the next line's
    first word would not have fitted. A single wrap at an odd width is left to the readings of the statement it stands in. Where words meet
    at a cut, a blank may have been lost or not: then there are more answers.
    """
    cuts = _cuts(lines)
    if cuts:
        yield _joined(lines, cuts)
        seen = [cuts]
        for glue in (" ", ""):
            other = {at: glue if _word_to_word(lines[at], lines[at + 1]) else between for at, between in cuts.items()}
            if other not in seen:
                seen.append(other)
                yield _joined(lines, other)


def _cuts(lines: list[Line]) -> dict[int, str]:
    """Index of each line that was cut from the next, with what stood between."""
    lengths = [len(line.whole.text) for line in lines]
    found = ((at, _between(lines, lengths, at)) for at in range(len(lines) - 1))
    return {at: between for at, between in found if between is not None}


def _word_to_word(here: Line, after: Line) -> bool:
    return here.whole.text[-1:].strip() != "" and after.whole.text[:1].strip() != ""


def _joined(lines: list[Line], cuts: dict[int, str]) -> list[Line]:
    """The lines around the cuts, joined; what is far from any cut reads as before and is left out."""
    near = bytearray(len(lines))
    for at in cuts:
        near[max(0, at - _AROUND) : at + _AROUND] = b"\x01" * (min(at + _AROUND, len(lines)) - max(0, at - _AROUND))
    out: list[Line] = []
    at = 0
    while at < len(lines):
        last = at
        while last in cuts and last - at < _MOST_PIECES:
            last += 1
        if last > at:
            out.append(_join(lines[at], [line.whole for line in lines[at : last + 1]], ["", *(cuts[each] for each in range(at, last))]))
        elif near[at]:
            out.append(lines[at])
        at = last + 1
    return out


_AROUND = 80  # lines of a traceback that a cut line may belong to
_MOST_PIECES = 400  # a configuration line of 20,000 characters in a window of 80
_USUAL = frozenset({80, 100, 120, 132, 160, 200})
_WHOLE = expression(r"\s*[~^]+\s*$|.*[|=*_-]{8}$")
_HALF_FRAME = expression(r"\s*File \"[^\"\n]{1,400}\", line \d+$")
_FRAME_TAIL = expression(r"\d*, in \S")
# A traceback's frame that ends before its end can only have been cut.
_CUT_FRAME = expression(
    r"\s*File \"[^\"\n]{0,400}$|\s*File \"[^\"\n]{1,400}\"(?:,(?: l(?:i(?:n)?)?)?)?$"
    r"|\s*File \"[^\"\n]{1,400}\", (?P<word>line|line \d+, in)$|\s*File \"[^\"\n]{1,400}\", line \d+,(?: i)?$"
)
_FRAME = expression(r"\s*File \".*\", line \d+, in \S+\s*$")


def _between(lines: list[Line], lengths: list[int], at: int) -> str | None:
    """What stood where this line was cut from the next: "" inside a word, " " between words, None when it was not cut."""
    here, after = lines[at], lines[at + 1]
    length = lengths[at]
    if 'File "' in here.whole.text:
        cut = _CUT_FRAME.match(here.whole.text)
        if cut and here.number != after.number:
            return " " if cut.group("word") and not after.whole.text.startswith(" ") else ""
        if _HALF_FRAME.match(here.whole.text) and _FRAME_TAIL.match(after.whole.text):
            return ""
    if not _NARROWEST <= length <= _WIDEST or not after.whole.text.strip() or here.number == after.number or _WHOLE.match(here.whole.text):
        return None
    if _FRAME.match(here.whole.text) and after.whole.text.startswith(" "):
        return None
    between = _by_width(lengths, at, after.whole.text)
    return None if between is None or _is_fresh(here, after) else between


def _by_width(lengths: list[int], at: int, after: str) -> str | None:
    """What stood where a line was cut, by the lengths of the lines around: one that fills the width, or that left no room for a word."""
    length = lengths[at]
    around = lengths[max(0, at - 40) : at + 41]
    width = max(around)
    local = max(lengths[max(0, at - 3) : at + 4])
    if length == local and (length in _USUAL or around.count(length) > 1):
        return ""
    if not 60 <= width <= 200 or after.startswith((" ", "\t", "^")) or length + 1 + len(after.split(None, 1)[0]) <= width:
        return None
    return " " if sum(width - 24 <= other <= width for other in around) > 1 else None


# Prefixes that the middle of a text may look like.
_WEAK = frozenset(
    (
        "quote",
        "border",
        "fence",
        "comment",
        "bullet",
        "compose",
        "srun",
        "pdsh",
        "rank-cut",
        "level",
        "json-field",
        "prompt",
        "progress",
        "pytest",
    )
)


def _is_fresh(here: Line, after: Line) -> bool:
    """Whether a line begins something of its own."""
    if set(peel(after).prefix.names) - _WEAK:
        return True
    return _FRESH.match(after.whole.text) is not None and not _cut_inside(here.whole.text)


def _cut_inside(text: str) -> bool:
    """Whether a line ends within a bracket or quote that it opened."""
    return text.count("(") > text.count(")") or text.count("[") > text.count("]") or text.count('"') % 2 == 1


def _join(first: Line, run: list[Strand], glue: list[str]) -> Line:
    pieces: list[Strand] = [run[0]]
    for piece, between in zip(run[1:], glue[1:], strict=True):
        if between:
            pieces.append(Strand(between, (0,), (piece.raws[0],)))
            piece = _strip(piece)
        pieces.append(piece)
    whole = Strand.join(pieces)
    return Line(whole, whole, first.number, repairs=(*first.repairs, "unwrapped"))
