"""What the matcher of the page knows of the book: one script, loaded with the home page and handed to the worker as `{book}`."""

import json
from collections.abc import Iterator
from typing import Any

from .. import __version__
from .output import Output
from .volume import Volume, digest

__all__ = ["bundle", "bundle_outputs"]


def bundle(volume: Volume) -> dict[str, Any]:
    """The book in JSON: its identity."""
    return {"version": __version__, "entries": len(volume.items), "digest": digest(*(item.key for item in volume.items))}


def bundle_outputs(volume: Volume, code: str) -> Iterator[Output]:
    """`assets/book.js`, which gives the bundle to the page."""

    def make() -> bytes:
        return f"globalThis.fixbookBook = {json.dumps(bundle(volume), ensure_ascii=False, separators=(',', ':'))};\n".encode()

    yield Output("assets/book.js", digest(code, *(item.key for item in volume.items)), make)
