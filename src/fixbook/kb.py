"""The book's loader: folders of YAML files → entries, in layers, with every problem at once."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from .book_check import check_book
from .book_lists import COMPONENTS, GLOSSARY
from .entry_form import ENTRY
from .errors import Problem, Where
from .form import Form
from .model import Component, Entry, Status, Term
from .reading import Reading, RefusedError
from .shipped import shipped_root
from .value import Value, field, replace
from .yaml_reader import Node, parse

__all__ = ["Loaded", "load", "load_folder", "shipped_root"]

T = TypeVar("T")

_SLUG = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_COMPONENT = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_LISTS = ("components.yaml", "glossary.yaml")


class Loaded(Value):
    """A book: the entries that can be used, ordered by id, and all that is wrong with the files.

    `documents` are the files of these entries as they were read, by id; empty for a book that did not come from files.
    """

    entries: tuple[Entry, ...]
    components: Mapping[str, Component]
    glossary: tuple[Term, ...]
    problems: tuple[Problem, ...]
    documents: Mapping[str, Node] = field(default_factory=dict, compare=False)


class _Layer:
    """One folder, read on its own."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.nodes: dict[str, Node] = {}  # the documents that the entries were made of
        self.withdrawn: dict[str, Where] = {}  # ids that only say `status: withdrawn`
        self.set_aside: set[str] = set()
        self.components: dict[str, Component] = {}
        self.glossary: list[Term] = []
        self.problems: list[Problem] = []


def load_folder(path: Path, fact_names: Collection[str] | None = None) -> Loaded:
    """The book in one folder."""
    return load([path], fact_names)


def load(paths: Sequence[Path], fact_names: Collection[str] | None = None) -> Loaded:
    """The book in these folders, one over the other: a later one replaces entries, components and terms of the same name.

    `fact_names` are the names that conditions and placeholders may use; without them every name is taken.
    A file with an error gives no entry; the entry of a lower layer stays.
    """
    layers = [_read_layer(Path(path), fact_names) for path in paths]
    whole = _Layer()
    for layer in layers:
        _add(whole, layer)
    entries = dict(sorted(whole.entries.items()))
    problems = sorted([*whole.problems, *check_book(entries, whole.nodes, whole.components, whole.set_aside)], key=_by_place)
    return Loaded(tuple(entries.values()), whole.components, tuple(whole.glossary), tuple(problems), whole.nodes)


def _by_place(problem: Problem) -> tuple[str, int]:
    return problem.where.file, problem.where.line


def _add(whole: _Layer, layer: _Layer) -> None:
    """Lays `layer` over the ones before it."""
    for name, where in layer.withdrawn.items():
        below = whole.entries.get(name)
        if below is None:
            what = "the file only withdraws, and no lower layer has this entry"
            whole.problems.append(Problem(where, "nothing-to-withdraw", what, "correct the file's name, or write the whole entry"))
        else:
            whole.entries[name] = replace(below, status=Status.WITHDRAWN)
    whole.entries.update(layer.entries)
    whole.nodes.update(layer.nodes)
    whole.set_aside |= layer.set_aside
    whole.components.update(layer.components)
    terms = {term.en.lower(): term for term in [*whole.glossary, *layer.glossary]}
    whole.glossary = list(terms.values())
    whole.problems += layer.problems


def _read_layer(root: Path, fact_names: Collection[str] | None) -> _Layer:
    layer = _Layer()
    if not root.is_dir():
        what = "this is a file" if root.exists() else "there is no such folder"
        remedy = "give the folder that holds components.yaml and <component>/<slug>.yaml"
        layer.problems.append(Problem(Where(root.as_posix(), 0), "no-folder", what, remedy))
        return layer
    layer.components = {part.id: part for part in _read_list(root / _LISTS[0], COMPONENTS, layer.problems)}
    layer.glossary = list(_read_list(root / _LISTS[1], GLOSSARY, layer.problems))
    for folder in sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))):
        _read_component(folder, layer, fact_names)
    layer.problems += [_stray(path) for path in sorted(root.iterdir()) if _is_yaml(path) and path.name not in _LISTS]
    return layer


