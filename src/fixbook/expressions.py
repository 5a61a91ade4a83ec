"""Regular expressions of the code: compiled when they are first used, and only once on a machine.

The rooms that read logs hold some hundred and fifty of them; compiling those that one paste needs takes longer than reading it. What
`re` makes of a pattern is a list of numbers, which `use` takes from the user's cache and `keep` puts there. It belongs to one version
of Python and to exactly this text of the pattern; where anything about it is not as expected, `re` compiles the pattern as ever.
"""

from __future__ import annotations

import marshal
import re
import sys
from re import _compiler, _parser  # type: ignore[attr-defined]

from .table import numbers_of, to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .cache import Cache

__all__ = ["Expression", "expression", "keep", "recall", "use"]

_METHODS = ("findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "search", "split", "sub", "subn")
_MOST = 4000  # that are kept of patterns and what is known of them

_known: dict[tuple[str, str, int], Any] = {}
_fresh: dict[tuple[str, str, int], Any] = {}  # made here, not kept yet


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
    data = None if _known else cache.get(_name())
    if data is not None:
        _known.update(marshal.loads(data))


def recall(what: str, pattern: str, flags: int, make: Callable[[str, int], Any]) -> Any:
    """What is known of a pattern under the word `what`, else what `make` says: numbers, strings and tuples of them, kept with the rest."""
    key = (what, pattern, int(flags))
    known = _known.get(key) or _fresh.get(key)
    if known is None:
        known = _fresh[key] = make(pattern, flags)
    return known


def keep(cache: Cache) -> None:
    """Keeps what was made in this run, for the next one."""
    if _fresh and len(_known) + len(_fresh) <= _MOST:
        _known.update(_fresh)
        _fresh.clear()
        cache.put(_name(), marshal.dumps(_known, 4))


def _name() -> str:
    """Of this build of Python: the numbers mean something to no other one."""
    return f"expressions-{sys.implementation.cache_tag}-{sys.hexversion:x}-{_compiler.MAGIC}-{_compiler._sre.CODESIZE}"


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
