"""Reading: every byte string has a text, every kind of file gives its logs, and no damage stops the rest."""

import builtins
import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixbook import stream as stream_room
from fixbook import unpack as unpack_room
from fixbook.source import Source, Stream, decode, encoding_of, find_files, open_sources
from fixbook.stream import once
from fixbook.unpack import unpack

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
LOG = "INFO 启动完成\nRuntimeError: query and key must have the same dtype\n"


def texts(*paths: str | Path) -> dict[str, str]:
    return {source.name: source.problem or source.text() for source in open_sources(paths)}


# ---------------------------------------------------------------- bytes to text


@pytest.mark.parametrize(
    "data",
    [
        LOG.encode(),
        b"\xef\xbb\xbf" + LOG.encode(),
        LOG.encode("utf-16"),
        b"\xfe\xff" + LOG.encode("utf-16-be"),
        LOG.encode("utf-16-le"),
        LOG.encode("utf-16-be"),
        LOG.encode("utf-32"),
        LOG.encode("gb18030"),
        b"\0" * 5000 + LOG.encode(),
    ],
    ids=["utf-8", "utf-8 mark", "utf-16 mark", "utf-16-be mark", "utf-16-le", "utf-16-be", "utf-32 mark", "gb18030", "NULs before"],
)
def test_a_log_reads_the_same_in_every_encoding(data: bytes) -> None:
    assert decode(data) == LOG


def test_powershell_appends_utf_16_to_a_file_of_ascii() -> None:
    assert decode(b"first\n" + "second\n".encode("utf-16-le")) == "first\nsecond\n"


def test_a_utf_8_log_that_is_cut_inside_a_character_stays_utf_8() -> None:
    data = ("模型加载失败" * 20).encode()
    assert encoding_of(data[:-1]) == "utf-8"
    assert encoding_of(data[1:]) == "utf-8"
    assert decode(data[:-1]).startswith("模型加载失败")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"dtype \x93float16\x94 isn\x92t the model\x92s", "dtype “float16” isn’t the model’s"),
        (b"na\xefve caf\xe9 r\xe9sum\xe9 d\xe9j\xe0", "na\ufffdve caf\ufffd r\ufffdsum\ufffd d\ufffdj\ufffd"),
        (b"ok \xff\xfe cut \xe6\x98 end", "ok \ufffd\ufffd cut \ufffd end"),
    ],
)
def test_bytes_that_are_no_utf_8_cost_only_themselves(data: bytes, text: str) -> None:
    assert decode(data) == text


@given(st.binary(max_size=300))
def test_any_bytes_have_a_text(data: bytes) -> None:
    assert "\0" not in decode(data)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
def test_utf_8_text_is_never_taken_for_anything_else(text: str) -> None:
    assert decode(text.encode()) == text.removeprefix("\ufeff")


# ---------------------------------------------------------------- files, folders, globs


def test_folders_are_read_in_the_order_of_names_and_programs_are_left_out(tmp_path: Path) -> None:
    for name in ("b.log", "a.log", "sub/c.jsonl", "app.log.1", "app.log-20261201", "console", "photo.png", ".hidden.log", ".git/x.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "program").write_bytes(b"\x7fELF\0\0\0\0\1\2\3\4")
    (tmp_path / "sub" / "again").symlink_to(tmp_path)
    names = [str(Path(name).relative_to(tmp_path)) for name in texts(tmp_path)]
    assert names == ["a.log", "app.log-20261201", "app.log.1", "b.log", "console", "sub/c.jsonl"]


def test_a_file_that_is_named_is_read_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "strange.png").write_text(LOG)
    assert list(texts(tmp_path / "strange.png").values()) == [LOG]


def test_globs_and_names_with_brackets(tmp_path: Path) -> None:
    (tmp_path / "run[1].log").write_text("one")
    (tmp_path / "run2.log").write_text("two")
    assert list(texts(tmp_path / "run*.log").values()) == ["two", "one"]
    assert list(texts(tmp_path / "run[1].log").values()) == ["one"]


