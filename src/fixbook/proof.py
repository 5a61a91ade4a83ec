"""The line that proves a finding, cut to what can be shown, with the matched part marked."""

from .escape import excerpt, visible
from .expressions import expression
from .report import Hit
from .terminal import cells, chop
from .value import Value

__all__ = ["Row", "proof_rows", "underlined"]

_MAX_ROWS = 5
# Ray and vLLM colour the tags before their lines. A colour proves nothing, and written as an escape it hides what does.
_COLOUR = expression(r"\x1b\[[0-9;]{0,30}m")


class Row(Value):
    """One line of a proof, safe to show; the match stands in `text[start:end]` (nothing is marked when they are equal)."""

    text: str
    start: int
    end: int


def proof_rows(hit: Hit, limit: int = 400) -> tuple[Row, ...]:
    """The raw line of the hit and, where the match goes on over more lines, those; at most `limit` characters a row,
    without its colours.

    Where a repair made the text that matched, the raw line does not hold it: then the line stands unmarked and the match below it.
    """
    first, *more = hit.matched.split("\n")
    line = _COLOUR.sub("", hit.text)
    start = _find(line, first, len(_COLOUR.sub("", hit.text[: hit.column - 1])))
    if start < 0:
        rows = [Row(excerpt(line, 0, 0, limit)[0], 0, 0), *(_whole(part, limit) for part in (first, *more))]
    else:
        rows = [Row(*excerpt(line, start, start + len(first), limit)), *(_whole(part, limit) for part in more)]
    return tuple(row for row in rows[:_MAX_ROWS] if row.text.strip())


def _find(line: str, part: str, column: int) -> int:
    """Where `part` stands in `line`: at `column` if it does, else its first place; -1 when it is not there."""
    return column if line.startswith(part, max(column, 0)) else line.find(part)


def _whole(part: str, limit: int) -> Row:
    text = excerpt(part, 0, len(part), limit)[0]
    return Row(text, len(text) - len(text.lstrip()), len(text))


def underlined(rows: tuple[Row, ...], width: int) -> list[str]:
    """The rows cut to `width` columns, each with `^^^` below its matched part; no marks where they would run under everything."""
    marks = any(row.start or row.end < len(row.text) for row in rows)
    lines: list[str] = []
    for row in rows:
        at = 0
        for piece in chop(row.text, width):
            lines.append(piece)
            start, end = max(row.start - at, 0), min(row.end - at, len(piece))
            if marks and start < end:
                lines.append(" " * cells(piece[:start]) + "^" * cells(piece[start:end]))
            at += len(piece)
    return lines


def plain(rows: tuple[Row, ...]) -> str:
    """The rows as they stand, without marks."""
    return visible("\n".join(row.text for row in rows))
