"""What the matcher of the page knows of the book: one script, loaded with the home page and handed to the worker as `{book}`."""

import json
from collections.abc import Iterator

from .matcher_data import matcher_data
from .output import Output
from .volume import Volume, digest

__all__ = ["bundle", "bundle_outputs"]


def bundle(volume: Volume) -> str:
    """The JSON of `matcher_data` for the entries of this volume, each of which was translated when it was read."""
    data = matcher_data((), volume.info)
    entries = ",\n".join(item.matcher for item in volume.items if item.matcher)
    head = json.dumps({name: value for name, value in data.items() if name != "entries"}, ensure_ascii=False, separators=(",", ":"))
    return f'{head[:-1]},"entries":[\n{entries}\n]}}'


def bundle_outputs(volume: Volume, code: str) -> Iterator[Output]:
    """`assets/book.js`, which gives the book to the page."""

    def make() -> bytes:
        return f"globalThis.fixbookBook = {bundle(volume)};\n".encode()

    yield Output("assets/book.js", digest(code, *(item.key for item in volume.items)), make)
