"""What wraps a line, and the way back: control sequences, prefixes, borders, JSON.

Everything here turns strands into strands, so that each character still knows its raw offset.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from .alternatives import Alternatives
from .expressions import expression, recall
from .pattern_tree import ASCII, OTHER, first, parse
from .prefixes import LEVEL_WORD, LEVELS, PREFIXES
from .strand import Strand
from .value import Value, replace

__all__ = ["Line", "Prefix", "json_lines", "peel", "plain", "split_lines"]


class Prefix(Value):
    """What the prefixes of a line told."""

    process: str = ""
    container: str = ""  # the part of `process` that names a container or pod: programs apart, each with its own course
    rank: int | None = None
    level: str = ""
    where: str = ""
    timed: bool = False
    bullet: bool = False
    names: tuple[str, ...] = ()  # the rows of the table that were found

    @property
    def starts(self) -> bool:
        """Whether a log writer began a statement here: continuation lines carry no level and no place of their own."""
        return bool(self.level or self.where)

    @property
    def head(self) -> tuple[str, str]:
        """Equal for the lines of one multi-line record, which vLLM prints with the prefix on each line."""
        return self.level, self.where


class Line(Value):
    """One line of the log: `strand` is what is left of it, `whole` what stood there before prefixes were peeled."""

    strand: Strand
    whole: Strand
    number: int
    prefix: Prefix = Prefix()
    repairs: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.strand.text


# Sequences that a terminal swallows, also where a copy lost the escape character (`^[[31m`, `[0;36m`, `\x1b[0m` as text).
_CONTROL = expression(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]"
    r"|(?:\^\[|\\x1[bB]|\\u001[bB]|\\033|\\e|␛|\u2190)\[[\d;]{0,20}[mKGH]"
    r"|\[(?:\d{1,3};){0,4}\d{1,3}m|\^M$"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]"
)
_BLANK = expression("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufffc]")
_ODD = Alternatives(r"[^\t\x20-\x7e]|\^[\[M]|\\x1[bB]|\\u001[bB]|\\033|\\e\[|\[[\d;]{1,12}m")
_LINE = expression(r"[^\r\n]*(?:\r\n|\n|\r|$)")


def plain(strand: Strand) -> Strand:
    """The strand without control sequences and invisible characters; exotic blanks become blanks."""
    if not _ODD.seen(strand.text, strand.text.lower()):
        return strand
    edits = [(m.start(), m.end(), "") for m in _CONTROL.finditer(strand.text)]
    done = strand.splice(edits) if edits else strand
    text = _BLANK.sub(" ", done.text)
    return done if text == done.text else Strand(text, done.starts, done.raws)


def split_lines(text: str) -> Iterator[tuple[int, str, int]]:
    """`(raw offset, text, index of the line)` of each piece; a lone CR cuts a piece but counts as a line only in a text without LF."""
    counts_cr = "\n" not in text
    number, at = 0, 0
    while at < len(text):
        match = _LINE.match(text, at)
        assert match is not None  # the pattern can match anywhere, also nothing
        piece = match.group()
        body = piece.rstrip("\r\n")
        yield at, body, number
        at = match.end()
        if piece.endswith("\n") or (counts_cr and piece.endswith("\r")):
            number += 1


# --- prefixes ---------------------------------------------------------------------------------------------------------------------


_FIELDS = ("process", "rank", "level", "where", "time")


def _numbered(name: str, pattern: str, row: int) -> str:
    """The row as a group of the one big pattern; its own group names get the row's number, as a name may stand only once."""
    body = pattern
    for field in _FIELDS:
        body = body.replace(f"(?P<{field}>", f"(?P<{field}_{row}>")
    return f"(?P<row_{row}>{body})"


