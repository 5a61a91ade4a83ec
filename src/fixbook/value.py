"""Frozen values with slots: what `dataclass(frozen=True, slots=True)` gives, without what it costs at start-up.

A paste is answered in some tens of milliseconds, and the rooms it goes through define more than fifty kinds of values. `dataclasses`
imports the inspection of code and compiles five methods for each of them, which takes longer than reading the log. Here the methods
are shared, and nothing is compiled.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self, TypeVar, dataclass_transform

    V = TypeVar("V", bound="Value")
else:

    def dataclass_transform(**_: object) -> Callable[[type], type]:
        return lambda made: made


__all__ = ["NamedTuple", "Value", "field", "fields", "replace"]


class _Field:
    """What stands for a default that is more than a value."""

    __slots__ = ("compare", "default", "factory")

    def __init__(self, default: Any, factory: Callable[[], Any] | None, compare: bool) -> None:
        self.default = default
        self.factory = factory
        self.compare = compare


_NONE = object()  # no default


def field(*, default: Any = _NONE, default_factory: Callable[[], Any] | None = None, compare: bool = True) -> Any:
    """A field that is made anew for each value (`default_factory=dict`), or that says nothing about equality (`compare=False`)."""
    return _Field(default, default_factory, compare)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _Kind(type):
    """Makes the annotated names of a class its slots, and its fields."""

    _fields: tuple[str, ...] = ()
    _places: dict[str, int]
    _row: tuple[Any, ...] = ()  # the default of each field, or _NONE
    _required: tuple[str, ...] = ()  # they come first
    _factories: dict[str, Callable[[], Any]]
    _silent: frozenset[str] = frozenset()
    _setters: tuple[Callable[[Any, Any], None], ...] = ()
    _compared: Callable[[Any], Any] | None = None
    _all: Callable[[Any], tuple[Any, ...]]  # the values of all fields

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> _Kind:
        own = tuple(_annotations(namespace))
        base = next((each for each in bases if isinstance(each, _Kind)), None)
        factories = {**base._factories} if base else {}
        silent = base._silent if base else frozenset()
        defaults = []
        for each in own:
            default = namespace.pop(each, _NONE)
            if isinstance(default, _Field):
                if not default.compare:
                    silent |= {each}
                if default.factory is not None:
                    factories[each] = default.factory
                default = default.default
            defaults.append(default)
        names = (*base._fields, *own) if base else own
        row = (*base._row, *defaults) if base else tuple(defaults)
        namespace["__slots__"] = namespace["__match_args__"] = own
        namespace["_fields"] = names
        namespace["_places"] = {each: place for place, each in enumerate(names)}
        namespace["_row"] = row
        namespace["_required"] = tuple(each for each, one in zip(names, row, strict=True) if one is _NONE and each not in factories)
        namespace["_factories"] = factories
        namespace["_silent"] = silent
        namespace["_compared"] = None
        namespace["_all"] = staticmethod(
            attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, each) for each in names)
        )
        kind = super().__new__(cls, name, bases, namespace, **options)
        slots = vars(kind)
        kind._setters = (*(base._setters if base else ()), *[slots[each].__set__ for each in own])
        return kind


def _comparison(kind: _Kind) -> Callable[[Any], Any]:
    """What counts of a value of this kind when it is compared."""
    told = [each for each in kind._fields if each not in kind._silent]
    compared: Callable[[Any], Any] = staticmethod(attrgetter(*told) if told else lambda value: ())
    kind._compared = compared
    return compared


def _annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] | None = namespace.get("__annotations__")
    if found is None and sys.version_info >= (3, 14):
        from annotationlib import Format, call_annotate_function, get_annotate_from_class_namespace

        annotate = get_annotate_from_class_namespace(namespace)
        found = call_annotate_function(annotate, Format.FORWARDREF) if annotate else None
    return found or {}


class Value(metaclass=_Kind):
    """A frozen value: equal to another of its kind with equal fields, never changed, copied with changes by `replace`."""

    def __init__(self, *given: Any, **named: Any) -> None:
        kind = type(self)
        setters = kind._setters
        complete: Iterable[Any]
        if not named and len(given) == len(setters):
            complete = given
        elif not given and tuple(named) == kind._fields:  # all by name, in order
            complete = named.values()
        else:
            complete = _complete(kind, given, named)
        for put, value in zip(setters, complete, strict=True):
            put(self, value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = type(self)._compared or _comparison(type(self))
        return bool(compared(self) == compared(other))

    def __hash__(self) -> int:
        return hash((type(self)._compared or _comparison(type(self)))(self))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in type(self)._fields)})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed: replace(value, {name}=…) gives a changed copy")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be taken away")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), type(self)._all(self)

    def __replace__(self, **changes: Any) -> Self:
        return replace(self, **changes)


def _complete(kind: _Kind, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """One value for each field. Raises TypeError as a call does."""
    names = kind._fields
    if len(given) > len(names):
        raise TypeError(f"{kind.__name__} takes {len(names)} values, {len(given)} were given")
    values = [*given, *kind._row[len(given) :]]
    places = kind._places
    for name, value in named.items():
        place = places.get(name, -1)
        if place < len(given):
            raise TypeError(f"{kind.__name__} was given {name!r} {'and has no such field' if place < 0 else 'twice'}")
        values[place] = value
    for name, make in kind._factories.items():
        if values[places[name]] is _NONE:
            values[places[name]] = make()
    for name in kind._required[len(given) :]:
        if values[places[name]] is _NONE:
            raise TypeError(f"{kind.__name__} needs a value for {name!r}")
    return values


def fields(value: Value | type[Value]) -> tuple[str, ...]:
    """The names of the fields, in order."""
    kind = value if isinstance(value, type) else type(value)
    return kind._fields


def replace(value: V, /, **changes: Any) -> V:
    """A copy with some fields changed. Raises TypeError for a field that the value does not have."""
    kind = type(value)
    values = [*kind._all(value)]
    for name, new in changes.items():
        place = kind._places.get(name)
        if place is None:
            raise TypeError(f"{kind.__name__} has no field {name!r}")
        values[place] = new
    return kind(*values)


class _Row(type):
    """Makes the annotated names of a class the places of a tuple."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
        notes = _annotations(namespace)
        if not notes:
            return super().__new__(cls, name, bases, namespace)
        defaults = [namespace.pop(each) for each in notes if each in namespace]
        row = namedtuple(name, list(notes), defaults=defaults, module=namespace["__module__"])  # type: ignore[misc]
        return type(name, (row,), {**namespace, "__slots__": ()})


class NamedTuple(metaclass=_Row):
    """`typing.NamedTuple` for those who would not import `typing` for it alone; checkers of types are shown that one."""
