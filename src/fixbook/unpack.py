"""Compressed files and archives, nested ones too → the logs inside, as streams. Told by their first bytes, not by their names."""

import bz2
import io
import lzma
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from importlib import import_module
from typing import IO, Any, Protocol, cast

from .cut_zip import members
from .errors import FixbookError
from .stream import HEAD, Source, Stream, explain, is_log_name, once, packing
from .value import replace

__all__ = ["unpack"]

DEPTH = 6  # layers: a zip in a tar in a gzip is three
MEMBERS = 100_000
SPOOL = 32 << 20  # a zip that comes through a pipe is kept in memory up to this size, then in a temporary file
_CHUNK = 1 << 18
_PACKED = 1 << 14  # bytes of a compressed layer that are taken at once
_STEP = 1 << 14  # bytes that a decoder makes at once: what it made in a step that fails is lost, and has to be made again
_DAMAGED = "the compressed data is damaged; what came before it was read"
_REPLAYED = 1 << 24  # packed bytes of a frame that are kept for that


class _Decoder(Protocol):
    """What bz2, lzma and zstd decoders have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """zlib's decoder in the manner of the others."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        out = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = not self._zlib.unconsumed_tail and len(out) < max_length
        return out


class _Taken:
    """The packed bytes of one frame, as long as they are few: a decoder that fails keeps to itself what it has made in that step."""

    def __init__(self) -> None:
        self._pieces: list[bytes] | None = []
        self._size = 0
        self.made = 0  # plain bytes that came of them

    def add(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > _REPLAYED:
            self._pieces = None
        elif self._pieces is not None and data:
            self._pieces.append(data)

    def made_again(self, decoder: _Decoder, limit: int) -> bytes:
        """At most `limit` bytes behind those that were made: what a fresh decoder makes of them, byte by byte, until it fails, too.

        The byte that is made in the step that fails is lost: of a log whose checksum is wrong, the last line end.
        """
        made, out = 0, bytearray()
        with suppress(Exception):
            for piece in self._pieces or ():
                data = piece
                while len(out) < limit:
                    plain = decoder.decompress(data, min(max(self.made - made, 1), _CHUNK))
                    data = b""
                    if made >= self.made:
                        out += plain
                    made += len(plain)
                    if decoder.needs_input or decoder.eof:
                        break
        return bytes(out)


class _Inflate(io.RawIOBase):
    """The plain bytes behind one compressed layer; frames and members that follow each other are one text."""

    def __init__(self, packed: Stream, decoder: Callable[[], _Decoder]) -> None:
        self._packed = packed
        self._make = decoder
        self._decoder = decoder()
        self._rest = b""
        self._started = False
        self._taken = _Taken()
        self._given = 0
        self._end: Exception | None = None  # what is to be said when all that was read is given

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        filled = 0
        try:
            while filled < len(view) and not (filled and (self._decoder.needs_input or self._decoder.eof)):
                out = self._next(min(len(view) - filled, _STEP))
                if not out:
                    break
                view[filled : filled + len(out)] = out
                filled += len(out)
        except Exception as error:
            if not filled:
                raise
            self._end = error
        return filled

    def _next(self, limit: int) -> bytes:
        """At most `limit` plain bytes; none at the end."""
        out = b""
        while not out:
            if self._end is not None:
                raise self._end
            if self._decoder.eof and not self._next_frame():
                break
            data = self._input() if self._decoder.needs_input else b""
            if data is None:
                break
            out = self._decoded(data, limit)
            self._started = True
        self._packed.budget.spend(len(out))
        self._given += len(out)
        return out

    def _decoded(self, data: bytes, limit: int) -> bytes:
        """What the decoder makes of it; where it fails, what it makes before it does."""
        self._taken.add(data)
        try:
            out = self._decoder.decompress(data, limit)
        except Exception as error:  # each decoder has an exception of its own
            out = self._taken.made_again(self._make(), limit)
            if not out and not self._given:
                raise EOFError(f"the compressed data cannot be read: {explain(error)}") from error
            self._end = EOFError(_DAMAGED)
        self._taken.made += len(out)
        return out

    def _input(self) -> bytes | None:
        """More compressed bytes; None at a clean end. Raises EOFError in the middle of a frame."""
        data, self._rest = self._rest or self._packed.read(_PACKED), b""
        if data:
            return data
        if not self._started:
            return None
        if self._packed.problem:
            raise EOFError(self._packed.problem)
        before = "; what came before it was read" if self._given else " before anything could be read"
        raise EOFError(f"the compressed data is cut off{before}")

    def _next_frame(self) -> bool:
        """Whether another frame follows; zeros after the last one are padding."""
        rest = self._decoder.unused_data or self._packed.read(_PACKED)
        while rest and not rest.strip(b"\0"):
            rest = self._packed.read(_PACKED)
        if not rest:
            return False
        self._decoder, self._rest, self._started, self._taken = self._make(), rest, False, _Taken()
        return True

    def close(self) -> None:
        self._packed.close()
        super().close()


def unpack(source: Source) -> Iterator[Source]:
    """`source` itself when it is plain, else the logs in it, named `archive!member`. Never raises: a Source with a problem instead."""
    yield from _unpack(source, again=source.size is not None, depth=0)


def _unpack(source: Source, *, again: bool, depth: int) -> Iterator[Source]:
    try:
        stream = source.open()
    except FixbookError as error:
        yield replace(source, problem=str(error).removeprefix(f"{source.name}: "))
        return
    head = stream.read(HEAD)
    kind = packing(head)
    if kind is None and again:
        stream.close()
        yield replace(source, problem=stream.problem if not head else None)
        return
    stream.unread(head)
    if kind is None:
        yield replace(source, opener=once(stream), problem=stream.problem if not head else None)
    elif depth >= DEPTH:
        yield replace(source, problem=f"more than {DEPTH} layers of compression")
    elif kind in ("tar", "zip"):
        yield from _members(source, stream, kind, depth)
    else:
        yield from _inflated(source, stream, kind, again, depth)


def _inflated(source: Source, stream: Stream, kind: str, again: bool, depth: int) -> Iterator[Source]:
    try:
        decoder = _decoder(kind)
    except FixbookError as error:
        yield replace(source, problem=str(error))
        return

    def layer(packed: Stream) -> Stream:
        return Stream(_Inflate(packed, decoder), packed.budget)

    if again:
        stream.close()
        yield from _unpack(replace(source, size=None, opener=lambda: layer(source.open())), again=True, depth=depth + 1)
    else:
        yield from _unpack(replace(source, size=None, opener=once(layer(stream))), again=False, depth=depth + 1)


def _decoder(kind: str) -> Callable[[], _Decoder]:
    if kind == "gzip":
        return _Gzip
    if kind == "bz2":
        return bz2.BZ2Decompressor
    if kind == "xz":
        # A dictionary of 64 MiB is the largest that `xz -9` makes; the limit keeps a hostile header from claiming gigabytes.
        return lambda: lzma.LZMADecompressor(memlimit=256 << 20)
    return _zstd()


def _zstd() -> Callable[[], _Decoder]:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            made: Callable[[], _Decoder] = import_module(module).ZstdDecompressor
        except ImportError:
            continue
        return made
    raise FixbookError("this Python has no zstd: pip install 'fixbook[zstd]', or unpack the file first (zstd -d)")


def _members(source: Source, stream: Stream, kind: str, depth: int) -> Iterator[Source]:
    opened = _tar if kind == "tar" else _zip
    count = 0
    try:
        for name, size, make in opened(stream):
            count += 1
            if count > MEMBERS:
                yield replace(source, problem=f"more than {MEMBERS} members, the rest was not read", opener=None)
                return
            member = Source(f"{source.name}!{name}", path=source.path)
            try:
                member = replace(member, size=size, opener=once(Stream(make(), stream.budget)))
            except Exception as error:  # an encrypted or unknown member: RuntimeError, NotImplementedError, BadZipFile
                member = replace(member, problem=explain(error))
            yield from _unpack(member, again=False, depth=depth + 1)
    except Exception as error:  # what a damaged archive raises is its reader's choice
        yield replace(source, problem=stream.problem or explain(error), opener=None)
    finally:
        stream.close()


_Opened = Iterator[tuple[str, int, Callable[[], IO[bytes] | io.IOBase]]]


def _tar(stream: Stream) -> _Opened:
    with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            if member.isreg() and is_log_name(member.name):
                yield member.name, member.size, lambda member=member: archive.extractfile(member)  # type: ignore[misc]
    while stream.read(_CHUNK):  # behind the last member there is the checksum of the layer around
        pass
    if stream.problem:
        raise EOFError(stream.problem)


def _zip(stream: Stream) -> _Opened:
    with _seekable(stream) as file:
        try:
            archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            yield from _cut_zip(file, stream)
            return
        with archive:
            for info in archive.infolist():
                if not info.is_dir() and is_log_name(info.filename):
                    yield info.filename, info.file_size, lambda info=info: _Metered(archive, info, stream)  # type: ignore[misc]


def _cut_zip(file: IO[bytes], stream: Stream) -> _Opened:
    """The members of a zip whose directory is gone. Raises EOFError behind them."""
    seen = False
    for member in members(file, stream.budget):
        seen = True
        if is_log_name(member.name) and not member.name.endswith("/"):
            yield member.name, member.size, member.open
    raise EOFError("the archive is cut off" + ("; the members before that were read" if seen else " before anything could be read"))


def _seekable(stream: Stream) -> IO[bytes]:
    """The file itself, or a copy of what comes through a pipe or out of another archive: a zip is read from its end."""
    if isinstance(stream.raw, io.FileIO) and stream.raw.seekable():
        return cast(IO[bytes], stream.raw)
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOL)  # noqa: SIM115 (the caller closes it)
    while chunk := stream.read(_CHUNK):
        spool.write(chunk)
    return cast(IO[bytes], spool)


class _Metered(io.RawIOBase):
    """A member of a zip, whose bytes count against the archive's budget. One whose checksum is wrong is read all the same."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, stream: Stream) -> None:
        self._archive = archive
        self._info = info
        self._member = archive.open(info)
        self._budget = stream.budget
        self._given = 0
        self._end: EOFError | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._member.read(len(buffer))
        except zipfile.BadZipFile:
            self._end = EOFError(_DAMAGED)
            self._member = self._unchecked()
            data = self._member.read(len(buffer))
        if not data and self._end is not None:
            raise self._end
        self._budget.spend(len(data))
        self._given += len(data)
        buffer[: len(data)] = data
        return len(data)

    def _unchecked(self) -> IO[bytes]:
        """The member from where it stands: what is read together with a wrong checksum is not given."""
        info = copy(self._info)
        del info.CRC  # without it, nothing is compared
        member = self._archive.open(info)
        left = self._given  # such a member cannot seek
        while left > 0:
            left -= len(member.read(min(left, _CHUNK))) or left
        return member
