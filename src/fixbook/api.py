"""The library's door: load a book, diagnose a log, render the answer. The command line goes through it, too.

import fixbook
book = fixbook.load()
report = book.diagnose(text)
print(report.render("markdown", lang="zh"))
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from .bundle import Bundle, load_cached
from .decoding import decode
from .errors import FixbookError, Problem
from .fact_kinds import ValueKind, kind_of
from .fact_values import is_silent, normalise
from .facts import FACTS, read_facts, stated_by_caller
from .index import Index
from .log import read
from .model import Entry, Kind, Lang, Status, Text
from .report import BookInfo, Log, Skipped
from .report import Report as _Report
from .scan import Hits, scan
from .triage import triage
from .value import Value, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO, Literal, Self

    from .explain import Explanation
    from .follow import Wait
    from .kb import Loaded
    from .source import Source

    Pasted = str | bytes | bytearray | memoryview

__all__ = ["Article", "Book", "Report", "check_facts", "load"]


class Report(_Report):
    """The answer to one log, which can render itself."""

    def render(self, format: str = "text", *, lang: Lang | Literal["both"] = "en", full: bool = False, **options: Any) -> str:
        """The report as `text`, `markdown`, `html`, `json` or the card of a chat (`slack` …); `full` gives the whole article.

        Raises FixbookError for another format.
        """
        from .render import render

        return render(self, format, lang, full, **options)

    def card(self, platform: str, *, lang: Lang | Literal["both"] = "en", base_url: str = "", full: bool = False) -> dict[str, Any]:
        """The payload that a chat takes (`slack`, `discord`, `feishu`, `dingtalk`, `wecom`, `github`), within its limits, secrets masked.

        `base_url` is where the site of the book is published; with it the card links to the whole article.
        """
        from .cards import card

        return card(self, platform, lang, base_url=base_url, full=full)

    def to_json(self) -> str:
        """The published JSON (schema/report.schema.json)."""
        from .json_report import to_json

        return to_json(self)


class Article(Value):
    """One entry of a book, which can render itself without a log."""

    entry: Entry
    book: Book

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def aliases(self) -> tuple[str, ...]:
        return self.entry.aliases

    @property
    def kind(self) -> Kind:
        return self.entry.kind

    @property
    def title(self) -> Text:
        return self.entry.title

    @property
    def summary(self) -> Text:
        return self.entry.summary

    def render(self, format: str = "text", *, lang: Lang | Literal["both"] = "en", **options: Any) -> str:
        from .render import render_entry

        return render_entry(self.entry, format, lang, self.book, **options)


class Book:
    """A loaded book. Immutable: one book may serve any number of threads."""

    def __init__(self, loaded: Loaded) -> None:
        """The book of values that `kb.load` gave. `load()` is the usual way to one."""
        self._bundle = bundled(loaded)
        self._reload: Callable[[], Loaded] = partial(_same, loaded)

    @classmethod
    def _of(cls, bundle: Bundle, reload: Callable[[], Loaded]) -> Self:
        """A book that is ready; `reload` reads its files for those who need their places."""
        book = cls.__new__(cls)
        book._bundle = bundle
        book._reload = reload
        return book

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled, a book is its content: another process gets the same one, whatever has become of its files."""
        return _restored, (self._bundle.dump(), self._reload)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the book's files; the entries concerned are set aside."""
        return self._bundle.problems

    @cached_property
    def loaded(self) -> Loaded:
        """The book's values with the places in its files: entries, components, glossary."""
        return self._reload()

    @cached_property
    def entries(self) -> tuple[Article, ...]:
        """All entries, ordered by id."""
        return tuple(Article(entry, self) for entry in self._bundle.entries.values())

    @property
    def info(self) -> BookInfo:
        from . import __version__

        return BookInfo(__version__, self._bundle.digest, len(self._bundle.entries))

    def __getitem__(self, name: str) -> Article:
        """An entry by id, slug or alias. Raises KeyError with the nearest names."""
        id = name if name in self._bundle.entries else self._bundle.aliases.get(name)
        if id is None:
            near = self._near(name)
            raise KeyError(f"no entry {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
        return Article(self._bundle.entries[id], self)

    def _near(self, name: str) -> list[str]:
        """At most three ids: those that hold the name or all of its words, else those that are written alike."""
        from difflib import get_close_matches

        words = name.lower().replace("/", " ").replace("_", " ").replace("-", " ").split()
        within = sorted((id for id in self._bundle.entries if len("".join(words)) > 2 and all(word in id for word in words)), key=len)
        alike = within or get_close_matches(name, [*self._bundle.entries, *self._bundle.aliases], n=6)
        return list(dict.fromkeys(self._bundle.aliases.get(each, each) for each in alike))[:3]

    def __contains__(self, name: object) -> bool:
        return name in self._bundle.entries or name in self._bundle.aliases

    def diagnose(self, log: Pasted, facts: Mapping[str, str] | None = None, *, name: str = "paste") -> Report:
        """What is known about a log. Never fails on a log's content.

        `facts` are stated by the caller, as with `--fact name=value`; an unknown name, and a value that is none of this fact, raises
        FixbookError, and what is neither text nor bytes TypeError.
        `name` is how the report calls the log.
        """
        return self._diagnose(read(_text(log), name), facts or {})[0]

    def diagnose_source(self, source: Source, facts: Mapping[str, str] | None = None) -> Report:
        """What is known about a file or a stream of any size: a short one is read whole, of a large one the regions that matter.

        Memory does not grow with the log. Raises FixbookError when it cannot be opened; what could not be read is in `skipped`.
        """
        from .source import head_of

        head = head_of(source)
        if head.data is not None:
            problems = (Skipped(source.name, head.problem),) if head.problem else ()
            return self._diagnose(read(decode(head.data), source.name), facts or {}, problems)[0]
        from .cache import Cache
        from .large import read_large
        from .searcher import Searcher

        log, skipped = read_large(head.source, Searcher(self._bundle.index, Cache().remember))
        return self._diagnose(log, facts or {}, skipped)[0]

    def follow(
        self,
        log: str | Path | BinaryIO,
        facts: Mapping[str, str] | None = None,
        *,
        wait: Wait | None = None,
        from_end: bool = False,
        name: str = "",
    ) -> Iterator[Report]:
        """A report for each piece of news of a log that grows: the path of a file, also when it is rotated, or a pipe.

        A report holds what was not told before: an entry is told once in each run of the program, a failure that none explains, too. What
        the log stated long before holds for it. A file that is not there yet is waited for. `wait(seconds)` waits between two looks and
        says whether to go on; without it the file is followed for ever, a pipe to its end. `from_end` leaves out what the file holds
        already, and with it what is stated there. An unknown fact raises FixbookError.
        """
        check_facts(facts or {})
        return self._follow(log, facts or {}, wait, from_end, name)

    def _follow(
        self, log: str | Path | BinaryIO, facts: Mapping[str, str], wait: Wait | None, from_end: bool, name: str
    ) -> Iterator[Report]:
        from pathlib import Path

        from .cache import Cache
        from .follow import follow, follow_pipe
        from .log import read_parts
        from .searcher import Searcher
        from .told import Memory

        searcher = Searcher(self._bundle.index, Cache().remember)
        memory = Memory(self._bundle.index)
        if isinstance(log, str | os.PathLike):
            name = name or os.fspath(log)
            told = follow(Path(log), searcher, wait or _for_ever, from_end=from_end)
        else:
            name = name or "stdin"
            told = follow_pipe(log, name, searcher, (lambda: wait(0)) if wait else (lambda: True))
        for news in told:
            read_log = read_parts(memory.parts(news), name)
            report = memory.fresh(self._diagnose(read_log, facts, news.regions.skipped)[0], read_log, news.from_line)
            if report is not None:
                yield report

    def explain(
        self, log: Pasted, id: str | None = None, facts: Mapping[str, str] | None = None, *, name: str = "paste"
    ) -> tuple[Explanation, ...]:
        """Why each entry was found or not; only one with `id`. Raises KeyError for an id that the book does not have."""
        from .explain import explain

        entries: Sequence[Entry] = [self[id].entry] if id is not None else [self._bundle.entries[each] for each in self._bundle.active]
        read_log = read(_text(log), name)
        report, hits = self._diagnose(read_log, facts or {})
        return explain(read_log, report, hits.hits, entries)

    def search(self, words: str) -> tuple[Article, ...]:
        """Entries whose titles, texts, patterns, samples or names hold all the words, best first."""
        from .search import search

        return tuple(Article(entry, self) for entry in search(self._bundle.entries.values(), words))

    def _diagnose(self, log: Log, facts: Mapping[str, str], skipped: tuple[Skipped, ...] = ()) -> tuple[Report, Hits]:
        check_facts(facts)
        bundle = self._bundle
        hits = scan(log, bundle.entries, bundle.active, bundle.index)
        stated = (*stated_by_caller(facts), *read_facts(log))
        report = triage(bundle.entries, hits.hits, stated, log, self.info, (*skipped, *hits.skipped), lambda: bundle.vocabulary)
        return Report(**{name: getattr(report, name) for name in fields(report)}), hits


def load(*paths: str | Path, shipped: bool | None = None) -> Book:
    """The shipped book without arguments; the books in the given folders, one over the other, with them.

    `shipped=True` puts the given folders over the shipped book. A folder that does not exist raises FixbookError; broken entries do not:
    they are set aside and named in `Book.problems`.
    """
    from .cache import Cache
    from .expressions import use
    from .shipped import INSTALLED, install_of, shipped_folder

    cache = Cache()
    use(cache)
    folders = [os.fspath(path) for path in paths]
    for folder in folders:
        if not os.path.isdir(folder):
            raise FixbookError(f"no book at {folder}: give a folder that holds <component>/<slug>.yaml files")
    root = shipped_folder()
    own = os.path.join(root, "kb")
    if shipped or (shipped is None and not folders):
        folders.insert(0, own)
    from . import __version__

    read_folders = partial(_read_folders, tuple(folders))
    installed = os.path.basename(root) == INSTALLED and folders == [own]  # these files change by another installation alone
    version = f"{__version__} {install_of(root)}" if installed else __version__

    def build() -> Bundle:
        return (_prebuilt(root, own) if installed else None) or bundled(read_folders())

    return Book._of(load_cached(folders, build, version=version, cache=cache, changing=not installed), read_folders)


def _prebuilt(root: str, book: str) -> Bundle | None:
    from . import __version__
    from .prebuilt import read as read_prebuilt
    from .shipped import PREBUILT

    return read_prebuilt(os.path.join(root, PREBUILT), book, __version__)


def _read_folders(folders: Sequence[str]) -> Loaded:
    from pathlib import Path

    from .kb import load as load_folders

    return load_folders([Path(folder) for folder in folders], FACTS)


def _same(loaded: Loaded) -> Loaded:
    return loaded


def _restored(bundle: bytes, reload: Callable[[], Loaded]) -> Book:
    return Book._of(Bundle.load(bundle), reload)


def bundled(loaded: Loaded) -> Bundle:
    """The book ready to be asked, with all that a large log is searched for."""
    active = [entry for entry in loaded.entries if entry.status is Status.ACTIVE]
    from .large import probes_for_large

    return Bundle.of(loaded, Index.build(probes_for_large(active)))


def _for_ever(seconds: float) -> bool:
    from time import sleep

    sleep(seconds)
    return True


def _text(log: Pasted) -> str:
    if isinstance(log, str):
        return log
    if isinstance(log, bytes | bytearray | memoryview):
        return decode(bytes(log))
    what = "a log is given as its text or its bytes"
    if isinstance(log, os.PathLike):
        raise TypeError(f"{what}, not as {type(log).__name__}: read the file first, as in `book.diagnose(path.read_bytes())`")
    raise TypeError(f"{what}, not as {type(log).__name__}")


# How a value of each kind is written, where not every text is one.
_WRITTEN = {
    ValueKind.CAPABILITY: "8.9",
    ValueKind.DTYPE: "bfloat16",
    ValueKind.FLAG: "true",
    ValueKind.NUMBER: "8",
    ValueKind.SIZE: "79.15GiB",
    ValueKind.VERSION: "1.2.3",
}


def check_facts(facts: Mapping[str, str]) -> None:
    """Raises FixbookError for a name that is no fact and for a value that nothing can be compared with, TypeError for what is no text."""
    if not isinstance(facts, Mapping):
        raise TypeError(f"facts are given as a mapping of names to texts, not as {type(facts).__name__}")
    for name, value in facts.items():
        if not isinstance(name, str) or not isinstance(value, str):
            wanted = {str(name): str(value)}
            raise TypeError(f"the fact {name!r} is given as {value!r}: names and values of facts are texts, as in {wanted}")
    known: Callable[[str], bool] = lambda name: name in FACTS or name.endswith("_version")  # noqa: E731
    for name in facts:
        if not known(name):
            from difflib import get_close_matches

            near = get_close_matches(name, list(FACTS), n=1)
            hint = f"; did you mean {near[0]}?" if near else "; `fixbook facts` lists them"
            raise FixbookError(f"no fact is called {name!r}{hint}")
        kind = kind_of(name)
        if kind is None or kind.value not in _WRITTEN or is_silent(name, facts[name]):
            continue
        if normalise(name, facts[name]) is None:
            raise FixbookError(f"the fact {name!r} is given as {facts[name]!r}; write it as in {name}={_WRITTEN[kind.value]}")