def test_any_folders_of_a_glob_are_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to a folder above would be followed forty times, and two of them for ever."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.log", "d/b.log", "d/e/c.log", "d/e/note.png", ".hidden/x.log", "[1]/d.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    for link in ("d/up", "d/up2", "d/e/up3"):
        (tmp_path / link).symlink_to(tmp_path)
    assert list(find_files("**/*.log")) == ["[1]/d.log", "a.log", "d/b.log", "d/e/c.log"]
    assert list(find_files(f"{tmp_path}/**/e/**/*.log")) == [f"{tmp_path}/d/e/c.log"]
    assert list(find_files("d/**")) == ["d/b.log", "d/e/c.log"]
    assert [found.problem for found in find_files("**/none.log") if isinstance(found, Source)] == ["no file matches"]


def test_what_cannot_be_read_is_named_and_the_rest_follows(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("good")
    (tmp_path / "empty").mkdir()
    (tmp_path / "dangling.log").symlink_to(tmp_path / "nowhere")
    got = texts(tmp_path / "none.log", tmp_path / "x*.log", tmp_path / "empty", tmp_path / "dangling.log", tmp_path / "good.log")
    assert list(got.values()) == [
        "no such file or folder",
        "no file matches",
        "no log in this folder",
        "No such file or directory",
        "good",
    ]


def test_a_file_can_be_opened_twice(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(LOG.encode()))
    (source,) = open_sources([tmp_path / "a.log.gz"])
    assert [source.text(), source.text()] == [LOG, LOG]


def test_a_pipe_with_a_name(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(LOG.encode()),))
    writer.start()
    assert list(texts(path).values()) == [LOG]
    writer.join()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_standard_input(pack: type[bytes]) -> None:
    code = "from fixbook.source import open_sources; [print(s.name, s.text()) for s in open_sources(['-'])]"
    out = subprocess.run([sys.executable, "-c", code], input=pack(LOG.encode()), capture_output=True, check=True)
    assert out.stdout.decode() == f"stdin {LOG}\n"


# ---------------------------------------------------------------- archives


def tar_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


SKIPPABLE = b"\x50\x2a\x4d\x18\x04\0\0\0size"  # a frame of zstd that holds no text: tools that pack with many cores begin with one


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        bz2.compress,
        lzma.compress,
        zstd.compress,
        lambda data: SKIPPABLE + zstd.compress(data),
        lambda data: gzip.compress(lzma.compress(data)),
        lambda data: zstd.compress(gzip.compress(data)),
    ],
    ids=["gz", "bz2", "xz", "zst", "zst of many cores", "xz in gz", "gz in zst"],
)
def test_compressed_files_are_told_by_their_bytes(tmp_path: Path, pack: type[bytes]) -> None:
    (tmp_path / "log.txt").write_bytes(pack(LOG.encode()) + pack(b"and more\n"))
    assert list(texts(tmp_path / "log.txt").values()) == [LOG + "and more\n"]


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = tar_of({"pod/a.log": b"a", "pod/image.bin": b"\0\1", "b.log.gz": gzip.compress(b"b")})
    (tmp_path / "all.zip").write_bytes(zip_of({"x/in.tgz": gzip.compress(inner), "c.log": b"c", "deep.zip": zip_of({"d.log": b"d"})}))
    got = {name.removeprefix(f"{tmp_path}/"): text for name, text in texts(tmp_path / "all.zip").items()}
    assert got == {"all.zip!x/in.tgz!pod/a.log": "a", "all.zip!x/in.tgz!b.log.gz": "b", "all.zip!c.log": "c", "all.zip!deep.zip!d.log": "d"}


