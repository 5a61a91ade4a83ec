"""Forms: what a value in a file of the book may be. The loader reads by them, and the JSON Schema is written from them."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from .reading import KINDS, Reading, RefusedError, did_you_mean, listed
from .yaml_reader import Node

__all__ = [
    "Flag",
    "Form",
    "Items",
    "Key",
    "Keyed",
    "May",
    "Must",
    "OneOf",
    "Scalar",
    "Shape",
    "Values",
    "Words",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=StrEnum)

_FEW = 10  # names that can be listed in one line


class Form(Protocol[T_co]):
    """A kind of value."""

    def read(self, node: Node, reading: Reading) -> T_co:
        """The value of `node`; raises RefusedError when there is none, its problems being written down."""
        ...

    def schema(self) -> dict[str, Any]:
        """The same kind of value in JSON Schema, draft-07."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """Text, not empty, without blanks at its ends.

    `like` is what it has to match, `says` how a person calls that, `example` one that is right; `limit` counts characters, 0 is no limit.
    """

    like: str = ""
    says: str = "text"
    example: str = ""
    limit: int = 0

    def read(self, node: Node, reading: Reading) -> str:
        if node.kind != "text":
            raise reading.wrong_type(node, self.says, self._remedy() if node.kind != "flag" else f"quote it: '{node.text}'")
        text = node.text.strip()
        if not text:
            raise reading.refuse(node.where, "empty-text", "the text is empty", f"write {self.says}, or leave the key out")
        if self.like and not re.search(self.like, text):
            raise reading.refuse(node.where, "wrong-form", f"`{text}` is not {self.says}", self._remedy())
        if self.limit and len(text) > self.limit:
            what = f"{len(text)} characters, {self.limit} are allowed"
            raise reading.refuse(node.where, "too-long", what, "say it in fewer words; the details belong to the sections")
        return text

    def _remedy(self) -> str:
        return f"write it like `{self.example}`" if self.example else f"write {self.says}"

    def schema(self) -> dict[str, Any]:
        # Editors read `0.10` and `12` as numbers, the loader as text.
        made: dict[str, Any] = {"type": ["string", "number"], "minLength": 1}
        if self.like:
            made["pattern"] = self.like
        if self.limit:
            made["maxLength"] = self.limit
        return made


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as text, flags included: what a condition compares a fact with."""

    def read(self, node: Node, reading: Reading) -> str:
        if node.kind not in ("text", "flag") or not node.text.strip():
            raise reading.wrong_type(node, "a single value", "write the value; what a log does not state cannot be asked for")
        return node.text.strip()

    def schema(self) -> dict[str, Any]:
        return {"type": ["string", "number", "boolean"]}


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    def read(self, node: Node, reading: Reading) -> bool:
        if node.kind != "flag":
            raise reading.wrong_type(node, "true or false", "write `true` or `false`; `yes` and `on` are text")
        return node.text == "true"

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class OneOf(Generic[E]):
    """A member of an enumeration, by its value."""

    members: type[E]

    def read(self, node: Node, reading: Reading) -> E:
        values = [member.value for member in self.members]
        if node.kind != "text" or node.text not in values:
            given = f"`{node.text}`" if node.text else KINDS[node.kind]
            remedy = did_you_mean(node.text, values) or f"write one of {listed(values)}"
            raise reading.refuse(node.where, "unknown-value", f"{given} is none of {listed(values)}", remedy)
        return self.members(node.text)

    def schema(self) -> dict[str, Any]:
        return {"enum": [member.value for member in self.members]}


@dataclass(frozen=True, slots=True)
class Items(Generic[T]):
    """A list of values of one form. `alone`: a single value may stand for a list of one."""

    form: Form[T]
    least: int = 1
    alone: bool = False

    def read(self, node: Node, reading: Reading) -> tuple[T, ...]:
        if node.kind != "list":
            if not self.alone:
                raise reading.wrong_type(node, "a list", "begin each item with `- `")
            return (self.form.read(node, reading),)
        if len(node.items) < self.least:
            raise reading.refuse(node.where, "empty-list", "the list is empty", "fill it, or leave the key out")
        return _read_all(self.form, node.items, reading)

    def schema(self) -> dict[str, Any]:
        item = self.form.schema()
        many: dict[str, Any] = {"type": "array", "items": item, "minItems": self.least}
        return {"anyOf": [item, many]} if self.alone else many


