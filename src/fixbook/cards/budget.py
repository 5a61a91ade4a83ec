"""What of a card fits: whole blocks, the important sections first, shown in the order of the card."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .dialect import Dialect
from .tree import Block, Span, cut_spans, plain

__all__ = ["Fit", "Fitted", "Section", "fit"]

_COMMANDS = frozenset({"bash", "sh", "shell", "console", "zsh"})
_SHORTEST = 20  # characters of a cut paragraph that are still worth reading


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading. Where not all fit, a section with a smaller `keep` stays first."""

    keep: int
    blocks: tuple[Block, ...]
    heading: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitted:
    """A section as far as it fits: its heading and blocks in the platform's markup."""

    heading: str
    blocks: tuple[tuple[Block, str], ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """What fits of several sections, whether anything had to be left out, and what is left of the limit."""

    sections: tuple[Fitted, ...]
    cut: bool
    left: int


def fit(sections: Sequence[Section], dialect: Dialect, limit: int) -> Fit:
    """The sections that fit into `limit`, gaps and headings counted."""
    kept: dict[int, Fitted] = {}
    cut = False
    for at in sorted(range(len(sections)), key=lambda at: (sections[at].keep, at)):
        fitted, used, whole = _section(sections[at], dialect, limit)
        if fitted.blocks:
            kept[at] = fitted
            limit -= used
        cut = cut or not whole
    return Fit(tuple(kept[at] for at in sorted(kept)), cut, limit)


def _section(section: Section, dialect: Dialect, limit: int) -> tuple[Fitted, int, bool]:
    gap = max(map(dialect.size, (dialect.gap, dialect.line_break())))
    heading = dialect.heading(section.heading) if section.heading else ""
    used = dialect.size(heading) + gap if heading else 0
    out: list[tuple[Block, str]] = []
    whole = True
    for block in section.blocks:
        room = limit - used - gap
        text = dialect.block(block)
        if dialect.size(text) > min(room, dialect.longest):
            whole = False
            text = _shortened(block, dialect, min(room, dialect.longest))
            if not text:
                break
        out.append((block, text))
        used += dialect.size(text) + gap
    return Fitted(heading, tuple(out)), used if out else 0, whole


def _shortened(block: Block, dialect: Dialect, limit: int) -> str:
    """As much of the block as fits; "" when that is nothing. A command is left out rather than cut: half of it is another command."""
    if block.code is not None and block.language in _COMMANDS:
        return ""
    length = _words(block)
    low, high = 0, length
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if dialect.size(dialect.block(_first(block, middle))) <= limit else (low, middle - 1)
    return dialect.block(_first(block, low)) if low >= min(_SHORTEST, length) and low else ""


def _words(block: Block) -> int:
    return len(plain(block.spans)) if block.code is None else len(block.code)


def _first(block: Block, length: int) -> Block:
    """The block with the first `length` characters; code is cut at the end of a line where it has several."""
    if block.code is None:
        return replace(block, spans=cut_spans(block.spans, length))
    if length >= len(block.code):
        return block
    code = block.code[:length]
    lines = code.rpartition("\n")[0]
    return replace(block, code=f"{lines}\n…" if lines else f"{code}…")
