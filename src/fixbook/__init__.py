"""fixbook: paste a log, get the fix.

`load()` gives the shipped book; `book.diagnose(log)` gives a report with findings, which `report.render(format, lang=…)` turns into
an article. `install()` has the article printed under uncaught exceptions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .api import Article, Book, Report, load
    from .errors import BookError, FixbookError
    from .hook import install

__version__ = "0.1.0"

__all__ = ["Article", "Book", "BookError", "FixbookError", "Report", "__version__", "install", "load"]

_ROOMS = {"BookError": "errors", "FixbookError": "errors", "install": "hook"}


def __getattr__(name: str) -> Any:
    """The facades, imported when they are first asked for: `import fixbook` alone stays cheap."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(f".{_ROOMS.get(name, 'api')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
