"""A card in a platform's markup, within its limit: what comes first and last is always there, between them what fits."""

from collections.abc import Sequence
from dataclasses import dataclass

from .budget import Fitted, fit
from .content import Card
from .dialect import Dialect, joined

__all__ = ["Layout", "lay_out"]

_SUBTITLE = 300  # characters


@dataclass(frozen=True, slots=True)
class Layout:
    """`subtitle` and `last` may be empty; `article` is the rest of the article as far as there was room."""

    subtitle: str
    sections: tuple[Fitted, ...]
    article: tuple[Fitted, ...]
    last: str

    def texts(self, dialect: Dialect, under: str = "\n") -> list[str]:
        """Subtitle, sections, last line; `under` stands between a heading and its text."""
        return [text for text in (self.subtitle, *texts(self.sections, dialect, under), self.last) if text]


def texts(sections: Sequence[Fitted], dialect: Dialect, under: str = "\n") -> list[str]:
    """One text a section."""
    return [(section.heading + under if section.heading else "") + joined(section.blocks, dialect) for section in sections]


def lay_out(card: Card, dialect: Dialect, limit: int, *, article: bool = False) -> Layout:
    """The card within `limit`, the gaps between its texts counted; `article` takes the rest of the article where it fits."""
    subtitle, footer, note = map(dialect.inline, (card.subtitle, card.footer, card.cut))
    if dialect.size(subtitle) > _SUBTITLE:
        subtitle = ""
    limit -= sum(map(dialect.size, (subtitle, footer, note, " · "))) + 4 * dialect.size(dialect.gap)
    sections = fit(card.sections, dialect, limit)
    rest = fit(card.article, dialect, sections.left) if article else fit((), dialect, 0)
    cut = sections.cut or rest.cut
    return Layout(subtitle, sections.sections, rest.sections, " · ".join(filter(None, (footer, note if cut else ""))))
