"""Checks across entries, and of what an entry has to prove. An entry with such a problem still works, so it stays in the book."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from .errors import Problem, Where
from .form import did_you_mean
from .model import Component, Entry, Level, Status

__all__ = ["check_book"]


def check_book(entries: Mapping[str, Entry], components: Mapping[str, Component], set_aside: Collection[str]) -> tuple[Problem, ...]:
    """Problems between entries. `set_aside`: ids whose files have errors of their own; to name them is no second error."""
    known = {*entries, *set_aside}
    found: list[Problem] = []
    for entry in entries.values():
        found += _check_component(entry, components)
        found += _check_targets(entry, known)
        found += _check_proof(entry)
    found += _check_circles(entries)
    found += _check_names(entries)
    return tuple(found)


def _problem(entry: Entry, field: str, code: str, what: str, remedy: str) -> Problem:
    return Problem(Where(entry.where.file, entry.where.line, field), code, what, remedy)


def _check_component(entry: Entry, components: Mapping[str, Component]) -> Iterator[Problem]:
    if components and entry.component not in components:
        near = did_you_mean(entry.component, components)
        what = f"the component `{entry.component}` is not in components.yaml"
        yield _problem(entry, "", "unknown-component", what, near or "move the file, or add the component")


def _check_targets(entry: Entry, known: Collection[str]) -> Iterator[Problem]:
    named = [("siblings", sibling.entry) for sibling in entry.siblings] + [("refines", target) for target in entry.refines]
    for field, target in named:
        if target not in known:
            near = did_you_mean(target, known)
            yield _problem(entry, field, "unknown-entry", f"there is no entry `{target}`", near or "correct the id, or write that entry")


def _check_circles(entries: Mapping[str, Entry]) -> Iterator[Problem]:
    for entry in entries.values():
        for target in entry.refines:
            other = entries.get(target)
            if other is not None and entry.id in other.refines and entry.id < target:
                what = f"`{entry.id}` and `{target}` refine each other"
                yield _problem(entry, "refines", "circle", what, "only the more special of the two refines the other")


def _check_proof(entry: Entry) -> Iterator[Problem]:
    if entry.status is not Status.ACTIVE:
        return
    proved = {name for sample in entry.samples for name in sample.expect}
    for signature in entry.signatures:
        if signature.id not in proved:
            what = f"no sample expects `{signature.id}`"
            yield Problem(signature.where, "unproved-signature", what, f"add a sample with `expect: {{{signature.id}: …}}`, or delete it")
    misses = [sample for sample in entry.samples if not sample.expect or Level.RULED_OUT in sample.expect.values()]
    if not any(sample.why for sample in misses):
        remedy = "add a text with the same words that is not this cause: `expect: none` or `ruled_out`, with `why`"
        yield _problem(entry, "samples", "no-near-miss", "no sample is a near miss with its reason", remedy)


def _check_names(entries: Mapping[str, Entry]) -> Iterator[Problem]:
    owners: dict[str, Entry] = {entry.id: entry for entry in entries.values()}
    slugs = {entry.slug: entry for entry in entries.values()}
    for entry in entries.values():
        for alias in entry.aliases:
            other = _owner(entry, (owners.get(f"{entry.component}/{alias}"), owners.get(alias), slugs.get(alias)))
            if other is not None:
                what = f"the alias `{alias}` already means `{other.id}`"
                yield _problem(entry, "aliases", "alias-taken", what, "give it to one entry only")
            owners.setdefault(f"{entry.component}/{alias}", entry)
            owners.setdefault(alias, entry)


def _owner(entry: Entry, candidates: Iterable[Entry | None]) -> Entry | None:
    return next((other for other in candidates if other is not None and other.id != entry.id), None)
