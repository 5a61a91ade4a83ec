"""Raw text → messages: what each process said, one statement at a time, with tracebacks put together.

Several readings of the same text are made where it pays: as it stands, with hard wraps undone, and with escapes undone. Their messages
stand side by side in one log, those that needed a repair say so, and the scan takes the plainest that matches.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from .episodes import Draft, assign
from .expressions import expression
from .heads import Heads, learn
from .model import Place
from .peel import Line, Prefix, json_lines, peel, plain, split_lines
from .repairs import entities, readings, spread, unescape, unwrap
from .report import Log, Message, MessageStatus, Traceback
from .statements import Statements
from .strand import Strand
from .value import replace

__all__ = ["MARKS", "SPAN_LINES", "read", "read_parts"]

# The most lines that one statement or traceback may span, in both readings of a log.
SPAN_LINES = 400

# What opens a region in a large log besides the literals of signatures: text that begins a failure, restarts a program or shows progress.
# As it stands in the raw bytes, and with eight or more of them: a shorter one would halve the speed of the sweep. A row is one kind of
# text: of a kind so many places are read, however many wordings it has.
MARKS: tuple[tuple[str, ...], ...] = (
    ("Traceback (most recent call last)",),
    (*(f"{letter}Error: " for letter in "Sabcdefghiklmnoprstuwxy"), "Exception: "),  # an exception without its traceback
    ("KeyboardInterrupt",),
    ("EngineDeadError",),
    ("vLLM API server version",),
    ("Initializing a V1 LLM engine", "Initializing an LLM engine"),
    ("server_args=ServerArgs",),
    ("Application startup complete",),
    # failures of one line, as failures.py and events.py know them
    tuple(f"{before}{word}: " for word in ("Error", "error", "ERROR") for before in ("\n", " ", "\r", '"', "]", "|")),
    (
        *(f"{before}{word}: " for word in ("FATAL", "fatal", "panic") for before in ("\n", " ")),
        *(f"{before}FATAL{behind}" for before in ("\n", " ") for behind in ("  ", " [", " 0", " 1")),
        *("[FATAL] ", "fatal error: ", "Fatal Python error", "panicked at"),
    ),
    # a program that ends
    ("terminate called ", "libc++abi: ", "pure virtual method called", "Exception in thread", "Uncaught ", "Unhandled exception"),
    (
        *("Segmentation fault", "Bus error", "Illegal instruction", "core dumped", "段错误", "总线错误", "非法指令", "已放弃"),
        *(f"zsh: {word}" for word in ("segmentation fault", "bus error", "illegal hardware", "abort")),
        *(" segmentation fault  ", " bus error  ", " illegal hardware instruction  ", " abort  "),
        *(f"{before}Aborted{behind}" for before in ("\n", " ") for behind in ("\n", "\r", " ")),
    ),
    (
        *(f"{before}Killed{behind}" for before in ("\n", " ") for behind in ("\n", "\r", " ")),
        *("zsh: killed", " killed  ", "已杀死", "OOMKilled", "OOMKilling", "SystemOOM"),
    ),
    ("Out of memory: Killed process", "oom-kill:", "segfault at ", "trap invalid opcode", "general protection fault ip:"),
    (
        *("exited with code ", "exit code", "exitcode", "returned non-zero exit status", "Main process exited, code="),
        *("Failed with result '", "exited on signal ", "died with <Signals.", "退出代码", "退出码"),
    ),
    (
        *("free(): ", "alloc(): ", "munmap_chunk(): ", "malloc_consolidate(): ", "double free or corruption"),
        *("corrupted size vs. prev_size", "corrupted double-linked list", "stack smashing detected", "buffer overflow detected"),
    ),
    ("ASSERT FAILED", "ASSERTION FAILED", "Assertion "),
    # drivers and containers
    ("Failed to initialize NVML", "NVIDIA-SMI has failed", "NVIDIA-SMI couldn't"),
    ("NVRM: Xid",),
    ("NCCL WARN ",),
    ("Error response from daemon", "OCI runtime create failed", "nvidia-container-"),
    (
        *("CrashLoopBackOff", "ImagePullBackOff", "ContainerCannotRun", "DeadlineExceeded", "  Evicted", "ErrImagePull", " Error  "),
        *("Reason:  ", "Reason: Err", "Back-off restarting", "Back-off pulling"),
        *(" nodes are available: ", "FailedScheduling", "FailedMount"),
        *(f"Warning{blanks}{word}" for blanks in (" ", "  ", "   ", "\t") for word in ("Failed", "BackOff", "Evicted")),
    ),
    # loaders and shells
    ("symbol lookup error", "undefined symbol: ", "error while loading shared libraries", "cannot open shared object file"),
    ("No module named ", "cannot import name "),
    ("not found (required by", "xec format error"),
    (
        *("is not recognized as ", "command not found", "不是内部或外部命令", "项识别为", "未找到命令", "找不到命令"),
        *("CategoryInfo ", "FullyQualifiedErrorId", "can't open file '"),
    ),
    (": Permission denied", ": No such file or directory", ": cannot execute", "权限不够", "没有那个文件或目录"),
    # compilers, builds and packages
    (
        *(f"{before}error[E" for before in ("\n", " ")),
        *(f" error {code}" for code in ("C1", "C2", "C3", "LNK", "MSB")),
        *("致命错误", "错误：", "错误: ", "cannot find -l", "找不到 -l", "undefined reference to "),
    ),
    ("make: *** ", "]: *** [", "ninja: build stopped", "\nFAILED: ", " FAILED: ", "CMake Error", "Configuring incomplete, errors occurred"),
    (
        *(f"E: {word}" for word in ("Unable", "Could", "Failed", "Package", "Version", "Sub-process", "The repository", "无法")),
        *("dpkg: error ", "npm error ", "npm ERR!", "did not run successfully", "\ncurl: (", " curl: ("),
    ),
    # lines of a severe level
    tuple(f"{before}ERROR {month}" for before in ("\n", ")", " ") for month in "01"),
    ("[ERROR] ", "- ERROR -"),
    ("CRITICAL",),
)


def read(text: str, name: str = "paste") -> Log:
    """The messages of one whole log. Never raises on any text."""
    return read_parts([(text, 1)], name)


def read_parts(parts: Iterable[tuple[str, int]], name: str) -> Log:
    """The messages of the regions of one log: `(text, 1-based number of its first line)`, in order."""
    texts: list[str] = []
    lines: list[Line] = []
    starts: list[int] = []
    numbers: list[int] = []
    base = 0
    for text, first in parts:
        if texts and not texts[-1].endswith("\n"):
            text = "\n" + text
            first -= 1
        part = _lines(text, base, first)
        lines.extend(part)
        _count(text, base, first, starts, numbers)
        texts.append(text)
        base += len(text)
    drafts, tracebacks = _parse(lines)
    messages, ends = _finish(drafts, tracebacks, [line.number for line in lines if _FENCE.match(line.text)])
    return Log(name, messages, ends, "".join(texts), tuple(starts), tuple(numbers))


def _count(text: str, base: int, first: int, starts: list[int], numbers: list[int]) -> None:
    end = "\r" if "\n" not in text else "\n"
    at, number = 0, first
    while True:
        starts.append(base + at)
        numbers.append(number)
        at = text.find(end, at) + 1
        number += 1
        if at == 0 or at >= len(text):
            return


def _lines(text: str, base: int, first: int) -> list[Line]:
    """The lines without control sequences, not yet peeled."""
    out = []
    for at, body, index in split_lines(text):
        strand = plain(Strand.of(body, base + at))
        decoded = entities(strand)
        repairs = () if decoded.text == strand.text else ("entities",)
        field = _field(decoded)
        if field is not None:
            decoded, repairs = field, (*repairs, "record")
        out.append(Line(decoded, decoded, first + index, repairs=repairs))
    return out


# --- one text, several readings ---------------------------------------------------------------------------------------------------


def _parse(lines: list[Line]) -> tuple[list[Draft], list[Traceback]]:
    heads = learn(lines)
    drafts, tracebacks = _statements(lines, heads)
    for part in _unbroken(lines):
        for unwrapped in unwrap(part):
            _add(drafts, tracebacks, *_only(*_statements(unwrapped, heads), "unwrapped"))
    return drafts, tracebacks


def _unbroken(lines: list[Line]) -> Iterator[list[Line]]:
    """The parts of a log between which lines were left out: no line is wrapped into one that stands elsewhere."""
    start = 0
    for at in range(1, len(lines)):
        if lines[at].number > lines[at - 1].number + 1:
            yield lines[start:at]
            start = at
    yield lines[start:]


def _only(drafts: list[Draft], tracebacks: list[Traceback], repair: str) -> tuple[list[Draft], list[Traceback]]:
    """The messages that needed a repair, with the whole of their tracebacks; the rest was read before."""
    needed = {at for at, draft in enumerate(drafts) if repair in draft.repairs}
    chosen = [at for at, tb in enumerate(tracebacks) if needed & {*tb.frames, tb.exception}]
    keep = [at for at, draft in enumerate(drafts) if at in needed or draft.traceback in chosen]
    new = {old: at for at, old in enumerate(keep)}
    number = {old: at for at, old in enumerate(chosen)}
    kept = [
        replace(draft, traceback=None if draft.traceback is None else number.get(draft.traceback)) for draft in (drafts[at] for at in keep)
    ]
    moved = [
        replace(tb, frames=tuple(new[at] for at in tb.frames), exception=None if tb.exception is None else new[tb.exception])
        for tb in (tracebacks[at] for at in chosen)
    ]
    return kept, moved


def _add(drafts: list[Draft], tracebacks: list[Traceback], more: list[Draft], others: list[Traceback]) -> None:
    """Put a second reading beside the first."""
    shift, count = len(drafts), len(tracebacks)
    drafts += [replace(draft, traceback=None if draft.traceback is None else draft.traceback + count) for draft in more]
    for tb in others:
        exception = None if tb.exception is None else tb.exception + shift
        tracebacks.append(replace(tb, frames=tuple(at + shift for at in tb.frames), exception=exception))


def _statements(lines: list[Line], heads: Heads) -> tuple[list[Draft], list[Traceback]]:
    reader = Statements(SPAN_LINES)
    for line in lines:
        rest, outer = heads.take(line)
        for piece in _expand(rest):
            reader.feed(_under(piece, outer) if outer else piece)
    drafts, tracebacks = reader.close()
    at = 0
    while at < len(drafts):  # grows: what an escaped text says may be escaped once more
        draft = drafts[at]
        if (
            draft.place in (Place.MESSAGE, Place.EXCEPTION)
            and draft.repairs.count("unescaped") < _DEEPEST
            and _has_escapes(draft.strand.text)
        ):
            _add(drafts, tracebacks, *_inner(draft))
        at += 1
    return drafts, tracebacks


_DEEPEST = 4  # JSON in JSON in a container's JSON has three layers
_ESCAPES = expression(r"\\(?:n|t|r|\"|'|u[0-9a-fA-F]{4})|\\\\")


def _has_escapes(text: str) -> bool:
    return "\\" in text and _ESCAPES.search(text) is not None


def _inner(draft: Draft) -> tuple[list[Draft], list[Traceback]]:
    """What an escaped text says when it is read as a log of its own."""
    reader = Statements(SPAN_LINES)
    for piece in unescape(draft.strand):
        line = Line(piece, piece, draft.line, repairs=(*draft.repairs, "unescaped"))
        for part in _expand(line, json=False):
            if not part.prefix.process:
                outer = Prefix(process=draft.process, container=draft.container, rank=draft.rank, level=draft.severity)
                part = _under(part, outer)
            reader.feed(part)
    return reader.close()


# Two writers shared a line, or a copy lost the line ends: a process tag or a whole vLLM prefix in mid-line begins another line.
_MIDLINE = expression(
    r"(?<=\S)[ \t]*(?=\([A-Za-z]\w{0,60} pid=\d+(?:, ip=[\w.:]+)?\) |\[rank\d+\]:)|(?<=[^\s)\]])[ \t]+(?=(?:ERROR|WARNING"
    r"|INFO) \d\d-\d\d \d\d:\d\d:\d\d \[?\w)"
)
_MIDLINE_MARKS = (" pid=", "[rank", "ERROR ", "WARNING ", "INFO ")
_ONE_LINE = expression(r"(?<=\S)[ \t]+(?=File \"[^\"\n]{1,300}\", line \d+)|(?<=[^\s─━═])[ \t]+(?=Traceback \(most recent call last\))")
_ENDS = expression(r"(?<![ \t])[ \t]+(?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): )")
_FRAME_AT = expression(r"\s*File \"[^\"\n]{1,300}\", line \d+")


def _expand(line: Line, json: bool = True) -> list[Line]:
    """The peeled lines inside one line: JSON values, two writers' texts, a traceback without its line ends."""
    if json:
        values = _values(line)
        if values is not None:
            return values
    peeled = peel(line)
    if "\\n" in peeled.text:  # its line ends are escaped: it is cut where it is unescaped
        return [peeled]
    if any(mark in peeled.text for mark in _MIDLINE_MARKS):
        pieces = _cut(peeled, _MIDLINE)
        if len(pieces) > 1:
            return [pieces[0], *(part for piece in pieces[1:] for part in _expand(replace(piece, prefix=line.prefix), json))]
    if ('File "' in peeled.text or "Traceback" in peeled.text) and _ONE_LINE.search(peeled.text, 1):
        return _one_line(peeled)
    return [peeled]


