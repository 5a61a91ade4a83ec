"""Where the files are that ship with the program."""

from pathlib import Path

__all__ = ["shipped_root"]


def shipped_root() -> Path:
    """The folder that holds `kb/` and `templates/`: inside an installed wheel, else the root of the source tree."""
    package = Path(__file__).resolve().parent
    inside = package / "_book"
    return inside if inside.is_dir() else package.parent.parent
