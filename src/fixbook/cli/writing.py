"""Where results go: stdout, or a file that is either the old one or whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import FixbookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

__all__ = ["opened"]


@contextmanager
def opened(path: str | None, option: str = "-o") -> Iterator[TextIO]:
    """A stream for the results. The file at `path` is replaced when all is written, and left as it was when anything goes wrong.

    `option` is the one that named it. Raises FixbookError where it cannot be written.
    """
    if path is None:
        yield sys.stdout
        return
    from pathlib import Path

    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # /dev/null, a fifo: nothing to replace
            with target.open("w", encoding="utf-8") as stream:
                yield stream
            return
        with _replacing(Path(os.path.realpath(target))) as stream:
            yield stream
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise FixbookError(f"{path}: {error.strerror or error}: choose another file for {option}") from error


@contextmanager
def _replacing(target: Path) -> Iterator[TextIO]:
    import tempfile
    from pathlib import Path

    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            yield stream
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
