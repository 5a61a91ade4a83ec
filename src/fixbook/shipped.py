"""Where the files are that ship with the program."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["shipped_folder", "shipped_root"]

INSTALLED = "_book"


def shipped_root() -> Path:
    """The folder that holds `kb/` and `templates/`: inside an installed wheel, else the root of the source tree."""
    from pathlib import Path

    return Path(shipped_folder())


def shipped_folder() -> str:
    """The same as text, for those that a paste waits for."""
    package = os.path.dirname(os.path.realpath(__file__))
    inside = os.path.join(package, INSTALLED)
    return inside if os.path.isdir(inside) else os.path.dirname(os.path.dirname(package))
