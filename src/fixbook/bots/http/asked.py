"""The body of a diagnosis: what log, with which facts, answered in what way."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .task import RefusedError, Task

__all__ = ["Asked", "read_asked", "unpacked"]

_RAW = ("", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded", "application/gzip", "application/x-gzip")
_KEYS = {"log": str, "name": str, "lang": str, "format": str, "full": bool, "redact": bool, "facts": dict}
_GZIP = 16 + zlib.MAX_WBITS
_CHUNK = 65_536
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Asked:
    """A log and how to answer. A name in the JSON body wins over one in the query."""

    log: str | bytes
    name: str = "paste"
    lang: str = ""
    format: str = ""
    full: str = ""
    redact: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


def read_asked(task: Task, body: bytes, limit: int) -> Asked:
    """What the request asks. Raises RefusedError (400, 413, 415)."""
    kind = task.content_type.split(";")[0].strip().lower()
    data = unpacked(body, task.encoding, limit)
    if kind in ("application/gzip", "application/x-gzip"):
        data = unpacked(data, "gzip", limit)
    if kind in _RAW or kind.startswith("text/"):
        return Asked(data, **_of_query(task))
    if kind == "application/json" or kind.endswith("+json"):
        return _of_json(task, data)
    raise RefusedError(415, f"a log is sent as text/plain or as application/json, not as {kind}")


def unpacked(data: bytes, encoding: str, limit: int) -> bytes:
    """The body without its Content-Encoding. Raises RefusedError when it grows beyond `limit` or is damaged."""
    if encoding in ("", "identity"):
        return data
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise RefusedError(415, f"no body is taken in Content-Encoding {encoding!r}: send it as it is, or as gzip")
    out = bytearray()
    unpacker = zlib.decompressobj(_GZIP if "gzip" in encoding else zlib.MAX_WBITS)
    try:
        while data:
            out += unpacker.decompress(data, _CHUNK)
            if len(out) > limit:
                raise RefusedError(413, f"the log is larger than {limit:,} bytes when it is unpacked: send its end, where the failure is")
            data = unpacker.unconsumed_tail
            if not data and unpacker.eof and unpacker.unused_data and "gzip" in encoding:  # files that were joined
                data, unpacker = unpacker.unused_data, zlib.decompressobj(_GZIP)
        out += unpacker.flush()
    except zlib.error as error:
        raise RefusedError(400, f"the body is no valid {encoding}") from error
    if not unpacker.eof:
        raise RefusedError(400, f"the {encoding} body is cut off")
    return bytes(out)


def _of_query(task: Task) -> dict[str, Any]:
    query = dict(task.query)
    out: dict[str, Any] = {name: query[name] for name in ("lang", "format", "full", "redact") if name in query}
    if query.get("name"):
        out["name"] = query["name"][:_LONGEST_NAME]
    pairs = [value.partition("=") for name, value in task.query if name == "fact"]
    if any(not sign or not name.strip() or not value.strip() for name, sign, value in pairs):
        raise RefusedError(400, "a fact is stated as fact=NAME=VALUE")
    out["facts"] = {name.strip(): value.strip() for name, _, value in pairs}
    return out


def _of_json(task: Task, data: bytes) -> Asked:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "the body is no valid JSON") from error
    if not isinstance(body, dict) or not isinstance(body.get("log"), str):
        raise RefusedError(400, 'the body is a JSON object with the log as text: {"log": "…"}')
    for name, value in body.items():
        if name not in _KEYS:
            raise RefusedError(400, f"no key is called {name!r}: one of {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[name]):
            raise RefusedError(400, f"{name} is a {_KEYS[name].__name__}, not {json.dumps(value)[:50]}")
    facts = body.pop("facts", {})
    if not all(isinstance(value, str) for value in facts.values()):
        raise RefusedError(400, "the values of facts are text")
    said = {name: str(value).lower() if isinstance(value, bool) else value for name, value in body.items()}
    if "name" in said:
        said["name"] = said["name"][:_LONGEST_NAME] or "paste"
    asked = _of_query(task)
    return Asked(**{**asked, **said, "facts": {**asked["facts"], **facts}})
