"""How the server and its workers talk: a frame is a JSON header and a body, each with its length before it."""

import asyncio
import json
import struct
from typing import Any, BinaryIO

__all__ = ["pack", "read", "receive"]

_LENGTHS = struct.Struct("!II")

Header = dict[str, Any]


def pack(header: Header, body: bytes = b"") -> bytes:
    """One frame."""
    data = json.dumps(header).encode()
    return _LENGTHS.pack(len(data), len(body)) + data + body


def read(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next frame of a blocking stream; None at its end."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    size, body_size = _LENGTHS.unpack(lengths)
    header, body = stream.read(size), stream.read(body_size)
    return (json.loads(header), body) if len(body) == body_size else None


async def receive(stream: asyncio.StreamReader) -> tuple[Header, bytes]:
    """The next frame. Raises asyncio.IncompleteReadError when the other side has ended."""
    size, body_size = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    return json.loads(await stream.readexactly(size)), await stream.readexactly(body_size)
