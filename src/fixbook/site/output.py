"""One file of the site, before it is made."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Output"]


@dataclass(frozen=True, slots=True)
class Output:
    """`key` changes whenever `make` would give something else; `path` is inside the site, with `/`."""

    path: str
    key: str
    make: Callable[[], bytes]
