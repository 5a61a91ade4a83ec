"""Checks across entries, and of what an entry has to prove. An entry with such a problem still works, so it stays in the book."""

from collections.abc import Collection, Iterator, Mapping

from .errors import Problem, Where
from .model import Component, Entry, Level, Status
from .reading import did_you_mean
from .yaml_reader import Node

__all__ = ["check_book"]


def check_book(
    entries: Mapping[str, Entry], nodes: Mapping[str, Node], components: Mapping[str, Component], set_aside: Collection[str]
) -> tuple[Problem, ...]:
    """Problems between entries; `nodes` are their documents. To name an id of `set_aside`, whose file has errors, is no second error."""
    known = {*entries, *set_aside}
    found: list[Problem] = []
    for entry in entries.values():
        node = nodes[entry.id]
        found += _check_component(entry, components)
        found += _check_targets(entry, node, known)
        found += _check_circle(entry, node, entries)
        found += _check_proof(entry, node)
    found += _check_aliases(entries, nodes)
    return tuple(found)


def _check_component(entry: Entry, components: Mapping[str, Component]) -> Iterator[Problem]:
    if components and entry.component not in components:
        near = did_you_mean(entry.component, components)
        what = f"the component `{entry.component}` is not in components.yaml"
        yield Problem(Where(entry.where.file, 0), "unknown-component", what, near or "move the file, or add the component")


def _check_targets(entry: Entry, node: Node, known: Collection[str]) -> Iterator[Problem]:
    siblings = [(item.at("entry"), item.fields["entry"].text) for item in _items(node, "siblings")]
    refines = [(item.where, item.text) for item in _items(node, "refines")]
    for where, target in siblings + refines:
        if target not in known:
            remedy = did_you_mean(target, known) or "correct the id, or write that entry"
            yield Problem(where, "unknown-entry", f"there is no entry `{target}`", remedy)


def _items(node: Node, key: str) -> tuple[Node, ...]:
    return node.fields[key].items if key in node.fields else ()


def _check_circle(entry: Entry, node: Node, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    for target in entry.refines:
        other = entries.get(target)
        if other is not None and entry.id in other.refines and entry.id < target:
            what = f"`{entry.id}` and `{target}` refine each other"
            yield Problem(node.at("refines"), "circle", what, "only the more special of the two refines the other")


def _check_proof(entry: Entry, node: Node) -> Iterator[Problem]:
    if entry.status is not Status.ACTIVE:
        return
    proved = {name for sample in entry.samples for name in sample.expect}
    for signature in entry.signatures:
        if signature.id not in proved:
            what = f"no sample expects `{signature.id}`"
            remedy = f"add a sample with `expect: {{{signature.id}: …}}`, or delete the signature"
            yield Problem(signature.where, "unproved-signature", what, remedy)
    misses = [sample for sample in entry.samples if not sample.expect or Level.RULED_OUT in sample.expect.values()]
    if not any(sample.why for sample in misses):
        remedy = "add a text with the same words that is not this cause: `expect: none` or `ruled_out`, with `why`"
        yield Problem(node.at("samples"), "no-near-miss", "no sample is a near miss with its reason", remedy)


def _check_aliases(entries: Mapping[str, Entry], nodes: Mapping[str, Node]) -> Iterator[Problem]:
    owners: dict[str, str] = {entry.slug: entry.id for entry in entries.values()}
    for entry in entries.values():
        for alias, item in zip(entry.aliases, _items(nodes[entry.id], "aliases"), strict=False):
            other = owners.setdefault(alias, entry.id)
            if other != entry.id:
                yield Problem(item.where, "alias-taken", f"`{alias}` already means `{other}`", "give the alias to one entry only")