def _values(line: Line) -> list[Line] | None:
    """The texts inside a line that, prefixes apart, is a JSON object."""
    at = line.text.find("{")
    if at < 0 or not line.text.endswith(("}", "} ")):
        return None
    outer = peel(replace(line, strand=line.strand.cut(0, at)))
    if outer.text.strip():
        return None
    values = json_lines(replace(line, strand=line.strand.cut(at)), unescape)
    if values is None:
        return None
    inner = [(value, part) for value in values for part in _expand(value, json=value.text.startswith("{"))]
    return [_under(_under(part, value.prefix), outer.prefix) for value, part in inner]


# Grafana, CloudWatch and Kibana export logs as CSV: each line a record, its quotes doubled.
_RECORD = expression(r'(?:[^",\n]{0,200},)*"(?:[^"\n]|"")*"(?:,(?:"(?:[^"\n]|"")*"|[^",\n]{0,200}))*$')
_FIELD = expression(r'(?:^|,)"((?:[^"\n]|"")*)"(?=,|$)')
_DOUBLED = expression('""')
_LONGEST_RECORD = 20_000  # characters; where quotes stand in a longer one is not tried out
_WHEN = expression(r"[0-9:.TZ /+-]{1,40}$")


def _field(strand: Strand) -> Strand | None:
    """The text in quotes of a line that is a record of several fields: the longest that is no time, rather no labels in JSON."""
    text = strand.text
    if ('",' not in text and ',"' not in text) or len(text) > _LONGEST_RECORD or not _RECORD.match(text):
        return None
    rank = lambda match: (not _WHEN.match(match.group(1)), not match.group(1).startswith("{"), len(match.group(1)))  # noqa: E731
    field = strand.cut(*max(_FIELD.finditer(text), key=rank).span(1))
    return field.splice((match.start(), match.end(), '"') for match in _DOUBLED.finditer(field.text))


