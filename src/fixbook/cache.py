"""Files that may vanish at any time: what is slow to make is kept in the user's cache folder, and made anew when anything is odd.

What is read from there ends in `marshal` and in an engine's loader, which trust their input. So a file counts only when it belongs to
this user, nobody else can write to it, and its checksum is right. The checksum is for damage; against other users there are the rights.
"""

import os
import stat
import sys
from collections.abc import Callable
from zlib import crc32

__all__ = ["Cache", "folder"]

_MAGIC = b"fixbook cache 2\n"
_SUM = 8  # bytes: length and CRC-32
_START = len(_MAGIC) + _SUM
_KEPT = 24  # files; the oldest go


def folder() -> str:
    """The folder of this user: `FIXBOOK_CACHE`, else where the platform keeps caches. Raises RuntimeError for a user without a home."""
    own = os.environ.get("FIXBOOK_CACHE")
    if own:
        return own
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or _home("AppData", "Local"), "fixbook", "Cache")
    if sys.platform == "darwin":
        return _home("Library", "Caches", "fixbook")
    base = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(base if base.startswith("/") else _home(".cache"), "fixbook")


def _home(*names: str) -> str:
    home = os.path.expanduser("~")
    if home == "~":
        raise RuntimeError("no home")
    return os.path.join(home, *names)


class Cache:
    """Bytes by name. Never raises for what the disk does: a file that cannot be kept is made again the next time."""

    def __init__(self, place: str | os.PathLike[str] | None = None) -> None:
        """`place` is the folder; without one it is that of this user, and nothing is kept for a user without a home."""
        try:
            self._place: str | None = os.fspath(place) if place else folder()
        except RuntimeError:
            self._place = None

    def get(self, name: str) -> bytes | None:
        """What was kept under this name; None when nothing is, or when it is damaged or could be another user's."""
        data = self._file(name)
        body = data[_START:]
        return bytes(body) if data[:_START] == _MAGIC + _sum(body) else None

    def read(self, name: str) -> memoryview | None:
        """The same of a file whose parts have their own checksums: it may be damaged."""
        data = self._file(name)
        return data[_START:] if data[: len(_MAGIC)] == _MAGIC else None

    def _file(self, name: str) -> memoryview:
        """All of a file; nothing where there is none, or where it could be another user's."""
        nothing = memoryview(b"")
        if self._place is None:
            return nothing
        try:
            with open(os.path.join(self._place, name), "rb", buffering=0, opener=_at_once) as file:
                return memoryview(file.readall()) if _is_mine(os.fstat(file.fileno())) else nothing
        except OSError:
            return nothing

    def put(self, name: str, body: bytes) -> None:
        """Keeps `body`, all of it or nothing, whoever else does the same at the same time."""
        if self._place is None:
            return
        import tempfile  # what is not needed where the cache is warm
        from contextlib import suppress

        with suppress(OSError):
            os.makedirs(self._place, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".new-", dir=self._place)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + _sum(body) + body)
                os.replace(temporary, os.path.join(self._place, name))
            except OSError:
                with suppress(FileNotFoundError):
                    os.unlink(temporary)
                raise
            self._forget()

    def remember(self, name: str, make: Callable[[], bytes]) -> bytes:
        """What is kept under this name, or what `make` gives, which is kept then."""
        body = self.get(name)
        if body is None:
            body = make()
            self.put(name, body)
        return body

    def _forget(self) -> None:
        """The files that were not written for the longest time go, when there are too many."""
        from contextlib import suppress

        assert self._place is not None
        files = sorted((entry for entry in os.scandir(self._place) if entry.is_file()), key=lambda entry: entry.stat().st_mtime)
        for entry in files[:-_KEPT]:
            with suppress(FileNotFoundError):
                os.unlink(entry.path)


def _at_once(path: str, flags: int) -> int:
    """Opens without waiting: a fifo of this name would wait for a writer for ever."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _sum(body: bytes | memoryview) -> bytes:
    return len(body).to_bytes(4, "little") + crc32(body).to_bytes(4, "little")


def _is_mine(status: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return stat.S_ISREG(status.st_mode)  # Windows: the profile's folder is the user's own
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
