"""An index made ready for large logs: its rows, and the engine that looks for them. What takes long to build is remembered."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable

from .digest import digest
from .engine import Engine, make_engine
from .index import Index
from .rows import Row, blind, make_rows
from .tuning import Noise, Window, retuned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Remember", "Searcher"]

Remember = Callable[[str, Callable[[], bytes]], bytes]  # a name, and how to make what has that name; `Cache.remember`
VERSION = 3  # of the choice of rows and of what is kept of an engine


class Searcher:
    """Serves one sweep at a time."""

    def __init__(self, index: Index, remember: Remember | None = None) -> None:
        self.index = index
        self._remember = remember or (lambda name, make: make())
        self._rows: tuple[Row, ...] | None = None
        self._blind: tuple[str, ...] = ()
        self._engine: Engine | None = None
        self._levels: dict[Window, float] = {}  # what logs showed of windows that were looked for
        self.given_up: frozenset[int] = frozenset()  # probes that are no longer looked for: their words stand everywhere

    @property
    def rows(self) -> tuple[Row, ...]:
        self._prepare()
        assert self._rows is not None
        return self._rows

    @property
    def blind(self) -> tuple[str, ...]:
        """The keys that a sweep cannot see."""
        self._prepare()
        return self._blind

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            self._engine = make_engine(self.rows, lambda make: self._remember(self._name("engine", _machine()), make))
        return self._engine

    def retune(self, noise: Noise, sample: bytes) -> None:
        """Exchanges the rows that proved to be dear."""
        self._levels |= noise.levels(self.rows)
        self._rows, hopeless = retuned(self.index, self.rows, noise, sample, self._levels, self.given_up)
        self.given_up |= hopeless
        told = {self.index.keys[key] for key in (*hopeless, *(target.key for row in self._rows for target in row.targets))}
        self._blind = tuple(name for name in self._blind if name not in told)
        self._engine = make_engine(self._rows)

    def _prepare(self) -> None:
        if self._rows is not None:
            return
        rows, self._blind = marshal.loads(self._remember(self._name("rows", ""), self._made))
        self._rows = tuple(Row.of(*row) for row in rows)

    def _made(self) -> bytes:
        rows: Any = tuple((row.window, row.fold, tuple(map(tuple, row.targets)), row.loud) for row in make_rows(self.index))
        return marshal.dumps((rows, blind(self.index)), 4)

    def _name(self, what: str, where: str) -> str:
        """A name that changes with all that the thing was made of."""
        parts = (VERSION, where, *self.index.content)
        return f"{what}-{digest(marshal.dumps(parts, 2), 12)}"


def _machine() -> str:
    """What an engine's database depends on besides its rows."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    try:
        import hyperscan
    except ImportError:
        return machine
    return f"{machine} {getattr(hyperscan, '__version__', '')}"
