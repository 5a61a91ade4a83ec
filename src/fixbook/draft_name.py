"""The id that the draft of an entry gets: a component of the book and a slug of the failure's words."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from .failures import Failure
from .generalise import fixed_words
from .model import Component
from .report import Fact

__all__ = ["UNSORTED", "component_of", "slug_of"]

UNSORTED = "unsorted"
_MOST_WORDS = 7
_LONGEST = 60  # characters of a slug
_PACKAGE = re.compile(r"(?:site|dist)-packages/(?P<package>[A-Za-z_]\w*)")
_SMALL_WORDS = "a an and are as at be but by can for from has have if in is it its of on or that the this to was were will with you your"
_SMALL = frozenset(_SMALL_WORDS.split())


def component_of(failure: Failure, facts: Sequence[Fact], near: Sequence[str], components: Mapping[str, Component]) -> str:
    """The component that a failure most likely belongs to; `unsorted` where nothing tells. `near` are ids of entries like it."""
    for name in _names(failure, facts, near):
        found = _component(name, components)
        if found:
            return found
    return UNSORTED


def _names(failure: Failure, facts: Sequence[Fact], near: Sequence[str]) -> Iterator[str]:
    """What may name a component, best first: the package that raised it, the exception's own, words, the program."""
    for frame in reversed(failure.frames):
        match = _PACKAGE.search(frame.replace("\\", "/"))
        if match:
            yield match["package"]
    yield from failure.exception.split(".")[:1] if "." in failure.exception else ()
    for frame in reversed(failure.frames):
        yield from frame.replace("\\", "/").split("/")[1:-1]
    yield from re.findall(r"[A-Za-z][\w-]{2,}", f"{failure.exception} {failure.text[:400]}")
    yield from (fact.value for fact in facts if fact.name in ("program", "platform"))
    yield from (id.split("/", 1)[0] for id in near)


def _component(name: str, components: Mapping[str, Component]) -> str | None:
    """The component that a package, module or word names: by its id, its name, or a package of it."""
    wanted = _plain(name)
    for id, component in components.items():
        if wanted in (_plain(id), _plain(component.name.en)):
            return id
    owners = [id for id, component in components.items() if wanted in map(_plain, component.packages)]
    return min(owners, key=lambda id: (wanted not in _plain(id), len(components[id].packages), id), default=None)


def _plain(name: str) -> str:
    return re.sub(r"[-_. ]+", "", name.casefold())


def slug_of(failure: Failure, pattern: str, taken: Collection[str]) -> str:
    """A slug that no entry of the component has: the words that the failure always prints."""
    name = failure.exception.rsplit(".", 1)[-1]
    words = [word.lower() for word in fixed_words(pattern) if word != name] or [name.lower()]
    chosen = [word for word in words if word.isalnum() and word not in _SMALL][:_MOST_WORDS]
    while len("-".join(chosen)) > _LONGEST:
        chosen.pop()
    slug = "-".join(chosen) or f"failure-{failure.fingerprint}"
    number, free = 1, slug
    while free in taken:
        number += 1
        free = f"{slug}-{number}"
    return free
