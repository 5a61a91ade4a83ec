"""What the matcher in the page needs of the program and of the book, as plain JSON values.

The tables are those of the Python rooms, translated: a JavaScript room says `tables.peel.PREFIX`, and gets `_PREFIX` of `peel.py`. What
no room of JavaScript names is left out; what one names and Python does not have is an error.
"""

import html
import html.entities
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..alternatives import Alternatives
from ..conditions import describe
from ..errors import FixbookError
from ..events import Sign
from ..expressions import Expression
from ..fact_kinds import FACTS
from ..facts import EXTRACTORS, Extractor
from ..literals import derive
from ..model import Conditions, Entry, Signature, Status, Text
from ..report import BookInfo
from ..vocabulary import pattern_words
from .jsregex import NotPortableError, translate, translate_compiled
from .modules import joined

__all__ = ["FOLDER", "entry_data", "matcher_data", "matcher_script", "tables"]

FOLDER = Path(__file__).resolve().parent / "assets" / "matcher"
_NAMED = re.compile(r"\btables\.(\w+)\.(\w+)|\bconst \{ ([\w, ]+) \} = tables\.(\w+);|\b(own)\b = tables\.(\w+);")
_OWN = re.compile(r"\bown\.([A-Z_]+)\b")


@cache
def matcher_script() -> str:
    """The matcher as one function, `fixbookMatcher`, that gives the exports of matcher.js."""
    return joined(FOLDER, "matcher")


def matcher_data(entries: Iterable[Entry], info: BookInfo) -> dict[str, Any]:
    """All of it: the tables of the program and the entries that are matched."""
    book = {"version": info.version, "digest": info.digest, "entries": info.entries}
    matched = [entry_data(entry) for entry in entries if entry.status is Status.ACTIVE]
    return {"book": book, "tables": tables(), "entries": matched}


# --- tables -----------------------------------------------------------------------------------------------------------------------


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Room → name → value. Raises FixbookError for a name that the Python room does not have."""
    made: dict[str, dict[str, Any]] = {}
    for room, name in sorted(_wanted()):
        made.setdefault(room, {})[name] = _plain(_SPECIAL[room, name]() if (room, name) in _SPECIAL else _constant(room, name))
    return made


def _wanted() -> set[tuple[str, str]]:
    """The tables that the rooms of JavaScript name."""
    found: set[tuple[str, str]] = set()
    for path in sorted(FOLDER.glob("*.js")):
        source = path.read_text(encoding="utf-8")
        for match in _NAMED.finditer(source):
            if match[1]:
                found.add((match[1], match[2]))
            elif match[3]:
                found.update((match[4], name.strip()) for name in match[3].split(","))
            else:
                end = source.find("\n}", match.end())
                found.update((match[6], name) for name in _OWN.findall(source[match.end() : end]))
    return {(room, name) for room, name in found if name.isupper()}


def _constant(room: str, name: str) -> Any:
    module = importlib.import_module(f"fixbook.{room}")
    for spelled in (f"_{name}", name):
        if hasattr(module, spelled):
            return getattr(module, spelled)
    raise FixbookError(f"the page's matcher needs {name} of {room}.py, which is not there")


def _plain(value: Any) -> Any:
    """A value of a table in JSON; what a function stands for is written in JavaScript under the name beside it."""
    if isinstance(value, re.Pattern | Expression):
        return {"re": translate_compiled(value)}
    if isinstance(value, Sign):
        return {"words": list(value.words), "re": translate_compiled(value.pattern)}
    if isinstance(value, Alternatives):
        return {"re": translate_compiled(value.pattern)}
    if isinstance(value, frozenset | set):
        return {"set": sorted(value)}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return None if callable(value) else value


def _named_entities() -> dict[str, str]:
    """HTML's names of at most eight letters, with the old ones that need no semicolon: what the reader of logs takes for an entity."""
    names = {name: text for name, text in html.entities.html5.items() if name.rstrip(";").isalpha() and 2 <= len(name.rstrip(";")) <= 8}
    return {name: text for name, text in names.items() if name.endswith(";") or f"{name};" in html.entities.html5}


