"""Regular expressions of the code: compiled when they are first used, and only once on a machine.

The rooms that read logs hold some hundred and fifty of them; compiling those that one paste needs takes longer than reading it. What
`re` makes of a pattern is a list of numbers, which is taken from the user's cache and put there by `keep`. It belongs to one version
of Python and to exactly this text of the pattern; where anything about it is not as expected, `re` compiles the pattern as ever.

Thousands may be kept there, of every book that was asked; a run unpacks those that it uses.
"""

from __future__ import annotations

import marshal
import re
import sys
from re import _compiler, _parser  # type: ignore[attr-defined]
from zlib import crc32

from .parts import DamagedError, Parts
from .table import RUN, Runs, numbers_of, to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .cache import Cache

__all__ = ["Expression", "expression", "keep", "recall", "use"]

_METHODS = ("findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "search", "split", "sub", "subn")
_MOST = 4000  # that are kept of patterns and what is known of them

_Key = tuple[str, str, int]  # what is known, of which pattern, with which flags

_kept: Parts | None = None  # by an earlier run: `rows` of a key and what is known, and `places`, the row of each key's checksum
_places = Runs(b"")
_known: dict[_Key, Any] = {}  # looked up there, or made and kept by this run
_fresh: dict[_Key, Any] = {}  # made here, not kept yet


class Expression:
    """A `re.Pattern` to be: the first use compiles it. Safe to share between threads: to compile twice is harmless."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        made = _compiled(self.pattern, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(made, each))  # from now on a use costs nothing more
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"expression({self.pattern!r}, {self._flags})"


if TYPE_CHECKING:

    def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
        """The pattern, compiled when it is first used. An error in it is raised then."""

else:

    def expression(pattern: str, flags: int = 0) -> Expression:
        return Expression(pattern, int(flags))


def use(cache: Cache) -> None:
    """Takes what an earlier run has kept."""
    global _kept, _places
    data = None if _kept else cache.read(_name())
    if data is not None:
        try:
            kept = Parts(data)
            _places = Runs(kept.part("places"))
            _kept = kept
        except DamagedError:
            return


def recall(what: str, pattern: str, flags: int, make: Callable[[str, int], Any]) -> Any:
    """What is known of a pattern under the word `what`, else what `make` says: numbers, strings and tuples of them, kept with the rest."""
    key = (what, pattern, int(flags))
    known = _known.get(key) or _fresh.get(key)
    if known is None:
        known = _looked_up(key)
        if known is None:
            known = _fresh[key] = make(pattern, flags)
        else:
            _known[key] = known
    return known


def _looked_up(key: _Key) -> Any:
    if _kept is None:
        return None
    try:
        for number in _places.find((_place(key),)):
            kept, known = marshal.loads(_kept.row("rows", number))
            if kept == key:
                return known
    except DamagedError:
        pass  # it is made anew, and kept again
    return None


def keep(cache: Cache) -> None:
    """Keeps what was made in this run, for the next one."""
    global _kept, _places
    if not _fresh:
        return
    rows = dict(_rows())
    rows.update((key, marshal.dumps((key, known), 4)) for key, known in _fresh.items())
    if len(rows) <= _MOST:
        _known.update(_fresh)
        _fresh.clear()
        places = Runs.dump((_place(key).to_bytes(RUN, "little"), number) for number, key in enumerate(rows))
        data = Parts.dump({"places": places}, {"rows": list(rows.values())})
        cache.put(_name(), data)
        _kept, _places = Parts(data), Runs(places)


def _rows() -> Iterator[tuple[_Key, bytes]]:
    """What was kept already, but for what is damaged."""
    from contextlib import suppress

    kept = _kept or Parts(Parts.dump({}, {"rows": []}))
    with suppress(DamagedError):
        for number in range(kept.count("rows")):
            with suppress(DamagedError):
                row = bytes(kept.row("rows", number))
                yield marshal.loads(row)[0], row


def _place(key: _Key) -> int:
    what, pattern, flags = key
    return crc32(pattern.encode("utf-8", "surrogatepass"), crc32(what.encode()) ^ flags)


def _name() -> str:
    """Of this build of Python: the numbers mean something to no other one."""
    return f"expressions-2-{sys.implementation.cache_tag}-{sys.hexversion:x}-{_compiler.MAGIC}-{_compiler._sre.CODESIZE}"


def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    try:
        all_flags, groups, names, numbers, code = recall("code", pattern, flags, _code)
        made: re.Pattern[str] = _compiler._sre.compile(pattern, all_flags, numbers_of(code).tolist(), groups, names, numbers)
        return made
    except re.error:
        raise
    except Exception:  # another Python, whose `re` has other insides
        _fresh.pop(("code", pattern, flags), None)
        return re.compile(pattern, flags)


def _code(pattern: str, flags: int) -> tuple[int, int, dict[str, int], tuple[str | None, ...], bytes]:
    """What `re.compile` gives to `_sre.compile` besides the pattern."""
    tree = _parser.parse(pattern, flags)
    names: dict[str, int] = tree.state.groupdict
    numbers: list[str | None] = [None] * tree.state.groups
    for name, number in names.items():
        numbers[number] = name
    return int(flags | tree.state.flags), tree.state.groups - 1, names, tuple(numbers), to_bytes(_compiler._code(tree, flags))
