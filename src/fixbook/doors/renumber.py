"""Line numbers of a report on a log whose middle was left out."""

from typing import Any, TypeVar

from ..model import Entry
from ..report import Rank
from ..value import Value, fields, replace

__all__ = ["renumbered"]

T = TypeVar("T")


def renumbered(report: T, line: int, omitted: int) -> T:
    """The report with every line number behind `line` moved by `omitted`."""
    moved: T = _moved(report, line, omitted) if omitted else report
    return moved


def _moved(value: Any, line: int, omitted: int) -> Any:
    if isinstance(value, Rank):
        return value._replace(place=value.place + omitted) if value.place > line else value
    if isinstance(value, tuple):
        return tuple(_moved(part, line, omitted) for part in value)
    if not isinstance(value, Value) or isinstance(value, Entry):  # an entry's lines are those of its own file
        return value
    changes = {}
    for name in fields(value):
        old = getattr(value, name)
        moved = old + omitted if name == "line" and isinstance(old, int) and old > line else _moved(old, line, omitted)
        if moved is not old:
            changes[name] = moved
    return replace(value, **changes) if changes else value
