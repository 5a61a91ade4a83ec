"""Puts the book into the wheel as the program wants it: entries and literals in one file, beside the YAML that it was made of."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Prebuilt(BuildHookInterface[Any]):
    """The hook of the wheel. An installation for editing reads the files where they lie, and has no use for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        source = str(Path(self.root, "src"))
        sys.path.insert(0, source)
        try:
            from fixbook import __version__, prebuilt, shipped
            from fixbook.api import bundled
            from fixbook.facts import FACTS
            from fixbook.kb import load_folder

            book = os.path.relpath(Path(self.root, "kb"))  # so that no place in it tells where it was built
            data = prebuilt.dump(bundled(load_folder(book, FACTS)), book, __version__)
        finally:
            sys.path.remove(source)
        self._made = Path(tempfile.mkdtemp()) / shipped.PREBUILT
        self._made.write_bytes(data)
        build_data["force_include"][str(self._made)] = f"fixbook/{shipped.INSTALLED}/{shipped.PREBUILT}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._made.unlink()
            self._made.parent.rmdir()
