"""The two lists of a book as forms: components.yaml and glossary.yaml."""

from typing import Any

from .entry_parts import PACKAGE_NAME, bilingual
from .form import Items, Keyed, May, Must, Shape, Values, Words
from .model import Component, Term
from .reading import Reading
from .yaml_reader import Node

__all__ = ["COMPONENTS", "GLOSSARY"]

_NAME = Must("name", bilingual(), "what the software is called")
_PACKAGES = May("packages", Items(PACKAGE_NAME), "packages whose versions matter", ())
_URL: May[str | None] = May(
    "url", Words(r"^https://\S+$", "an https address", "https://github.com/owner/name"), "where the software is at home", None
)
_LINE = Shape((_NAME, _PACKAGES, _URL), lambda values, _: Component("", values[_NAME], values[_PACKAGES], values[_URL]))

_EN = Must("en", Words(), "the English term")
_ZH = Must("zh", Words(), "the one Chinese word for it")
_AVOID = May("avoid", Items(Words()), "Chinese words that are not used for it", ())


def _term(values: Values, reading: Reading) -> Term:
    for word in values[_AVOID]:
        if word in values[_ZH]:
            what = f"`{word}` is part of the right word `{values[_ZH]}`"
            raise reading.refuse(values.node.at("avoid"), "avoid", what, "give a word that the right one does not contain")
    return Term(values[_EN], values[_ZH], values[_AVOID])


class _Components:
    """A mapping from the component's folder to what it is."""

    _lines = Keyed(_LINE, r"^[a-z0-9]+(?:[._-][a-z0-9]+)*$", "the name of a folder in lower case", "flash-attn")

    def read(self, node: Node, reading: Reading) -> tuple[Component, ...]:
        lines = self._lines.read(node, reading)
        return tuple(Component(name, line.name, line.packages, line.url) for name, line in lines.items())

    def schema(self) -> dict[str, Any]:
        return self._lines.schema()


COMPONENTS = _Components()
GLOSSARY: Items[Term] = Items(Shape((_EN, _ZH, _AVOID), _term))