def _under(line: Line, outer: Prefix) -> Line:
    """The line with what the prefix around it tells besides its own."""
    own = line.prefix
    prefix = replace(
        own,
        process=own.process or outer.process,
        container=own.container or outer.container,
        level=own.level or outer.level,
        rank=outer.rank if own.rank is None else own.rank,
        names=own.names or outer.names,
    )
    return replace(line, prefix=prefix)


def _cut(line: Line, pattern: re.Pattern[str]) -> list[Line]:
    """The line cut at each match of a pattern of blanks."""
    out, at = [], 0
    for match in pattern.finditer(line.text):
        if match.start() > at:
            piece = line.strand.cut(at, match.start())
            out.append(replace(line, strand=piece, whole=piece))
        at = match.end()
    if not out:
        return [line]
    piece = line.strand.cut(at)
    return [*out, replace(line, strand=piece, whole=piece)]


def _one_line(line: Line) -> list[Line]:
    pieces = _cut(line, _ONE_LINE)
    out: list[Line] = []
    for piece in pieces:
        ends = _cut(piece, _ENDS) if _FRAME_AT.match(piece.text) else [piece]
        out.extend(replace(part, repairs=(*part.repairs, "one line")) for part in ends)
    return out


# --- messages ---------------------------------------------------------------------------------------------------------------------


