"""Compiled templates in the user's cache folder: compiling those of one answer takes longer than all the rest of a paste."""

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from jinja2 import __version__ as jinja_version
from jinja2.bccache import Bucket, BytecodeCache

__all__ = ["CompiledTemplates", "cache_folder", "compiled_templates"]

_DIGEST = 16


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again: XDG_CACHE_HOME, or the platform's own place."""
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "fixbook"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "fixbook" / "cache"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "fixbook"


@cache
def compiled_templates() -> "CompiledTemplates | None":
    """The cache of this Python and this Jinja; None for a user without a home."""
    try:
        return CompiledTemplates(cache_folder() / f"templates-{jinja_version}-{sys.implementation.cache_tag}")
    except RuntimeError:
        return None


class CompiledTemplates(BytecodeCache):
    """One file a template. A file that is damaged or of another source counts as absent; a folder that cannot be written is no error.

    Jinja compares the template's source; the digest in front guards its bytes, because damaged bytecode can crash the interpreter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            data = (self._folder / bucket.key).read_bytes()
            if blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() == data[:_DIGEST]:
                bucket.bytecode_from_string(data[_DIGEST:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        data = bucket.bytecode_to_string()
        path = self._folder / bucket.key
        # Several processes may write at once; each writes its own file and puts it in place whole.
        temporary = path.with_name(f"{bucket.key}.{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_bytes(blake2b(data, digest_size=_DIGEST).digest() + data)
            temporary.replace(path)
