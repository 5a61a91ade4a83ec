"""Lines → statements: tracebacks with their frames and exceptions, one process beside the other.

A small machine for each process: it knows whether a traceback is open, whether an exception's text may go on, and which plain lines
belong together. It takes lines that are peeled and gives drafts of messages, in the order in which the log began them.
"""

import re

from .episodes import Draft
from .expressions import expression
from .model import Place
from .peel import Line
from .report import MessageStatus, Traceback
from .strand import Strand
from .value import replace

__all__ = ["Statements", "has_escaped_lines"]

_HEADER = expression(r"Traceback \(most recent call last\):?|Traceback \(innermost last\):?|^Stack trace:$")
# CPython's frame, also without its indentation, quotes of either kind, and with what follows it when line ends were lost.
_FRAME = expression(
    r"\s*(?:[│|]\s*)?File [\"'“‘](?P<path>[^\"'“”‘’\n]{1,400})[\"'”’],? line (?P<line>\d+)"  # forums make quotes typographic
    r"(?:, in (?P<func><?[\w.]+>?(?:\([^)\n]*\))?))?:?(?P<rest>.*)$"
)
# IPython and rich: `File ~/x.py:123, in LLM.__init__(self, model)`, `/x/y.py:123 in __init__`, `~/x.py in func(args)`
_FRAME_IPY = expression(
    r"\s*(?:File )?(?P<path>(?:[A-Za-z]:)?[~./\\<\w][^\n:*?\"|]{0,300}\.(?:py|pyx|pyi))(?::(?P<line>\d+))?,? in "
    r"(?P<func><?[\w.]+>?)(?:\([^\n]*\)?)?(?P<rest>)\s*$"
)
_CELL = expression(r"\s*(?P<path>Cell In\s?\[\d+\]|<ipython-input-[\w-]+>)(?:, line (?P<line>\d+)|.*? in (?P<func><?\w+>?).*)$")
_ARROW = expression(r"\s*(?:-{1,6}>|❱)\s*\d+\s|\s{0,8}\d{1,6} {1,40}\S.*$|\s*\d{1,6}\s*$")
_ARROW_HEAD = expression(r"\s*(?:-{1,6}>|❱)\s*\d+\s?|\s*\d{1,6} ")
_CARET = expression(r"\s*[~^]{2}[~^ ]*$|\s*\^\s*$")
_REPEATED = expression(r"\s*\[Previous line repeated \d+ more times?\]")
_SUFFIX = (
    "Error|Exception|Exit|Interrupt|Timeout|TimedOut|Failure|Fault|Iteration|NotFound|Unavailable|Denied|Abort|Expired|Conflict"
    "|Refused|ExceptionGroup"
)
_CLASS = (
    r"(?:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:"
    + _SUFFIX
    + (r")|(?:[a-z_]\w*\.){1,8}[A-Z]\w+|Exception|ExceptionGroup|BaseException|TimeoutError)")
)
_EXCEPTION = expression(
    r"\s*[`*]{0,3}(?P<class>" + _CLASS + (r")[`*]{0,3}(?:\([\w. ]+\))?(?:[ ]?(?:\[[\w ./:-]{1,60}\]))?(?P<end>:|：|\s*$)"), re.ASCII
)
_NOT_ERROR = expression(r"\s*(?:[\w.]*\.)?\w*Warning\b")
# Any class may end a traceback: `queue.Empty`, `Foo: bar`, `BadThing`.
_ANY_CLASS = expression(r"(?P<class>(?:[A-Za-z_]\w*\.){1,8}\w+|[A-Z]\w{2,120}|error|timeout)(?:\([\w. ]+\))?(?P<end>:\s|:?\s*$)", re.ASCII)
# What other languages and the system print when a program ends.
_FATAL = expression(
    r"\s*(?:terminate called (?:after|without)|what\(\): |libc\+\+abi: |thread '[^'\n]{0,80}' (?:\(\d+\) )?panicked at|panic: "
    r"|fatal error: "
    r"|Exception in thread \"[^\"\n]{0,80}\" [\w.$]+|Uncaught \w+|Fatal Python error: |\[?Segmentation fault|Segmentation fault"
    r"|Unhandled exception)"
)
_CHAIN = expression(r"\s*(?:The above exception was the direct cause of|During handling of the above exception)")
_MID = expression(r"(?<![\w.`'\"/])(?P<class>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(?P<open>: |：|\((?P<quote>['\"]))")
# `return self.fn(x)` and the like, printed without its indentation.
_CODE = expression(
    r"(?:return|raise|with|for|if|else|elif|try|except|finally|yield|await|assert|import|from|def|class|lambda|self)\b(?!:\s+\S+ \S+)"
)
_ESCAPED_END = expression(r"\\n(?=[\s(\[\\\"'A-Z<#>=+*`0-9-]|$)")  # not the `\n` of a path on Windows
_BOX = expression(r"\s*[╭╰┌└├╔╚+][─━═\-+┄╌ \w()./]*[╮╯┐┘┤╗╝+]\s*$|\s*```\w*\s*$|\s*[-=_*~]{6,}\s*$|\s*~{3,}\s*$")
_WORD = expression(r"\w")
# Text of a log writer rather than a line of code.
_SPEECH = expression(r"[A-Z][a-z]+ [a-z]")
_BACKSLASHES = expression(r"\\+")
_MOST_LINES = 60  # of one exception's text
_MOST_BLOCK = 24  # lines read together as one statement
_MOST_TOLD = 4  # an exception told in mid-line ends where the fourth after it begins, so that a line of nothing else is not read n times
_GAP = 200  # lines between two lines of one process that still belong to one traceback


