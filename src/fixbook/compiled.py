"""Compiled templates in the user's cache folder: compiling those of one answer takes longer than all the rest of a paste."""

import os
import sys
from functools import cache

from jinja2 import __version__ as jinja_version
from jinja2.bccache import Bucket, BytecodeCache

from .cache import Cache, folder

__all__ = ["CompiledTemplates", "compiled_templates"]


@cache
def compiled_templates() -> "CompiledTemplates | None":
    """The cache of this Python and this Jinja; None for a user without a home."""
    try:
        return CompiledTemplates(Cache(os.path.join(folder(), f"templates-{jinja_version}-{sys.implementation.cache_tag}")))
    except RuntimeError:
        return None


class CompiledTemplates(BytecodeCache):
    """One file a template. Jinja itself compares the template's source; whose and whether whole the file is, the cache knows."""

    def __init__(self, kept: Cache) -> None:
        self._kept = kept

    def load_bytecode(self, bucket: Bucket) -> None:
        data = self._kept.get(bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept.put(bucket.key, bucket.bytecode_to_string())
