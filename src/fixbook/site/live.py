"""The site as it is being written: builds on change, remembers what went wrong, tells those who wait."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..api import load
from ..errors import FixbookError, Problem
from ..lint import lint
from . import assets, press
from .build import write_site
from .memory import read_volume
from .settings import SiteSettings
from .watch import Watched, seen
from .whole import outputs

__all__ = ["Live", "State"]

_LOOK = 0.4  # seconds between two looks at the files
_MOST_PROBLEMS = 30


@dataclass(frozen=True, slots=True)
class State:
    """What a page shows. `build` goes up with every build, `version` with anything that there is to tell."""

    version: int = 0
    build: int = 0
    problems: tuple[str, ...] = ()


class Live:
    """Builds into `out`; `tell` gets lines for the terminal."""

    def __init__(self, folders: Sequence[Path], settings: SiteSettings, out: Path, tell: Callable[[str], None]) -> None:
        self._folders = tuple(folders)
        self._settings = settings
        self._out = out
        self._tell = tell
        self._news = threading.Condition()
        self._state = State()
        self._ended = False
        self._before: Watched = seen(folders)  # before the first build, so that no change is missed

    @property
    def state(self) -> State:
        with self._news:
            return self._state

    def wait(self, version: int, seconds: float) -> State:
        """The state as soon as it is newer than `version`, or what it is after some seconds."""
        with self._news:
            self._news.wait_for(lambda: self._state.version > version or self._ended, seconds)
            return self._state

    def build(self) -> None:
        """One build. What is wrong with the book is shown in the pages; the old pages stay where there can be no new ones."""
        try:
            built = write_site(outputs(read_volume(self._folders), self._settings), self._out)
        except FixbookError as error:
            self._set((str(error),), built=False)
            self._tell(str(error))
            return
        self._tell(f"{built.files} files, {built.made} of them new")
        self._set(self.state.problems, built=True)

    def check(self) -> None:
        """Looks at the whole book as `fixbook lint` does; takes longer than a build, so it comes after it."""
        book = load(*self._folders, shipped=False)
        found = lint(book.loaded, lambda text, facts: book.diagnose(text, facts))
        self._set(tuple(map(_line, found[:_MOST_PROBLEMS])), built=False)

    def follow(self) -> None:
        """Builds and checks on every change, until `end`."""
        self.check()
        while not self._ended:
            now = seen(self._folders)
            if now == self._before:
                with self._news:
                    self._news.wait_for(lambda: self._ended, _LOOK)
                continue
            self._before = now
            assets.forget()
            press.forget()
            self.build()
            self.check()

    def end(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _set(self, problems: tuple[str, ...], built: bool) -> None:
        with self._news:
            if built or problems != self._state.problems:
                self._state = State(self._state.version + 1, self._state.build + built, problems)
                self._news.notify_all()


def _line(problem: Problem) -> str:
    return str(problem)
