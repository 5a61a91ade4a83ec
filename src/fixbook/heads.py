"""What a tool put before every line, and no row of the table knows: it is learned from the tracebacks of the log itself.

`stern`, `pdsh`, `grep -n`, a logger with a format of its own: there are more than a table can hold. But a line of a traceback tells where
text begins: what stands before an indented frame and, the same but for its digits, before other lines is no text of the program.

heads = learn(lines)
line, told = heads.take(line)
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .expressions import expression
from .peel import Line, Prefix, peel
from .prefixes import LEVEL_WORD, LEVELS
from .strand import Strand
from .value import Value, replace

__all__ = ["Heads", "learn"]

_LONGEST = 160  # characters of a head
_MOST = 32  # heads that one log may have: as many hosts or pods
_HEADER = "Traceback (most recent call last)"
_FRAME = '  File "'
_NUMBER = expression(r"[0-9]+")
# What says when, not who: a clock, seconds since 1970.
_WHEN = expression(r"[0-9]:[0-9][0-9]|[0-9]{9}")
_LEVEL = expression(r"(?<![A-Za-z])(?:" + LEVEL_WORD + r")(?![A-Za-z])", re.IGNORECASE)
# A text of the program: the head of a traceback that stands in another one, code, a message in quotes.
_TEXT = expression(r"Traceback|File \"|[\"'`{(=]$|\\n")
_BORDERS = " \t:|])>"
_EDGES = " \t:|-›,;>"


class Heads(Value):
    """The heads of one log: for each form the pattern, and the names of those that wrote under it."""

    patterns: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = ()

    def take(self, line: Line) -> tuple[Line, Prefix | None]:
        """The line without its head and what stood before that, and what they told; the line itself and None where it has none."""
        if not self.patterns or not line.text:
            return line, None
        peeled = peel(line)
        for pattern, names in self.patterns:
            match = pattern.match(peeled.text)
            if match:
                rest = peeled.strand.cut(match.end())
                return replace(line, strand=rest, prefix=Prefix()), _told(peeled.prefix, match.group(), names)
        return line, None


def learn(lines: Sequence[Line]) -> Heads:
    """The heads of a log: each stands before a frame and before at least one more line."""
    forms: set[str] = set()
    for line in lines:
        if _FRAME in line.text and len(forms) < _MOST:
            head = _head(line)
            if head:
                forms.add(_form(head))
    if not forms:
        return Heads()
    texts = [peel(line).text for line in lines]
    made = (_known(form, texts) for form in sorted(forms, key=lambda form: (-len(form), form)))
    return Heads(tuple(known for known in made if known))


def _head(line: Line) -> str:
    """What stands between the known prefixes of a line and the frame that begins there; "" for nothing, or for a text."""
    text = peel(line).text
    at = text.find(_FRAME)
    if at > _LONGEST or not text[: max(at, 0)].strip() or _TEXT.search(text[:at].rstrip()):
        return ""
    head = text[:at]
    return next((head[:end] for end in _borders(head) if _is_known(head[end:])), head)


def _borders(head: str) -> Iterator[int]:
    """The places at which a prefix of the table may begin, the first ones first."""
    return (at for at in range(1, len(head)) if head[at - 1] in _BORDERS and head[at] not in " \t")


def _is_known(text: str) -> bool:
    """Whether a text is nothing but prefixes of the table."""
    strand = Strand.of(text + _HEADER)
    return peel(Line(strand, strand, 0)).text == _HEADER


def _form(head: str) -> str:
    """A head whose numbers are 0: they may differ."""
    return _NUMBER.sub("0", head)


def _known(form: str, texts: Iterable[str]) -> tuple[re.Pattern[str], frozenset[str]] | None:
    """The pattern of a form, with its heads that are names; None where it has no second line."""
    pattern = re.compile("[0-9]+".join(map(re.escape, form.split("0"))))
    heads = Counter(match.group() for match in map(pattern.match, texts) if match)
    if heads.total() < 2:
        return None
    named = 2 * len(heads) <= heads.total() and not _WHEN.search(next(iter(heads)))
    return pattern, frozenset(heads if named else ())


def _told(prefix: Prefix, head: str, names: frozenset[str]) -> Prefix:
    """What the prefixes before a head told, with what the head tells."""
    level = _LEVEL.search(head)
    word = level.group().upper() if level else ""
    process = head.strip(_EDGES) if head in names and not level else ""
    return replace(
        prefix,
        process=" ".join(filter(None, (prefix.process, process))),
        level=prefix.level or LEVELS.get(word, word),
        names=(*prefix.names, "head"),
    )