_FENCE = expression(r"[> \t]{0,20}(?:`{3,}|~{3,})[\w-]{0,20}[ \t]*$")  # of a block in Markdown: what stands in another one is another text


def _finish(
    drafts: list[Draft], tracebacks: Sequence[Traceback], fences: Sequence[int]
) -> tuple[tuple[Message, ...], tuple[Traceback, ...]]:
    """Drafts in the order of the log, with their status, run, episode and readings."""
    order = sorted(range(len(drafts)), key=lambda at: (drafts[at].strand.raws[0], len(drafts[at].repairs), at))
    place_of = {old: new for new, old in enumerate(order)}
    ordered = [drafts[old] for old in order]
    innermost = {place_of[at] for tb in tracebacks for at in _innermost(drafts, tb)}
    states = assign(ordered, fences)
    messages = tuple(_message(draft, at, at in innermost, *states[at]) for at, draft in enumerate(ordered))
    moved = tuple(
        replace(tb, frames=tuple(place_of[at] for at in tb.frames), exception=None if tb.exception is None else place_of[tb.exception])
        for tb in tracebacks
    )
    return messages, moved


def _innermost(drafts: Sequence[Draft], tb: Traceback) -> list[int]:
    """The last frame of a traceback and the source lines quoted under it."""
    if not tb.frames:
        return []
    last = tb.frames[-1]
    out = [last]
    for at in range(last + 1, min(last + 60, len(drafts))):  # other processes' lines may stand between
        if drafts[at].traceback == drafts[last].traceback:
            if drafts[at].place is not Place.SOURCE:
                break
            out.append(at)
    return out


def _message(draft: Draft, index: int, innermost: bool, status: MessageStatus, run: int, episode: int) -> Message:
    others: list[tuple[str, Strand]] = []
    for strand in (draft.strand, *draft.blocks):
        if strand is not draft.strand:
            others.append(("", strand))
        others.extend(readings(strand))
    if len(draft.pieces) > 1:
        if draft.place is Place.EXCEPTION:
            others.append(("", draft.pieces[0]))
        for name, strand in spread(draft.pieces):
            others.append((name, strand))
            others.extend((f"{name}+{more}", repaired) for more, repaired in readings(strand))
    if draft.whole is not None and draft.whole.text.strip() != draft.strand.text.strip():
        others.append(("", draft.whole))
    return Message(  # by place: a large log makes a thousand of them
        draft.strand,
        draft.place,
        status,
        draft.line,
        draft.end_line,
        index,
        draft.process,
        draft.rank,
        draft.severity,
        run,
        episode,
        draft.traceback,
        innermost,
        tuple(dict.fromkeys(draft.repairs)),
        tuple(others),
    )