class _Open:
    """What one process has begun and not ended."""

    def __init__(self) -> None:
        self.frames: list[int] = []
        self.traceback: int | None = None
        self.sources = 0  # source lines since the last frame
        self.exception: list[Line] = []
        self.owner = -1  # draft of the open exception
        self.blank = False
        self.block: list[int] = []
        self.last = 0  # number of the last line fed
        self.indent = 0  # of the last frame


class Statements:
    """Feed lines in order, then `close()`."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._drafts: list[Draft] = []
        self._tracebacks: list[Traceback] = []
        self._open: dict[str, _Open] = {}
        self._keyed = ""  # the process whose prefix was seen last
        self._tail: list[int] = []  # the last plain line with a process, and the lines without one right under it

    def feed(self, line: Line) -> None:
        key = self._key(line)
        state = self._open.setdefault(key, _Open())
        if state.traceback is not None and line.number - state.last > _GAP:
            self._end(state)
        state.last = line.number
        self._one(state, line)

    def close(self) -> tuple[list[Draft], list[Traceback]]:
        for state in self._open.values():
            self._end(state)
            self._end_block(state)
        return self._drafts, self._tracebacks

    # --- which process ---------------------------------------------------------------------------------------------------------

    def _key(self, line: Line) -> str:
        """The process of a line; a line that names none goes on with the traceback that the last named one left open."""
        key = line.prefix.process
        if key:
            self._keyed = key
            return key
        if self._keyed and not line.prefix.starts:
            state = self._open.get(self._keyed)
            own = self._open.get("")
            if (
                state
                and (state.traceback is not None or state.exception)
                and not (own and own.traceback is not None)
                and line.number - state.last <= 1
            ):
                return self._keyed
        return ""

    # --- one line --------------------------------------------------------------------------------------------------------------

    def _one(self, state: _Open, line: Line) -> None:
        text = line.text
        if not text.strip() or _BOX.match(text):
            self._blank(state)
            return
        header = _HEADER.search(text) if "Traceback" in text or text == "Stack trace:" else None
        if has_escaped_lines(text):
            self._plain(state, line)
        elif header and not text[: header.start()].rstrip().endswith(("'", '"', "`")):
            self._header(state, line, header)
        elif _CHAIN.match(text):
            self._end(state)
        elif not (self._frame(state, line) or self._inside(state, line) or self._exception(state, line) or self._grow(state, line)):
            self._plain(state, line)

    def _blank(self, state: _Open) -> None:
        state.blank = True
        self._end_block(state)

    def _header(self, state: _Open, line: Line, header: re.Match[str]) -> None:
        self._end(state)
        self._end_block(state)
        before = line.strand.cut(0, header.start())
        if _WORD.search(before.text) and not _EXCEPTION.match(before.text.strip()):
            self._plain(state, replace(line, strand=before, whole=before))
            self._end_block(state)
        self._begin(state, line)
        rest = line.strand.cut(header.end())
        if _WORD.search(rest.text):  # else the rule of a box
            self._one(state, replace(line, strand=rest, whole=rest))

    def _begin(self, state: _Open, line: Line) -> None:
        state.traceback = len(self._tracebacks)
        state.frames = []
        state.sources = 0
        self._tracebacks.append(Traceback((), None, line.number, line.prefix.process))

    def _frame(self, state: _Open, line: Line) -> bool:
        if "line " not in line.text and ".py" not in line.text and "ipython" not in line.text:
            return False
        match = _FRAME.match(line.text) or _FRAME_IPY.match(line.text) or _CELL.match(line.text)
        if match is None:
            return False
        if state.owner >= 0:
            self._end(state)
        if state.traceback is None:
            self._end_block(state)
            self._begin(state, line)
        strand = _canonical(line.strand, match)
        state.frames.append(self._add(line, strand, Place.FRAME, state.traceback))
        state.sources = 0
        state.indent = len(line.text) - len(line.text.lstrip())
        rest = match.groupdict().get("rest") or ""
        if rest.strip():
            piece = line.strand.cut(match.start("rest"))
            self._one(state, replace(line, strand=piece, whole=piece))
        return True

    def _inside(self, state: _Open, line: Line) -> bool:
        """A line between the frames of an open traceback, or its exception."""
        if state.traceback is None or state.owner >= 0:
            return False
        text = line.text
        if _CARET.match(text) or _REPEATED.match(text):
            return True
        indent = len(text) - len(text.lstrip())
        fresh = line.prefix.starts and not state.frames
        named = _EXCEPTION.match(text) or (_ANY_CLASS.match(text) and state.frames and not _CODE.match(text))
        if indent == 0 and not fresh and named:
            if _NOT_ERROR.match(text) and state.sources == 0:
                return False
            self._raise(state, line, MessageStatus.RAISED)
            return True
        if _FATAL.match(text):
            return False
        if _ARROW.match(text) and state.frames:
            self._source(state, line)
            return True
        if state.frames and state.sources < 12 and (indent > state.indent or (state.sources == 0 and not _EXCEPTION.match(text))):
            if indent <= state.indent and line.prefix.starts and not line.text.startswith(" ") and _SPEECH.match(text):
                return False
            self._source(state, line)
            return True
        return False

    def _source(self, state: _Open, line: Line) -> None:
        text = line.text
        arrow = _ARROW_HEAD.match(text)
        start = arrow.end() if arrow else 0
        start += len(text[start:]) - len(text[start:].lstrip())
        strand = line.strand.cut(start, len(text.rstrip()))
        self._add(line, strand, Place.SOURCE, state.traceback)
        state.sources += 1

    def _exception(self, state: _Open, line: Line) -> bool:
        text = line.text
        if _FATAL.match(text) or (_EXCEPTION.match(text) and not _NOT_ERROR.match(text)):
            if state.exception and _what(text) and not state.blank:
                return False
            indented = len(text) - len(text.lstrip()) >= 4
            if state.exception and indented and not line.prefix.starts:
                return False
            self._raise(state, line, MessageStatus.RAISED)
            return True
        return False

    def _raise(self, state: _Open, line: Line, status: MessageStatus) -> None:
        if state.exception:
            self._end(state)
        self._end_block(state)
        start = len(line.text) - len(line.text.lstrip(" \t`*"))
        strand = line.strand.cut(start)
        state.owner = self._add(line, strand, Place.EXCEPTION, state.traceback, status)
        state.exception = [replace(line, strand=strand)]
        state.blank = False
        if state.traceback is not None:
            tb = self._tracebacks[state.traceback]
            self._tracebacks[state.traceback] = replace(tb, frames=tuple(state.frames), exception=state.owner)
        self._nested(line, strand)

    def _goes_on(self, state: _Open, line: Line) -> bool:
        first = state.exception[0]
        if len(state.exception) >= _MOST_LINES or line.number - state.exception[-1].number > 3:
            return False
        if line.prefix.starts:
            return line.prefix.head == first.prefix.head and bool(line.prefix.process == first.prefix.process)
        if first.prefix.process and not line.prefix.process:  # the second half of a wrapped line lost its prefix
            return not state.blank and line.number == state.exception[-1].number + 1
        if not line.prefix.process and self._right_under(line):
            return False  # it stands right under a line of another process
        return not state.blank or line.text.startswith((" ", "\t"))

    def _grow(self, state: _Open, line: Line) -> bool:
        """Add the line to the open exception where it is more of its text."""
        if not state.exception or not self._goes_on(state, line):
            return False
        state.exception.append(line)
        pieces = tuple(each.strand for each in state.exception)
        draft = self._drafts[state.owner]
        repairs = draft.repairs + tuple(name for name in line.repairs if name not in draft.repairs)
        self._drafts[state.owner] = replace(draft, strand=Strand.join(pieces, "\n"), pieces=pieces, end_line=line.number, repairs=repairs)
        self._nested(line, line.strand)
        return True

    def _plain(self, state: _Open, line: Line) -> None:
        if state.exception:
            self._end(state)
        if line.prefix.starts or state.blank or len(state.block) >= _MOST_BLOCK:
            self._end_block(state)
        state.blank = False
        at = self._add(line, line.strand, Place.MESSAGE, None, MessageStatus.RAISED)
        state.block.append(at)
        self._hang(line, at)
        self._nested(line, line.strand)

    def _right_under(self, line: Line) -> bool:
        """Whether the line before this one was a plain line of some process."""
        return bool(self._tail) and self._drafts[self._tail[-1]].line == line.number - 1 and self._drafts[self._tail[0]].process != ""

    def _hang(self, line: Line, at: int) -> None:
        """A wrapped line lost its prefix on the second half: what stands right under a line of a process may be more of it."""
        if line.prefix.process or line.prefix.starts:
            self._tail = [at]
            return
        if not self._tail or self._drafts[self._tail[-1]].line != line.number - 1 or len(self._tail) > 6:
            self._tail = []
            return
        self._tail.append(at)
        head = self._drafts[self._tail[0]]
        if head.process and not head.blocks:
            pieces = tuple(self._drafts[each].strand for each in self._tail)
            self._drafts[self._tail[0]] = replace(head, pieces=pieces)

    def _nested(self, line: Line, strand: Strand) -> None:
        """An exception told in the middle of a line: after a colon, or as the repr of the object."""
        if "Error" not in strand.text and "Exception" not in strand.text:
            return
        matches = list(_MID.finditer(strand.text))
        ends = [*(match.start() for match in matches[_MOST_TOLD:]), *[len(strand)] * _MOST_TOLD]
        for match, end in zip(matches, ends, strict=False):
            if match.start() == 0 and not match.group("quote"):
                continue  # the line itself
            repairs = line.repairs
            told = strand.cut(match.start(), end)
            if match.group("quote"):
                told, repairs = _from_repr(strand, match, end), (*repairs, "repr")
            self._add(replace(line, repairs=repairs), told, Place.EXCEPTION, None, MessageStatus.REPORTED)

    # --- bookkeeping -----------------------------------------------------------------------------------------------------------

    def _add(self, line: Line, strand: Strand, place: Place, traceback: int | None, status: MessageStatus = MessageStatus.RAISED) -> int:
        prefix = line.prefix
        whole = line.whole if place in (Place.MESSAGE, Place.EXCEPTION) and strand is line.strand and prefix.names else None
        self._drafts.append(
            Draft(  # every field, in order: a large log makes a thousand of them
                strand=strand,
                whole=whole,
                context=line.whole,
                place=place,
                status=status,
                line=line.number,
                end_line=line.number,
                process=prefix.process,
                container=prefix.container,
                rank=prefix.rank,
                severity=prefix.level,
                bullet=prefix.bullet,
                traceback=traceback,
                repairs=line.repairs,
                pieces=(strand,),
                blocks=(),
            )
        )
        return len(self._drafts) - 1

    def _end(self, state: _Open) -> None:
        """Close the traceback and the exception."""
        if state.traceback is not None and state.frames:
            tb = self._tracebacks[state.traceback]
            self._tracebacks[state.traceback] = replace(tb, frames=tuple(state.frames))
        state.traceback = None
        state.frames = []
        state.exception = []
        state.owner = -1

    def _end_block(self, state: _Open) -> None:
        """Lines that stand together may be one statement: the first of them is also read with the others."""
        if len(state.block) > 1:
            first = self._drafts[state.block[0]]
            pieces = tuple(self._drafts[at].strand for at in state.block)
            self._drafts[state.block[0]] = replace(first, blocks=(Strand.join(pieces, "\n"),), pieces=pieces)
        state.block = []


def has_escaped_lines(text: str) -> bool:
    """Whether a text is several lines in one: they are read where they are unescaped."""
    return "\\n" in text and _ESCAPED_END.search(text) is not None


def _canonical(strand: Strand, match: re.Match[str]) -> Strand:
    """`/path/to/file.py:123 in function`, whichever way the frame was printed."""
    groups = match.groupdict()
    path = strand.cut(*match.span("path"))
    text = _BACKSLASHES.sub("/", path.text) if "\\" in path.text else path.text
    path = Strand(text, path.starts, path.raws) if len(text) == len(path.text) else Strand(text, (0,), (path.raws[0],))
    pieces = [path]
    if groups.get("line"):
        number = strand.cut(*match.span("line"))
        pieces += [Strand(":", (0,), (number.raws[0],)), number]
    if groups.get("func"):
        func = strand.cut(*match.span("func"))
        pieces += [Strand(" in ", (0,), (func.raws[0],)), func]
    return Strand.join(pieces)


def _from_repr(strand: Strand, match: re.Match[str], most: int) -> Strand:
    """`ValueError('text')` as `ValueError: text`; it ends before `most`."""
    quote = match.group("quote")
    start = match.end()
    end = strand.text.find(quote + ")", start, most)
    if end < 0:
        end = strand.text.find(quote + ",", start, most)
    if end < 0:
        end = most
    name = strand.cut(match.start("class"), match.end("class"))
    return Strand.join([name, Strand(": ", (0,), (name.raw(len(name)),)), strand.cut(start, end)])


def _what(text: str) -> bool:
    return text.lstrip().startswith("what():")
