"""YAML files as trees of nodes that know their place: a strict part of YAML 1.2 in which a scalar stays what its author typed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import Problem, Where

__all__ = ["Node", "NodeKind", "parse"]

NodeKind = Literal["text", "flag", "null", "list", "mapping"]

_FLAGS = {"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false"}
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_CORE_TAGS = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map", None})


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document. `text` is set for text and flags, `items` for lists, `fields` for mappings."""

    kind: NodeKind
    where: Where
    text: str = ""
    items: tuple["Node", ...] = ()
    fields: Mapping[str, "Node"] = field(default_factory=dict)

    def at(self, name: str) -> Where:
        """The place of a key of this mapping; the mapping's own line where the key is missing."""
        found = self.fields.get(name)
        return found.where if found else Where(self.where.file, self.where.line, _dotted(self.where.field, name))


def parse(data: bytes, file: str, problems: list[Problem]) -> Node | None:
    """The document in `data`, or None where it is none; every problem is added to `problems`. `file` is its name in messages."""
    text = _decode(data, file, problems)
    if text is None:
        return None
    root = _compose(text, file, problems)
    if root is None:
        return None
    before = len(problems)
    node = _Grower(file, problems).grow(root, Where(file, 1))
    return node if len(problems) == before else None


def _decode(data: bytes, file: str, problems: list[Problem]) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.append(Problem(Where(file, line), "not-utf-8", "the file is not UTF-8", "save it as UTF-8"))
        return None


def _compose(text: str, file: str, problems: list[Problem]) -> Any:
    import yaml  # a warm start reads a bundle and never comes here

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        problems.append(_syntax(error, text, file))
        return None
    except (yaml.YAMLError, RecursionError) as error:
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error).split("\n")[0]
        problems.append(Problem(Where(file, line), "syntax", f"not YAML: {what}", "remove it, or write it as an escape in double quotes"))
        return None
    if root is None:
        problems.append(Problem(Where(file, 0), "empty-file", "the file holds nothing", "write the document, or delete the file"))
    return root


def _syntax(error: Any, text: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 0
    lines = text.splitlines()
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    remedy = (
        "quote the value with '…' if it holds `: ` or ` #`, begins with one of `{[&*!|>%@`, or stands in `{…}` and holds `,` or a bracket"
    )
    if "\t" in here[: len(here) - len(here.lstrip())] or "'\\t'" in str(error.problem) or "tab" in str(error.problem):
        remedy = "indent with spaces, not with tabs"
    elif "expected a single document" in str(error.context):
        remedy = "one document a file: remove the second `---`"
    return Problem(Where(file, line), "syntax", f"not YAML: {error.problem or error.context}", remedy)


class _Grower:
    """Turns PyYAML's nodes into ours and refuses what a reader of the file would not see: tags, aliases, repeated keys."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems
        self._seen: set[int] = set()

    def grow(self, raw: Any, where: Where) -> Node:
        if self._is_foreign(raw, where):
            return Node("null", where)
        if isinstance(raw.value, str):
            return _scalar(raw, where)
        # A repeated node is an alias (`*name`): a few bytes could stand for gigabytes.
        self._seen.add(id(raw))
        if raw.id == "sequence":
            return Node("list", where, items=tuple(self._items(raw, where)))
        return Node("mapping", where, fields=dict(self._fields(raw, where)))

    def _is_foreign(self, raw: Any, where: Where) -> bool:
        if id(raw) in self._seen:
            self._report(where, "yaml-alias", "aliases (`*name`) are not read", "write the value out")
        elif raw.tag not in _CORE_TAGS:
            tag = raw.tag.replace("tag:yaml.org,2002:", "!!")
            self._report(where, "yaml-tag", f"the tag `{tag}` is not read", "write the value without a tag")
        else:
            return False
        return True

    def _items(self, raw: Any, where: Where) -> Iterator[Node]:
        for number, item in enumerate(raw.value):
            yield self.grow(item, Where(self._file, item.start_mark.line + 1, f"{where.field}[{number}]"))

    def _fields(self, raw: Any, where: Where) -> Iterator[tuple[str, Node]]:
        lines: dict[str, int] = {}
        for key, value in raw.value:
            line = key.start_mark.line + 1
            if not isinstance(key.value, str):
                self._report(Where(self._file, line, where.field), "yaml-key", "a key has to be a word", "write `key: value`")
                continue
            place = Where(self._file, line, _dotted(where.field, key.value))
            if key.value in lines:
                first = lines[key.value]
                self._report(place, "duplicate-key", f"`{key.value}` is given twice, first in line {first}", "keep one of the two")
                continue
            lines[key.value] = line
            yield key.value, self.grow(value, place)

    def _report(self, where: Where, code: str, what: str, remedy: str) -> None:
        self._problems.append(Problem(where, code, what, remedy))


def _scalar(raw: Any, where: Where) -> Node:
    if raw.style in (None, ""):  # plain: only the words of YAML 1.2's core schema mean something else than themselves
        if raw.value in _NULLS:
            return Node("null", where)
        if raw.value in _FLAGS:
            return Node("flag", where, text=_FLAGS[raw.value])
    return Node("text", where, text=raw.value)


def _dotted(parent: str, name: str) -> str:
    return f"{parent}.{name}" if parent else name
