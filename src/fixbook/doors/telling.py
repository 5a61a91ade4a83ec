"""An exception → its article. Here the matcher is imported, because something failed."""

import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..hook import Settings
from . import families

if TYPE_CHECKING:
    from ..api import Book, Report

__all__ = ["Found", "book_at", "loaded_facts", "report_on", "report_on_text", "tell_exception"]

_LONGEST = 400_000  # characters of a traceback; its end says what failed
_told: set[str] = set()  # entries whose article this process has printed
# Modules whose versions matter to the book, as facts.
_VERSIONS = (
    "vllm",
    "torch",
    "transformers",
    "flash_attn",
    "flashinfer",
    "triton",
    "ray",
    "sglang",
    "xformers",
    "deepspeed",
    "peft",
    "numpy",
)


@dataclass(frozen=True, slots=True)
class Found:
    """A report that has something to tell."""

    report: "Report"
    book: "Book"
    settings: Settings

    def text(self, color: bool, width: int = 100) -> str:
        return self._rendered("text", color=color, width=width)

    def html(self) -> str:
        return self._rendered("html")

    def _rendered(self, format: str, **options: Any) -> str:
        from ..cli.console import language

        lang = language(self.settings.lang)
        return self.report.render(format, lang=lang, full=self.settings.full, book=self.book, **options).rstrip()


def tell_exception(error: BaseException, settings: Settings, stream: Any = None) -> None:
    """Prints the article to stderr, where the book knows the cause. Never raises: the program has enough trouble."""
    stream = sys.stderr if stream is None else stream
    if stream is None:  # pythonw, a daemon
        return
    try:
        found = report_on(error, settings)
        if found is not None:
            print(f"\n{_page(found, stream)}", file=stream, flush=True)
    except Exception as trouble:
        print(f"fixbook: {type(trouble).__name__}: {trouble}", file=stream)


def _page(found: Found, stream: Any) -> str:
    from ..cli.console import lines, message_language, use_color, width
    from ..words import Words
    from . import ranks

    first, lang = found.report.findings[0], message_language(found.settings.lang)
    id, rank = first.entry.id, ranks.rank()
    if id in _told or not (rank or families.is_first(found.settings.family, id)):
        return "fixbook: " + lines("run.told", lang, id=id)
    _told.add(id)
    if rank and not ranks.tells(id):
        return "fixbook: " + lines("hook.rank", lang, rank=rank, title=Words(lang).title(first.entry, first), id=id)
    return found.text(use_color("auto", False, stream), width(stream))


def report_on(error: BaseException, settings: Settings) -> Found | None:
    """What the book knows about an exception; None when that is nothing."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return report_on_text(text, settings, "traceback")


def report_on_text(text: str, settings: Settings, name: str) -> Found | None:
    """What the book knows about a traceback with what was printed before it; None when that is nothing."""
    book = book_at(settings.kb)
    report = book.diagnose(text[-_LONGEST:], loaded_facts(), name=name)
    return Found(report, book, settings) if report.verdict in ("known", "wrapper") and report.findings else None


@cache
def book_at(folders: Sequence[str]) -> "Book":
    """The shipped book with others over it, loaded once."""
    from ..api import load

    return load(*folders, shipped=True)


def loaded_facts() -> dict[str, str]:
    """Versions of what this very interpreter has loaded: a traceback does not state them."""
    facts = {"python_version": "{}.{}.{}".format(*sys.version_info[:3])}
    for name in _VERSIONS:
        version = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(version, str) and version[:1].isdigit():
            facts[f"{name}_version"] = str(version)
    cuda = getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None)
    if isinstance(cuda, str):
        facts["cuda_version"] = cuda
    return facts
