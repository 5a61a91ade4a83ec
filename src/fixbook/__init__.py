"""fixbook: paste a log, get the fix.

`load()` gives the shipped book; `book.diagnose(log)` gives a report with findings, which `report.render(format, lang=…)` turns into an article.
"""

from typing import TYPE_CHECKING, Any

from .errors import BookError, FixbookError

if TYPE_CHECKING:
    from .api import Article, Book, Report, load

__version__ = "0.1.0"

__all__ = ["Article", "Book", "BookError", "FixbookError", "Report", "__version__", "load"]


def __getattr__(name: str) -> Any:
    """The facades, imported when they are first asked for: `import fixbook.errors` alone stays cheap."""
    if name in ("Article", "Book", "Report", "load"):
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
