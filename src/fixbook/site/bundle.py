"""What the matcher of the page knows of the book: one script, loaded when the paste box is first used, which hands it to the worker."""

import json
from collections.abc import Iterator

from .output import Output
from .volume import Volume, digest

__all__ = ["bundle", "bundle_outputs"]


def bundle(volume: Volume) -> str:
    """The JSON of `matcher_data` without the program's tables; each entry was translated when it was read."""
    info = volume.info
    book = json.dumps({"version": info.version, "digest": info.digest, "entries": info.entries})
    entries = ",\n".join(item.matcher for item in volume.items if item.matcher)
    return f'{{"book":{book},"entries":[\n{entries}\n]}}'


def bundle_outputs(volume: Volume, code: str) -> Iterator[Output]:
    """`assets/book.js`, which gives the book to the page."""

    def make() -> bytes:
        return f"globalThis.fixbookBook = {bundle(volume)};\n".encode()

    yield Output("assets/book.js", digest(code, *(item.key for item in volume.items)), make)