def test_zstd_around_and_inside_archives(tmp_path: Path) -> None:
    inner = tar_of({"pod/a.log": b"a", "pod/image.bin": b"\0\1", "b.log.zst": zstd.compress(b"b")})
    (tmp_path / "all.tar.zst").write_bytes(zstd.compress(inner))
    (tmp_path / "all.zip").write_bytes(zip_of({"in.tzst": zstd.compress(inner), "c.log": zstd.compress(b"c")}))
    got = {name.removeprefix(f"{tmp_path}/"): text for name, text in texts(tmp_path).items()}
    inside = {"pod/a.log": "a", "b.log.zst": "b"}
    want = {f"{outer}!{name}": text for outer in ("all.tar.zst", "all.zip!in.tzst") for name, text in inside.items()}
    assert got == {**want, "all.zip!c.log": "c"}


def test_without_zstd_its_file_says_what_to_install_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(unpack_room, "import_module", refuse)
    (tmp_path / "a.log.zst").write_bytes(zstd.compress(b"x"))
    (tmp_path / "b.log").write_text("good")
    told, text = texts(tmp_path).values()
    assert told == "this Python has no zstd: pip install 'fixbook[zstd]', or unpack the file first (zstd -d)"
    assert text == "good"


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gz", "zst"])
def test_a_log_that_is_still_being_compressed_gives_what_is_there(tmp_path: Path, pack: type[bytes]) -> None:
    data = os.urandom(1_000_000).hex().encode()
    packed = pack(data)
    (tmp_path / "a.log.gz").write_bytes(packed[: len(packed) // 2])
    (source,) = open_sources([tmp_path / "a.log.gz"])
    with source.open() as stream:
        text = stream.read(1 << 20)
        assert data.startswith(text) and len(text) > 10_000
        assert stream.problem == "the compressed data is cut off; what came before it was read"


SUMMED = {zstd.CompressionParameter.checksum_flag: 1}
DAMAGED = "the compressed data is damaged; what came before it was read"


def wrong_sum(packed: bytes, at: int) -> bytes:
    """The same text behind a checksum that is wrong: which stands at the end, of xz before the index and the footer"""
    place = len(packed) + at
    return packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :]


@pytest.mark.parametrize(
    ("pack", "at"),
    [(gzip.compress, -8), (bz2.compress, -3), (lzma.compress, -26), (lambda data: zstd.compress(data, options=SUMMED), -2)],
    ids=["gz", "bz2", "xz", "zst"],
)
@pytest.mark.parametrize("lines", [1, 5_000])
def test_a_wrong_checksum_costs_no_line(tmp_path: Path, pack: Callable[[bytes], bytes], at: int, lines: int) -> None:
    text = "".join(f"INFO {number} {number * number}\n" for number in range(lines)) + LOG
    (tmp_path / "a.log").write_bytes(wrong_sum(pack(text.encode()), at))
    (source,) = open_sources([tmp_path / "a.log"])
    with source.open() as stream:
        assert decode(stream.read(1 << 20)).rstrip("\n") == text.rstrip("\n")
        assert stream.problem == DAMAGED


def test_damage_in_the_middle_costs_what_stands_behind_it(tmp_path: Path) -> None:
    first, second = os.urandom(40_000).hex().encode(), os.urandom(40_000).hex().encode()
    packed = bytearray(gzip.compress(first) + gzip.compress(second))
    half = len(packed) // 2
    packed[half + 200 : half + 1200] = bytes(1000)
    (tmp_path / "a.log.gz").write_bytes(packed)
    (source,) = open_sources([tmp_path / "a.log.gz"])
    with source.open() as stream:
        assert stream.read(1 << 20).startswith(first)
        assert stream.problem == DAMAGED


def test_a_frame_too_long_to_be_kept_loses_one_step_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack_room, "_REPLAYED", 1000)
    text = os.urandom(100_000).hex().encode()
    (tmp_path / "a.log.gz").write_bytes(wrong_sum(gzip.compress(text), -8))
    (source,) = open_sources([tmp_path / "a.log.gz"])
    with source.open() as stream:
        got = stream.read(1 << 20)
    assert text.startswith(got)
    assert len(text) - len(got) <= 1 << 14


