"""A file of many parts, each with a checksum of its own: what is not asked for is neither copied nor checked nor unpacked.

The file is read as a whole, in one step, and stays as it was read: whatever becomes of it, a book that is loaded answers as before. (To
map it into memory would save a millisecond at 10,000 signatures, and end the process when somebody shortens the file.)
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from zlib import crc32

from .errors import FixbookError
from .table import numbers_of, to_bytes

__all__ = ["DamagedError", "Parts"]

_MAGIC = b"fixbook parts 1\n"
_START = len(_MAGIC) + 8  # then the directory's length and checksum stand
_MARSHAL = 2  # writes equal values as equal bytes
_ROWS = ".rows"  # where the rows of a part end, and their checksums
_NAME = "name"  # the part that says what the others are of


class DamagedError(ValueError):
    """A part is not what was written."""


class Parts:
    """Bytes by name. Some are rows, each with its own checksum; the others are checked whole. Safe to share between threads."""

    def __init__(self, data: bytes | memoryview, mend: Callable[[], Parts] | None = None) -> None:
        """The parts in a file's content. Raises DamagedError where it is none.

        `mend` makes the parts anew; it is asked where one proves to be damaged, and then all come from there. Where it gives parts of
        another `name`, FixbookError is raised: what was taken from these would not fit.
        """
        self._mend = mend
        self._known: dict[str, memoryview] = {}
        whole = memoryview(data)
        size, checksum = numbers_of(whole[len(_MAGIC) : _START]) if whole[: len(_MAGIC)] == _MAGIC and len(whole) >= _START else (0, 1)
        directory = whole[_START : _START + size]
        if crc32(directory) != checksum:
            raise DamagedError("no file of parts")
        # One value, so that another thread sees either the old file or the new one.
        self._file: tuple[memoryview, int, dict[str, tuple[int, int, int]]] = (whole, _START + size, marshal.loads(directory))

    @staticmethod
    def dump(parts: Mapping[str, bytes], rows: Mapping[str, Sequence[bytes]] | None = None) -> bytes:
        """The file's content; `rows` are the parts of which each row is checked by itself."""
        whole = dict(parts)
        for name, each in (rows or {}).items():
            whole[name] = b"".join(each)
            whole[name + _ROWS] = to_bytes([*accumulate(map(len, each)), *map(crc32, each)])
        ends = list(accumulate(map(len, whole.values()), initial=0))
        sums = [0 if name + _ROWS in whole else crc32(part) for name, part in whole.items()]
        directory = marshal.dumps(dict(zip(whole, zip(ends[:-1], ends[1:], sums, strict=True), strict=True)), _MARSHAL)
        return b"".join((_MAGIC, to_bytes([len(directory), crc32(directory)]), directory, *whole.values()))

    def part(self, name: str) -> memoryview:
        """A whole part."""
        found = self._known.get(name)
        if found is None:
            found, checksum = self._stored(name)
            if crc32(found) != checksum:
                return self._mended(name).part(name)
            self._known[name] = found
        return found

    def row(self, name: str, number: int) -> memoryview:
        """One row of a part. Raises IndexError where there is none."""
        table = numbers_of(self.part(name + _ROWS))
        count = len(table) // 2
        if not 0 <= number < count:
            raise IndexError(number)
        row = self._stored(name)[0][table[number - 1] if number else 0 : table[number]]
        return row if crc32(row) == table[count + number] else self._mended(name).row(name, number)

    def count(self, name: str) -> int:
        """How many rows a part has."""
        return len(self.part(name + _ROWS)) // 8

    def whole(self) -> bytes:
        """The file's content, all of it checked."""
        names = self._file[2]
        for name in names:
            if name.endswith(_ROWS):
                rows = name.removesuffix(_ROWS)
                for number in range(self.count(rows)):
                    self.row(rows, number)
            elif name + _ROWS not in names:
                self.part(name)
        return bytes(self._file[0])

    def _stored(self, name: str) -> tuple[memoryview, int]:
        """A part as it stands in the file, and its checksum."""
        data, base, directory = self._file
        start, end, checksum = directory[name]
        return data[base + start : base + end], checksum

    def _mended(self, name: str) -> Parts:
        if self._mend is None:
            raise DamagedError(f"{name}: the file is damaged")
        made = self._mend()._file
        if made[2][_NAME][2] != self._file[2][_NAME][2]:
            raise FixbookError("the cached book is damaged, and its files have changed since it was loaded: load it again")
        self._file = made
        self._known = {}
        return self
