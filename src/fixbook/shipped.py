"""Where the files are that ship with the program."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["shipped_folder", "shipped_root"]

INSTALLED = "_book"
PREBUILT = "book.bin"  # in that folder: the book made ready when the wheel was built (prebuilt.py)


def shipped_root() -> Path:
    """The folder that holds `kb/` and `templates/`: inside an installed wheel, else the root of the source tree."""
    from pathlib import Path

    return Path(shipped_folder())


def shipped_folder() -> str:
    """The same as text, for those that a paste waits for."""
    package = os.path.dirname(os.path.realpath(__file__))
    inside = os.path.join(package, INSTALLED)
    return inside if os.path.isdir(inside) else os.path.dirname(os.path.dirname(package))


def install_of(root: str) -> str:
    """What is another one after each installation, also of the same version: when the book that is ready was put there."""
    try:
        status = os.stat(os.path.join(root, PREBUILT))
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_size}"