def test_of_a_block_that_is_cut_nothing_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.log.bz2").write_bytes(bz2.compress(LOG.encode())[:-20])
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(LOG.encode())[:10] + b"\xff" * 40)
    assert list(texts(tmp_path).values()) == [
        "the compressed data is cut off before anything could be read",
        "the compressed data cannot be read: Error -3 while decompressing data: invalid block type",
    ]


def test_the_checksum_around_a_tar_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(wrong_sum(gzip.compress(tar_of({"a.log": LOG.encode()})), -8))
    assert list(texts(tmp_path / "a.tgz").values()) == [LOG, DAMAGED]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("times", [1, 200_000])
def test_a_wrong_checksum_in_a_zip_costs_nothing(tmp_path: Path, method: int, times: int) -> None:
    text = "INFO starting\n" * times + LOG
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.log", text)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    for place in (14, data.find(b"PK\x01\x02") + 16):  # where the member begins, and in the list of members
        data[place] ^= 1
    (tmp_path / "a.zip").write_bytes(data)
    sources = open_sources([tmp_path / "a.zip"])  # a member is read before the next source is taken
    with next(sources).open() as stream:
        assert decode(stream.read(1 << 23)) == text
        assert stream.problem == DAMAGED


class Pipe(io.RawIOBase):
    """What a zip is written to without going back: sizes stand behind the members."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += data
        return len(data)


def zip_by(way: str, members: dict[str, bytes]) -> bytes:
    out = Pipe() if way == "sizes behind" else io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if way == "stored" else zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            with archive.open(name, "w", force_zip64=way == "64 bits") as member:
                member.write(data)
    return bytes(out.data) if isinstance(out, Pipe) else out.getvalue()


MEMBERS = {"显存.log": b"the first\n" * 9, "image.bin": bytes(range(200)), "x/": b"", "x/b.log": LOG.encode(), "c.log": b"the last\n"}
LOGS = {name: data for name, data in MEMBERS.items() if name.endswith(".log")}


@pytest.mark.parametrize("way", ["deflated", "stored", "sizes behind", "64 bits"])
@pytest.mark.parametrize("around", [bytes, gzip.compress], ids=["plain", "gz"])
def test_of_a_zip_that_is_cut_anywhere_all_before_that_is_read(way: str, around: Callable[[bytes], bytes], tmp_path: Path) -> None:
    whole = zip_by(way, MEMBERS)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        starts = {info.filename: info.header_offset for info in archive.infolist()}
        directory = archive.start_dir
    following = dict(zip(starts, [*list(starts.values())[1:], directory], strict=True))
    for cut in range(30, len(whole) - 22, 7):
        (tmp_path / "cut.zip").write_bytes(around(whole[:cut]))
        read = []
        for source in open_sources([tmp_path / "cut.zip"]):
            read.append((source.name.rpartition("!")[2], None if source.problem else source.read(1 << 20), source.problem))
        complete = [name for name in LOGS if following[name] <= cut]
        assert [(name, data) for name, data, problem in read[: len(complete)]] == [(name, LOGS[name]) for name in complete]
        for name, data, problem in read[len(complete) : -1]:  # the one that is cut
            assert LOGS[name].startswith(data or b"") and (data or problem)
        assert read[-1][2] is not None and read[-1][2].startswith("the archive is cut off"), cut


def test_a_member_of_a_cut_zip_that_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    data = bytearray(zip_by("deflated", {"locked.log": b"x", "odd.log": b"y", "bad.log": LOG.encode() * 9, "good.log": b"good"}))
    places = [at for at in range(len(data)) if data.startswith(b"PK\x03\x04", at)]
    data[places[0] + 6] |= 1  # encrypted
    data[places[1] + 8] = 97  # a method that nobody knows
    data[places[2] + 30 + len("bad.log")] = 0xFF
    (tmp_path / "cut.zip").write_bytes(data[:-30])
    got = {name.removeprefix(f"{tmp_path}/"): text for name, text in texts(tmp_path / "cut.zip").items()}
    assert got == {
        "cut.zip!locked.log": "encrypted, a password is needed",
        "cut.zip!odd.log": "of an archive that is cut off, only stored and deflated members can be read",
        "cut.zip!bad.log": "the compressed data cannot be read: Error -3 while decompressing data: invalid block type",
        "cut.zip!good.log": "good",
        "cut.zip": "the archive is cut off; the members before that were read",
    }


def test_a_cut_zip_expands_within_the_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stream_room, "FREE", 1_000_000)
    for way, name in (("deflated", "a.log"), ("sizes behind", "a.bin")):  # a member that is read, and one that is passed over
        (tmp_path / "cut.zip").write_bytes(zip_by(way, {name: bytes(50_000_000)})[:-30])
        problems = []
        for source in open_sources([tmp_path / "cut.zip"]):
            if source.problem:
                problems.append(source.problem)
            else:
                with source.open() as stream:
                    assert len(stream.read(60_000_000)) < 50_000_000
                    problems.append(str(stream.problem))
        assert any("expands to more than" in problem for problem in problems)


def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "closed/b.log", "d.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    listed = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    got = {name.removeprefix(f"{tmp_path}/"): text for name, text in texts(tmp_path).items()}
    assert got == {"a.log": "a.log", "d.log": "d.log", "closed": "Permission denied"}


def test_a_file_that_may_not_be_opened_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "b.log", "c.log"):
        (tmp_path / name).write_text(name)
    opened = builtins.open

    def refuse(path: str, *arguments: Any, **options: Any) -> Any:
        if str(path).endswith("b.log"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *arguments, **options)

    monkeypatch.setattr(builtins, "open", refuse)
    assert list(texts(tmp_path).values()) == ["a.log", "Permission denied", "c.log"]


@pytest.mark.parametrize("data", [b"PK\x03\x04 no zip at all", tar_of({"a.log": b"x" * 5000})[:2000]], ids=["zip", "tar"])
def test_a_damaged_archive_is_a_problem_and_stops_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.zip").write_bytes(data)
    (tmp_path / "good.log").write_text("good")
    sources = list(open_sources([tmp_path / "bad.zip", tmp_path / "good.log"]))
    assert any(source.problem for source in sources[:-1])
    assert sources[-1].text() == "good"


def test_an_archive_that_expands_beyond_all_measure_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_room, "FREE", 1 << 20)
    monkeypatch.setattr(stream_room, "RATIO", 100)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(50_000_000)))
    (tmp_path / "bomb.zip").write_bytes(zip_of({"a.log": bytes(50_000_000)}))
    (tmp_path / "bomb.zst").write_bytes(zstd.compress(bytes(50_000_000)))
    for source in open_sources([tmp_path / "bomb.gz", tmp_path / "bomb.zip", tmp_path / "bomb.zst"]):
        with source.open() as stream:
            assert len(stream.read(50_000_000)) < 10_000_000
            assert stream.problem == "expands to more than 100 times its size, the rest was not read"


def test_endless_nesting_is_stopped(tmp_path: Path) -> None:
    data = b"x"
    for _ in range(10):
        data = gzip.compress(data)
    (tmp_path / "deep.gz").write_bytes(data)
    assert list(texts(tmp_path / "deep.gz").values()) == ["more than 6 layers of compression"]


@given(
    st.sampled_from([gzip.compress, lzma.compress, zstd.compress, lambda d: tar_of({"a.log": d}), lambda d: zip_of({"a.log": d})]),
    st.data(),
)
def test_damaged_archives_never_raise(pack: type[bytes], data: st.DataObject) -> None:
    packed = bytearray(pack(LOG.encode() * 3))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(packed[: data.draw(st.integers(1, len(packed)))])
    for source in unpack(Source("damaged", opener=once(Stream(io.BytesIO(cut))))):
        if not source.problem:
            source.read(1 << 20)
