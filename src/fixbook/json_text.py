"""JSON without the module `json`, whose import takes a paste as long as a fifth of its log: with it where anything is unusual."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _json import encode_basestring as _quoted  # what `json.encoder` takes
except ImportError:  # an interpreter that has it elsewhere
    from json.encoder import encode_basestring as _quoted

__all__ = ["dumps"]

_LISTS = (list, tuple)


def dumps(value: Any) -> str:
    """What `json.dumps(value, ensure_ascii=False, indent=2)` gives; names of members are text. Raises TypeError for what JSON has not."""
    return _written(value, "\n")


def _written(value: Any, line: str) -> str:
    """`line` begins a line of what the value stands in."""
    if isinstance(value, str):
        return _quoted(value)
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    inner = line + "  "
    if isinstance(value, dict):
        members = [f"{_quoted(name)}: {_written(each, inner)}" for name, each in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}" if members else "{}"
    if isinstance(value, _LISTS):
        members = [_written(each, inner) for each in value]
        return f"[{inner}{f',{inner}'.join(members)}{line}]" if members else "[]"
    import json

    return json.dumps(value)
