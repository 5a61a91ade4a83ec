"""Values of the book ↔ plain tuples, dicts and strings, which `marshal` takes. The inverse needs no YAML and checks nothing again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from . import errors, model
from .value import Value, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["pack", "unpack"]

# A packed value is itself when it is a str, bytes, int, bool or None, a dict for a mapping, else a tuple that begins with its kind.
_SEQUENCE = ""


def _constructors() -> dict[str, Callable[..., Any]]:
    names = [*model.__all__, "Where", "Problem"]
    found = ((name, getattr(model, name, None) or getattr(errors, name)) for name in names)
    return {name: each for name, each in found if isinstance(each, type)}


_MAKE = _constructors()


_PLAIN = frozenset((str, bytes, int, bool, type(None)))


def pack(value: Any, *, places: bool = True) -> Any:
    """The plain form of a value of `model.py` or of a Problem. `places=False` leaves out where in a file it stands."""
    return _pack(value, places)


def _pack(value: Any, places: bool) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return (_SEQUENCE, *[_pack(each, places) for each in value])
    if kind is errors.Where and not places:
        return None
    if isinstance(value, Value) and kind.__name__ in _MAKE:
        return (kind.__name__, *[_pack(getattr(value, each), places) for each in fields(value)])
    if isinstance(value, Enum):
        return (kind.__name__, value.value)
    if isinstance(value, Mapping):
        return {key: _pack(each, places) for key, each in value.items()}
    raise TypeError(f"{kind.__name__} is no value of a book")


_NESTED = frozenset((tuple, dict))


def unpack(plain: Any) -> Any:
    """The inverse of `pack`."""
    if type(plain) is tuple:
        parts = [unpack(each) if type(each) in _NESTED else each for each in plain]
        kind = parts.pop(0)
        return tuple(parts) if kind == _SEQUENCE else _MAKE[kind](*parts)
    if type(plain) is dict:
        return {key: unpack(each) if type(each) in _NESTED else each for key, each in plain.items()}
    return plain