_BLANKS = r"[ \t]*(?![ \t])"  # all of them or none: no row begins with a blank, and a line of blanks is tried once
_ROWS = tuple(_numbered(name, pattern, row) for row, (name, pattern) in enumerate(PREFIXES))
_PREFIX = expression(_BLANKS + "(?:" + "|".join(_ROWS) + ")", re.ASCII)  # all rows: the page's matcher has them in one
_GROUPS = {
    row: tuple((field, f"{field}_{row}") for field in _FIELDS if f"(?P<{field}>" in pattern) for row, (_, pattern) in enumerate(PREFIXES)
}
# A cheap look before the big one: a text that begins with a letter and holds none of these within reach has no prefix.
_MAY_BEGIN = expression(_BLANKS + r"(?:[^A-Za-z \t]|E[ \t]|[^\n]{0,240}?(?:[|:\])%$#]|\b(?:" + LEVEL_WORD + r")\b))")
_NAMES = tuple(name for name, _ in PREFIXES)
_CONTAINERS = {"compose", "pod"}
_MOST = 14  # prefixes in one stack; the deepest stack seen in the field has seven
_AGAIN = {"bullet", "fence", "comment", "srun", "pdsh", "progress", "prompt", "border"}  # never twice: what follows is text
_FIELD_END = expression(r"(?:\\?\"[ \t]*[,}\]]{0,4})?[ \t]*$")
_QUOTED = expression(r"[ \t]*([\"'])(?=\S)((?:\\.|(?!\1)[^\\\n]){8,})\1[,;]?[ \t]*$")  # a whole line in quotes
_CLOSERS = frozenset(" \t│┃║▏▕|`")
_TAIL = expression(r"(?:[ \t]*\x20?\[repeated \d+x across cluster\][^\n]{0,200}|[ \t]*[│┃║▏▕|][ \t]*|[ \t]{2,}|```)$")
_REACH = 512  # characters before the end of a line in which one closer is looked for


def peel(line: Line) -> Line:
    """The line without its prefixes, with what they told."""
    text, at = line.strand.text, 0
    told: dict[str, str] = {}
    processes: list[str] = []
    names: list[str] = []
    for _ in range(_MOST):
        match = _prefix(text, at)
        if match is None or match.end() == at:
            break
        row = int((match.lastgroup or "row_0").rsplit("_", 1)[1])
        name = _NAMES[row]
        if (name in names and name in _AGAIN) or (name == "srun" and names and names[-1] in ("time", "where")):
            break
        names.append(name)
        for field, group in _GROUPS[row]:
            value = match.group(group)
            if value and field == "process":
                _name(processes, value.strip())
                if name in _CONTAINERS:
                    told["container"] = value.strip()
            elif value and (field != "rank" or "rank" not in told):
                told[field] = value
        at = match.end()
    if not names:
        return _trim(line, line.strand)
    level = told.get("level", "").upper()
    prefix = Prefix(
        process=" ".join(processes),
        container=told.get("container", ""),
        rank=int(told["rank"]) if "rank" in told else _rank_of(processes),
        level=LEVELS.get(level, level),
        where=told.get("where", ""),
        timed="time" in told,
        bullet="bullet" in names,
        names=tuple(names),
    )
    return _trim(replace(line, prefix=prefix), line.strand.cut(at))


def _prefix(text: str, at: int) -> re.Match[str] | None:
    """What `_PREFIX` matches there, found among the rows that can begin with the character at hand."""
    end = len(text)
    while at < end and text[at] in " \t":
        at += 1
    rows = _rows(text[at]) if at < end else None
    return rows.match(text, at) if rows is not None and _MAY_BEGIN.match(text, at) else None


@cache
def _rows(character: str) -> re.Pattern[str] | None:
    """The rows that can begin with a character; None when there is none."""
    bit = 1 << ord(character) if character.isascii() else OTHER
    rows = tuple(row for row, begins in enumerate(_begins()) if begins & bit)
    return _some(rows) if rows else None


@cache
def _some(rows: tuple[int, ...]) -> re.Pattern[str]:
    return expression("|".join(_ROWS[row] for row in rows), re.ASCII)


@cache
def _begins() -> tuple[int, ...]:
    """The characters that each row can begin with."""
    begins: tuple[int, ...] = recall("begins", _PREFIX.pattern, re.ASCII, lambda pattern, flags: tuple(map(_begin, _ROWS)))
    return begins


def _begin(row: str) -> int:
    return first(list(parse(row)), ASCII | OTHER)


def _name(processes: list[str], name: str) -> None:
    """One more tag of the process, unless it says the same again: `[rank0]:[Rank 0]`."""
    if name.lower().replace(" ", "") not in [known.lower().replace(" ", "") for known in processes]:
        processes.append(name)


_RANK_IN_NAME = expression(r"(?:_TP|_DP|\bTP|rank=|Worker)(\d{1,4})\b")


def _rank_of(processes: list[str]) -> int | None:
    """`Worker_TP3 pid=41` is rank 3."""
    for process in processes:
        match = _RANK_IN_NAME.search(process.replace("_EP", " EP").replace("_PP", " PP"))
        if match and not process.startswith("EngineCore"):
            return int(match.group(1))
    return None


