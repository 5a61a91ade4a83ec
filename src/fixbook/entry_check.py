"""Checks of one entry that need more than one of its keys. What they find sets the entry aside, as a wrong value does."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from . import pattern
from .errors import Where
from .model import Entry
from .prose import html_tags, placeholders
from .reading import Reading, RefusedError, did_you_mean, listed
from .yaml_reader import Node

__all__ = ["check_entry", "proses"]

# What docker and kubectl take for `--format`.
_GO_TEMPLATE = re.compile(r"(?<!\{)\{\{-? ?(?:\.[A-Za-z]|(?:range|if|end|json|println|printf|index|with|template)\b)[^{}\n]{0,60}\}\}")


def check_entry(entry: Entry, node: Node, reading: Reading) -> None:
    """Writes down what does not fit together; raises RefusedError where it is an error."""
    before = _errors(reading)
    _check_signatures(entry, reading)
    _check_samples(entry, reading)
    _check_relations(entry, node, reading)
    _check_repeats([link.url for link in entry.links], node.fields["links"], "url", reading)
    _check_prose(entry, node, reading)
    if _errors(reading) > before:
        raise RefusedError


def _errors(reading: Reading) -> int:
    return sum(problem.severity == "error" for problem in reading.problems)


def _check_signatures(entry: Entry, reading: Reading) -> None:
    seen: set[str] = set()
    for signature in entry.signatures:
        if signature.id in seen:
            reading.report(signature.where, "duplicate-signature", f"two signatures are called `{signature.id}`", "rename one of them")
        seen.add(signature.id)
        if signature.shared and not entry.siblings:
            what = f"`{signature.id}` is shared, but no sibling is named"
            reading.report(signature.where, "shared-without-siblings", what, "name the other causes in `siblings`, or narrow the pattern")
        if signature.after_fix and not any(affected.fixed for affected in entry.affects):
            what = f"`{signature.id}` is the wording of a fixed release, but no fixed release is named"
            reading.report(signature.where, "after-fix-without-fix", what, "give `affects` with `fixed`, or delete `after_fix`")


def _check_samples(entry: Entry, reading: Reading) -> None:
    ids = [signature.id for signature in entry.signatures]
    for sample in entry.samples:
        for name in sample.expect:
            if name not in ids:
                where = Where(sample.where.file, sample.where.line, f"{sample.where.field}.expect")
                remedy = did_you_mean(name, ids) or f"the signatures here are {listed(ids)}"
                reading.report(where, "unknown-signature", f"there is no signature `{name}`", remedy)


def _check_relations(entry: Entry, node: Node, reading: Reading) -> None:
    siblings = [sibling.entry for sibling in entry.siblings]
    for key, ids in (("siblings", siblings), ("refines", list(entry.refines))):
        if entry.id in ids:
            reading.report(node.at(key), "self-reference", f"the entry names itself in `{key}`", "name the other entry")
    _check_repeats(siblings, node.fields.get("siblings"), "entry", reading)
    _check_repeats(list(entry.refines), node.fields.get("refines"), "", reading)
    _check_repeats(list(entry.aliases), node.fields.get("aliases"), "", reading)
    if entry.slug in entry.aliases:
        reading.report(node.at("aliases"), "self-reference", f"`{entry.slug}` is the entry's own slug", "delete it from `aliases`")


def _check_repeats(values: Sequence[str], node: Node | None, key: str, reading: Reading) -> None:
    for number, value in enumerate(values):
        if value in values[:number] and node is not None:
            item = node.items[number]
            reading.report(item.at(key) if key else item.where, "repeated", f"`{value}` is given twice", "delete one of the two")


def proses(node: Node) -> Iterator[Node]:
    """Every piece of prose and every command of an entry: the leaves under `en`, `zh` and `run`."""
    for name, child in node.fields.items():
        if name in ("en", "zh", "run") and child.kind == "text":
            yield child
        else:
            yield from proses(child)
    for item in node.items:
        yield from proses(item)


def _check_prose(entry: Entry, node: Node, reading: Reading) -> None:
    captured = Counter[str]()
    for signature in entry.signatures:
        captured.update(pattern.captures(signature.pattern, signature.flags))  # counts the signatures that always capture it
    used: set[str] = set()
    for key, child in node.fields.items():
        if key in ("signatures", "samples", "names"):
            continue
        for prose in proses(child):
            used.update(placeholders(prose.text))
            _check_text(prose, entry, captured, reading)
    for name in entry.names:
        if name not in used and name not in captured:
            what = f"no prose uses `{{{name}}}` and no signature captures it"
            reading.warn(node.fields["names"].at(name), "unused-name", what, "delete the word, or use the placeholder")


def _check_text(prose: Node, entry: Entry, captured: Counter[str], reading: Reading) -> None:
    if not prose.where.field.endswith(".run"):
        for tag in html_tags(prose.text):
            reading.report(prose.where, "raw-html", f"`{tag}` would be HTML", "put it into a code span, or write Markdown")
    template = _GO_TEMPLATE.search(prose.text)
    if template:
        what = f"`{template[0]}` will be shown with single braces, for `{{{{` stands for one"
        reading.warn(prose.where, "doubled-braces", what, "double them once more: `{{{{.State}}}}`")
    for name in dict.fromkeys(placeholders(prose.text)):
        if name in entry.names or _is_fact(name, reading):
            continue
        if name not in captured:
            what = f"nothing gives `{{{name}}}`: no signature captures it, it is no fact and has no word in `names`"
            near = did_you_mean(name, [*captured, *(reading.fact_names or ())])
            reading.report(prose.where, "placeholder", what, near or f"capture it, give it a word in `names`, or write `{{{{{name}}}}}`")
        elif captured[name] < len(entry.signatures):
            what = f"`{{{name}}}` is not captured by every match of every signature"
            reading.report(prose.where, "placeholder-word", what, f"give it a word: `names: {{{name}: {{en: …, zh: …}}}}`")


def _is_fact(name: str, reading: Reading) -> bool:
    return reading.fact_names is None or name in reading.fact_names or name.endswith("_version")
