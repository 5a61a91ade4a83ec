"""A zip without its directory, which stands at the end: its members one after the other, by the headers before them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from struct import Struct, iter_unpack
from typing import IO, Any

from .stream import Budget, explain
from .value import Value

__all__ = ["Member", "members"]

_LOCAL, _DIRECTORY = b"PK\x03\x04", b"PK\x01\x02"
_HEADER = Struct("<4s2xHH8xIIHH")  # sign, flags, method, packed size, size, length of the name, of the extra fields
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _SIZED_BEHIND, _UTF8 = 1, 8, 1 << 11  # flags
_LARGE = 0xFFFFFFFF  # stands for a size that stands in the extra fields
_DESCRIPTORS = (12, 16, 20, 24)  # bytes behind a member whose sizes stand behind it: with and without a sign, sizes of 32 and 64 bits
_PACKED = 1 << 14


class Member(Value):
    """A member as its header describes it. `open` gives its bytes, until the next member is asked for."""

    name: str
    size: int  # 0 where it stands behind the data
    flags: int
    method: int
    packed: _Packed

    @property
    def is_sized(self) -> bool:
        return not self.flags & _SIZED_BEHIND

    def open(self) -> io.RawIOBase:
        """Raises RuntimeError for an encrypted member, NotImplementedError for a method that nothing here reads."""
        if self.flags & _ENCRYPTED:
            raise RuntimeError("encrypted, a password is needed")
        if self.method not in (_STORED, _DEFLATED) or (self.method == _STORED and not self.is_sized):
            raise NotImplementedError("of an archive that is cut off, only stored and deflated members can be read")
        return _Reader(self.packed)


def members(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """The members as far as their headers can be followed. All that is expanded counts against `budget`."""
    file.seek(0)
    while (member := _member(file, budget)) is not None:
        start, size = file.tell(), member.packed.left
        yield member
        if size is not None:
            file.seek(start + size)
        elif member.method != _DEFLATED or not _skip(file, member.packed):
            return


def _member(file: IO[bytes], budget: Budget) -> Member | None:
    """The member whose header stands here."""
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or not head.startswith(_LOCAL):
        return None
    _, flags, method, packed, size, name_length, extra_length = _HEADER.unpack(head)
    name, extra = file.read(name_length), file.read(extra_length)
    if len(name) + len(extra) < name_length + extra_length:
        return None
    if size == _LARGE or packed == _LARGE:
        size, packed = _large(extra) or (size, packed)
    text = name.decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    inside = _Packed(file, budget, method == _DEFLATED, None if flags & _SIZED_BEHIND else packed)
    return Member(text, size, flags, method, inside)


def _large(extra: bytes) -> tuple[int, int] | None:
    """Both sizes, where they need 64 bits: kind 1 of the extra fields."""
    while len(extra) >= 4:
        kind, length = next(iter_unpack("<HH", extra[:4]))
        if kind == 1 and length >= 16:
            size, packed = next(iter_unpack("<QQ", extra[4:20]))
            return size, packed
        extra = extra[4 + length :]
    return None


def _skip(file: IO[bytes], packed: _Packed) -> bool:
    """Goes to the header behind a member whose size stands behind it; whether there is one."""
    try:
        while packed.take(_PACKED):
            pass
    except EOFError:
        return False
    start = file.tell()
    behind = file.read(_DESCRIPTORS[-1] + len(_LOCAL))
    for length in _DESCRIPTORS:
        if behind[length : length + len(_LOCAL)] in (_LOCAL, _DIRECTORY):
            file.seek(start + length)
            return True
    return False


class _Packed:
    """The bytes of one member, plain. `left` is how many packed ones are still to be read, None where only they themselves tell."""

    def __init__(self, file: IO[bytes], budget: Budget, deflated: bool, left: int | None) -> None:
        self._file = file
        self._budget = budget
        self._decoder = zlib.decompressobj(-15) if deflated else None
        self._given = 0
        self.left = left

    def take(self, limit: int) -> bytes:
        """At most `limit` plain bytes; none at the end. Raises EOFError where the member is cut or damaged."""
        out = b""
        if self._decoder is None:
            out = self._input(limit) if self.left else b""
        while self._decoder is not None and not out and not self._decoder.eof:
            try:
                out = self._decoder.decompress(self._decoder.unconsumed_tail or self._input(_PACKED), limit)
            except zlib.error as error:
                if not self._given:
                    raise EOFError(f"the compressed data cannot be read: {explain(error)}") from error
                raise EOFError("the compressed data is damaged; what came before it was read") from error
            if self._decoder.eof and self.left is None:
                self._file.seek(-len(self._decoder.unused_data), io.SEEK_CUR)
        self._budget.spend(len(out))
        self._given += len(out)
        return out

    def _input(self, limit: int) -> bytes:
        data = self._file.read(limit if self.left is None else min(limit, self.left))
        if not data:
            before = "; what came before it was read" if self._given else " before anything could be read"
            raise EOFError(f"the compressed data is cut off{before}")
        if self.left is not None:
            self.left -= len(data)
        return data


class _Reader(io.RawIOBase):
    def __init__(self, packed: _Packed) -> None:
        self._packed = packed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._packed.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)