def _is_yaml(path: Path) -> bool:
    """Whether this is called like a file of the book; also a link that leads nowhere or to itself, so that it is named."""
    return path.suffix.lower() in (".yaml", ".yml") and (path.is_file() or (path.is_symlink() and not path.is_dir()))


def _stray(path: Path) -> Problem:
    what = "an entry lies in the folder of its component: <component>/<slug>.yaml"
    return Problem(Where(path.as_posix(), 0), "file-place", what, "move the file")


def _read_component(folder: Path, layer: _Layer, fact_names: Collection[str] | None) -> None:
    used: set[str] = set()
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        layer.problems.append(_unreadable(folder, "folder", error))
        return
    for path in paths:
        if path.is_dir() and any(_is_yaml(inner) for inner in path.rglob("*")):
            layer.problems.append(_stray(path))
        elif _is_yaml(path) and _is_named_well(path, layer.problems):
            used |= _read_entry(path, layer, fact_names)
    for path in paths:
        if path.is_file() and not _is_yaml(path) and not path.name.startswith(".") and path.name not in used:
            layer.problems.append(_unused(path))


def _unused(path: Path) -> Problem:
    where = Where(path.as_posix(), 0)
    return Problem(where, "unused-file", "no sample names this file", "name it in a sample, or delete it", "warning")


def _is_named_well(path: Path, problems: list[Problem]) -> bool:
    fine = path.suffix == ".yaml" and _SLUG.fullmatch(path.stem) and _COMPONENT.fullmatch(path.parent.name)
    if not fine:
        what = "a file of the book is called <component>/<slug>.yaml, in lower-case letters, digits and `-`"
        problems.append(Problem(Where(path.as_posix(), 0), "file-name", what, "rename it; an old name may stay in `aliases`"))
    return bool(fine)


def _read_entry(path: Path, layer: _Layer, fact_names: Collection[str] | None) -> set[str]:
    """Reads one entry into the layer; returns the names of the files that its samples use."""
    reading = Reading(path.parent, f"{path.parent.name}/{path.stem}", layer.problems, fact_names)
    node = _parse_file(path, layer.problems)
    if node is not None and _only_withdraws(node):
        layer.withdrawn[reading.id] = node.where
        return set()
    try:
        if node is None:
            raise RefusedError
        layer.entries[reading.id] = ENTRY.read(node, reading)
        layer.nodes[reading.id] = node
    except RefusedError:
        layer.set_aside.add(reading.id)
    return set(_sample_files(node)) if node else {other.name for other in path.parent.glob(f"{path.stem}.*")}


def _only_withdraws(node: Node) -> bool:
    return set(node.fields) == {"schema", "status"} and node.fields["status"].text == Status.WITHDRAWN


def _sample_files(node: Node) -> Iterator[str]:
    samples = node.fields.get("samples")
    for sample in samples.items if samples else ():
        if "file" in sample.fields:
            yield sample.fields["file"].text


def _parse_file(path: Path, problems: list[Problem]) -> Node | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.append(_unreadable(path, "file", error))
        return None
    return parse(data, path.as_posix(), problems)


def _unreadable(path: Path, what: str, error: OSError) -> Problem:
    remedy = "delete it, or let it lead to a file" if path.is_symlink() else "correct its permissions, or delete it"
    return Problem(Where(path.as_posix(), 0), "unreadable", f"the {what} cannot be read: {error.strerror}", remedy)


def _read_list(path: Path, form: Form[tuple[T, ...]], problems: list[Problem]) -> tuple[T, ...]:
    if not path.exists():
        return ()
    node = _parse_file(path, problems)
    if node is None:
        return ()
    try:
        return form.read(node, Reading(path.parent, problems=problems))
    except RefusedError:
        return ()


if __name__ == "__main__":
    raise SystemExit("a book is checked by `fixbook lint PATH`")
