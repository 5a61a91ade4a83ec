"""The book that a wheel carries ready, beside the files that it was made of: a first start on a machine reads no YAML.

The file is one digest and a bundle. The digest is of the bundle, of the program's version and of all files of the book, so that a file
that is damaged, of another release, or made of other entries than those beside it is none. It is asked where the cache has nothing.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator

from .bundle import Bundle
from .digest import digest

__all__ = ["dump", "read"]

_SIZE = 32  # bytes of the digest, each two hexadecimal digits in the file


def dump(bundle: Bundle, folder: str, version: str) -> bytes:
    """The file for the bundle of the book in `folder`, made by this version of the program."""
    body = bundle.dump()
    return _digest(body, folder, version) + body


def read(file: str, folder: str, version: str) -> Bundle | None:
    """The bundle in a file; None where there is none, or where it is not what this version made of the book in `folder`."""
    try:
        with open(file, "rb") as opened:
            data = opened.read()
        head, body = data[: 2 * _SIZE], data[2 * _SIZE :]
        return Bundle.load(body) if head == _digest(body, folder, version) else None
    except (OSError, ValueError):
        return None


def _digest(body: bytes, folder: str, version: str) -> bytes:
    # Version 2 of marshal writes equal values as equal bytes, on every platform.
    return digest(marshal.dumps((version, list(_files(folder)), body), 2), _SIZE).encode("ascii")


def _files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Names and contents, in one order wherever they lie. Hidden files are no part of a book, and no part of a wheel."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, folder).replace(os.sep, "/"), file.read()