@dataclass(frozen=True, slots=True)
class Keyed(Generic[T]):
    """A mapping whose keys are the author's own words: `like` says which, `says` how a person calls them, `example` is one."""

    form: Form[T]
    like: str
    says: str
    example: str

    def read(self, node: Node, reading: Reading) -> Mapping[str, T]:
        if node.kind != "mapping":
            raise reading.wrong_type(node, "a mapping", f"write `{self.example}: …`")
        odd = [(name, child.where) for name, child in node.fields.items() if not re.search(self.like, name)]
        for name, where in odd:
            reading.report(where, "wrong-form", f"`{name}` is not {self.says}", f"write it like `{self.example}`")
        values = _read_all(self.form, tuple(node.fields.values()), reading)
        if odd:
            raise RefusedError
        return dict(zip(node.fields, values, strict=True))

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "patternProperties": {self.like: self.form.schema()}, "additionalProperties": False, "minProperties": 1}


@dataclass(frozen=True, slots=True)
class Key(Generic[T]):
    """One key of a mapping: its form, and the sentence that an editor shows on it."""

    name: str
    form: Form[T]
    doc: str


@dataclass(frozen=True, slots=True)
class Must(Key[T]):
    """A key that has to be there."""


@dataclass(frozen=True, slots=True)
class May(Key[T]):
    """A key that may be left out, and what its absence means."""

    default: T


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one mapping, by their keys."""

    node: Node
    _read: Mapping[str, Any]

    def __getitem__(self, key: Key[T]) -> T:
        value: T = self._read[key.name]
        return value


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """A mapping with known keys, and the value that is made of it."""

    keys: Sequence[Key[Any]]
    make: Callable[[Values, Reading], T]

    def read(self, node: Node, reading: Reading) -> T:
        if node.kind != "mapping":
            raise reading.wrong_type(node, "a mapping", f"write `key: value`; {self._known()}")
        fine = self._knows_all(node, reading)
        found: dict[str, Any] = {}
        for key in self.keys:
            try:
                found[key.name] = _value(key, node, reading)
            except RefusedError:
                fine = False
        if not fine:
            raise RefusedError
        return self.make(Values(node, found), reading)

    def _knows_all(self, node: Node, reading: Reading) -> bool:
        names = [key.name for key in self.keys]
        unknown = [(name, child) for name, child in node.fields.items() if name not in names]
        for name, child in unknown:
            free = [other for other in names if other not in node.fields]
            remedy = did_you_mean(name, free) or self._known()
            if child.kind == "null":
                remedy += "; if it is part of the text before it, quote that text: in `{…}` a comma ends a value"
            reading.report(child.where, "unknown-key", f"there is no key `{name}`", remedy)
        return not unknown

    def _known(self) -> str:
        names = [key.name for key in self.keys]
        return f"the keys here are {listed(names)}" if len(names) <= _FEW else "docs/entry-format.md lists the keys"

    def schema(self) -> dict[str, Any]:
        made = {key.name: {**key.form.schema(), "description": key.doc} for key in self.keys}
        must = [key.name for key in self.keys if isinstance(key, Must)]
        shape: dict[str, Any] = {"type": "object", "properties": made, "additionalProperties": False}
        return {**shape, "required": must} if must else shape


def _value(key: Key[T], node: Node, reading: Reading) -> T:
    child = node.fields.get(key.name)
    if child is not None:
        return key.form.read(child, reading)
    if isinstance(key, May):
        default: T = key.default
        return default
    raise reading.refuse(node.at(key.name), "missing-key", f"`{key.name}` is missing", f"add it: {key.doc}")


def _read_all(form: Form[T], nodes: Sequence[Node], reading: Reading) -> tuple[T, ...]:
    """Every value, or RefusedError after every problem has been found."""
    values: list[T] = []
    for node in nodes:
        with suppress(RefusedError):
            values.append(form.read(node, reading))
    if len(values) < len(nodes):
        raise RefusedError
    return tuple(values)