def _trim(line: Line, strand: Strand) -> Line:
    """Without what closes the line: a box border, Ray's repetition note, padding, the end of a JSON field."""
    if "json-field" in line.prefix.names:
        field = _FIELD_END.search(strand.text, max(len(strand) - _REACH, 0))
        strand = strand.cut(0, field.start() if field else None)
    quoted = _QUOTED.match(strand.text) if strand.text.rstrip(" \t,;")[-1:] in ("'", '"') else None
    if quoted:
        strand = strand.cut(*quoted.span(2))
    strand = strand.cut(0, end) if (end := _end(strand.text)) < len(strand.text) else strand
    return line if strand is line.strand else replace(line, strand=strand)


def _end(text: str) -> int:
    """Where the text ends without the closers at its end, which are looked for in reach of it: a line may be nothing but borders."""
    end = len(text)
    while end and (text[end - 1] in _CLOSERS or text.find("across cluster]", max(end - _REACH, 0), end) >= 0):
        match = _TAIL.search(text, max(end - _REACH, 0), end)
        if match is None or not match.group():
            break
        end = match.start()
    return end


Unescape = Callable[[Strand], list[Strand]]

# --- JSON -------------------------------------------------------------------------------------------------------------------------

# `journalctl -o json` writes a text that holds a colour, or any other character that does not print, as the list of its bytes.
_STRING = expression(r'"((?:[^"\\]|\\.)*)"(\s*:)?|\[\s*((?:[0-9]{1,3}\s*,\s*){7,}[0-9]{1,3})\s*\]')
_META = frozenset(
    (
        "time",
        "timestamp",
        "ts",
        "@timestamp",
        "datetime",
        "date",
        "asctime",
        "stream",
        "logger",
        "logger_name",
        "filename",
        "file",
        "pathname",
        "funcName",
        "func",
        "module",
        "level",
        "levelname",
        "severity",
        "lvl",
        "thread",
        "threadName",
        "processName",
        "process",
        "pid",
        "host",
        "hostname",
        "pod",
        "pod_name",
        "namespace",
        "container",
        "container_name",
        "container_id",
        "image",
        "id",
        "uuid",
        "trace_id",
        "span_id",
        "version",
        "lineno",
        "caller",
        "tag",
        "time_local",
    )
)
_TEXTS = frozenset({"log", "message", "msg", "text", "MESSAGE"})  # of these an empty value is an empty line
_WHERE = frozenset({"pod", "pod_name", "container", "container_name"})
_WHO = (
    "process",
    "processName",
    "pod",
    "pod_name",
    "container",
    "container_name",
    "pid",
    "rank",
    "host",
    "hostname",
    "SYSLOG_IDENTIFIER",
    "_PID",
)


def json_lines(line: Line, unescape: Unescape) -> list[Line] | None:
    """The texts inside a line that is one JSON object, or None when it is not: docker's `{"log": …}`, structured loggers' records."""
    text = line.strand.text
    at = text.find("{")
    if at < 0 or at > 400 or not text.rstrip().endswith("}") or '"' not in text:
        return None
    record = _json_object(text[at:])
    if record is None:
        return None
    level = next((str(record[key]) for key in ("level", "levelname", "severity", "lvl") if isinstance(record.get(key), str)), "").upper()
    who = {key: str(record[key]) for key in _WHO if isinstance(record.get(key), str | int)}
    container = " ".join(name for key, name in who.items() if key in _WHERE)
    prefix = Prefix(process=" ".join(who.values()), container=container, level=LEVELS.get(level, level), names=("json",))
    values: list[list[Strand]] = []
    key = ""
    journal = "MESSAGE" in record  # journald's: its twenty other fields are about the message
    for match in _STRING.finditer(text, at):
        if match.group(2):
            key = match.group(1)
        elif journal and key != "MESSAGE":
            continue
        elif match.group(3):
            texts = _spelled(line.strand.cut(match.start(3), match.end(3)))
            if key in _TEXTS or any(piece.text.strip() for piece in texts):
                values.append(texts)
        elif key not in _META and (match.group(1).strip() or key in _TEXTS):
            values.append(unescape(line.strand.cut(match.start(1), match.end(1))))
    values.sort(key=len)  # short fields first, so that they do not stand under a traceback as if they were its end
    return [Line(piece, piece, line.number, prefix, line.repairs) for value in values for piece in value]


def _spelled(numbers: Strand) -> list[Strand]:
    """The lines of a text of which the bytes are listed, each where the list begins; none where it is a list of other numbers."""
    values = [int(number) for number in numbers.text.split(",")]
    if max(values) > 255:
        return []
    text = bytes(values).decode("utf-8", "replace")
    return [plain(Strand.of(body, numbers.raw(0))) for _, body, _ in split_lines(text)]


def _json_object(text: str) -> dict[str, object] | None:
    import json

    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
