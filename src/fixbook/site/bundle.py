"""What the matcher of the page knows of the book: one script, loaded with the home page and handed to the worker as `{book}`."""

import json
import marshal
from collections.abc import Iterator
from hashlib import blake2b

from .. import __version__
from ..packing import pack
from ..report import BookInfo
from .matcher_data import FOLDER, matcher_data
from .output import Output
from .volume import Volume, digest

__all__ = ["bundle_outputs", "has_matcher"]


def has_matcher() -> bool:
    """Whether this program can match in a page."""
    return (FOLDER / "matcher.js").is_file()


def bundle_outputs(volume: Volume, code: str) -> Iterator[Output]:
    """`assets/book.js`, which gives the book to the page."""

    def make() -> bytes:
        entries = [item.entry for item in volume.items]
        data = matcher_data(entries, _info(volume)) if has_matcher() else {}
        return f"globalThis.fixbookBook = {json.dumps(data, ensure_ascii=False, separators=(',', ':'))};\n".encode()

    yield Output("assets/book.js", digest(code, *(item.key for item in volume.items)), make)


def _info(volume: Volume) -> BookInfo:
    """The book's identity, as the program's own reports give it."""
    bare = [pack(item.entry, places=False) for item in volume.items]
    return BookInfo(__version__, blake2b(marshal.dumps(bare, 2), digest_size=8).hexdigest(), len(bare))