def _extractor(extractor: Extractor) -> dict[str, Any]:
    return {
        "literals": list(extractor.literals),
        "pattern": {"re": translate(extractor.pattern)},
        "states": dict(extractor.states),
        "then": extractor.then,
        "places": [str(place) for place in extractor.places],
        "code": extractor.code,
        "typed": extractor.typed,
    }


# Tables that are no constant of a room of the same name.
_SPECIAL: Mapping[tuple[str, str], Callable[[], Any]] = {
    ("entities", "NAMED"): _named_entities,
    ("entities", "CHARREFS"): lambda: vars(html)["_invalid_charrefs"],
    ("entities", "NOTHING"): lambda: vars(html)["_invalid_codepoints"],
    ("failures", "MASKS"): lambda: [(re.compile(pattern), new) for pattern, new in _constant("failures", "MASKS")],
    ("facts", "EXTRACTORS"): lambda: [_extractor(extractor) for extractor in EXTRACTORS],
    ("fact_kinds", "FACTS"): lambda: {name: [str(kind.value), kind.command, kind.lasting] for name, kind in FACTS.items()},
}

# --- the book ---------------------------------------------------------------------------------------------------------------------


def entry_data(entry: Entry) -> dict[str, Any]:
    """One entry. A signature that cannot be said in JavaScript is only named, so that the page can say that it was left out."""
    signatures = {signature.id: _signature(signature) for signature in entry.signatures}
    return {
        "id": entry.id,
        "aliases": list(entry.aliases),
        "kind": str(entry.kind),
        "title": _text(entry.title),
        "summary": _text(entry.summary),
        "names": {name: _text(text) for name, text in entry.names.items()},
        "commonness": str(entry.commonness),
        "affects": [[one.package, one.introduced, one.fixed, one.first_release] for one in entry.affects],
        "fixEffect": str(entry.fix_effect) if entry.fix_effect else None,
        "requires": _conditions(entry.requires),
        "rulesOut": _conditions(entry.rules_out),
        "refines": list(entry.refines),
        "tells": {sibling.entry: _text(sibling.tell) for sibling in entry.siblings},
        "signatures": [made for made in signatures.values() if made],
        "leftOut": [id for id, made in signatures.items() if made is None],
    }


@cache
def _signature(signature: Signature) -> dict[str, Any] | None:
    pattern, within = _portable(signature.pattern, signature.flags), _portable(signature.with_)
    if pattern is None or (signature.with_ and within is None):
        return None
    derived = derive(signature.pattern, signature.flags)
    return {
        "id": signature.id,
        "pattern": pattern,
        "place": str(signature.place) if signature.place else None,
        "with": within,
        "shared": signature.shared,
        "afterFix": signature.after_fix,
        "fold": derived.fold,
        "literals": list(derived.needs[0]) if derived.needs else [],
        "words": sorted(pattern_words(signature.pattern)),
    }


def _conditions(conditions: Conditions) -> dict[str, Any]:
    return {
        "facts": [
            {
                "says": describe(one),
                "fact": one.fact,
                "anyOf": list(one.any_of),
                "noneOf": list(one.none_of),
                "sameAs": one.same_as,
                "notSameAs": one.not_same_as,
                "atLeast": one.at_least,
                "below": one.below,
            }
            for one in conditions.facts
        ],
        "frames": _seen("frames", conditions.frames),
        "messages": _seen("messages", conditions.messages),
    }


def _seen(kind: str, pattern: str | None) -> dict[str, str | None] | None:
    """A condition on a text; where its pattern cannot be said, the condition is unknown."""
    return None if pattern is None else {"says": f"{kind} ~ {pattern}", "pattern": _portable(pattern)}


def _portable(pattern: str | None, flags: str = "") -> str | None:
    try:
        return None if pattern is None else translate(pattern, flags)
    except NotPortableError:
        return None


def _text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
