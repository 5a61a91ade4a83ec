"""A book in one file, and the cache: never stale, never trusted when damaged, never in the way."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixbook import bundle as bundle_room
from fixbook.bundle import Bundle, load_cached
from fixbook.cache import Cache, folder
from fixbook.errors import FixbookError
from fixbook.index import Index, Probe
from fixbook.kb import Loaded, load
from fixbook.packing import pack, unpack
from fixbook.parts import DamagedError, Parts

ROOT = Path(__file__).parents[1]
KB = ROOT / "kb"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load([KB / "vllm"] if not KB.is_dir() else [KB])


@pytest.fixture(scope="module")
def bundle(loaded: Loaded) -> Bundle:
    return Bundle.of(loaded, Index.build([Probe("a", "some words"), Probe("b", "other words than those")]))


def test_a_bundle_gives_back_the_book(loaded: Loaded, bundle: Bundle) -> None:
    again = Bundle.load(bundle.dump())
    assert [again.entries[id] for id in again.entries] == list(loaded.entries)
    assert [repr(again.entries[entry.id]) for entry in loaded.entries] == [repr(entry) for entry in loaded.entries]
    assert (again.components, again.glossary, again.problems) == (loaded.components, loaded.glossary, loaded.problems)
    assert again.index.to_parts() == bundle.index.to_parts()
    assert again.digest == bundle.digest
    assert all(again.aliases[entry.slug] == entry.id for entry in loaded.entries)


def test_the_digest_is_of_the_content_not_of_its_place(loaded: Loaded, bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "kb").symlink_to(KB)
    assert Bundle.of(load([tmp_path / "kb"]), bundle.index).digest == Bundle.of(loaded, bundle.index).digest


def test_an_entry_is_unpacked_once(bundle: Bundle) -> None:
    id = next(iter(bundle.entries))
    assert bundle.entries[id] is bundle.entries[id]


def test_what_is_no_value_of_a_book_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no value of a book"):
        pack(object())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
        lambda inner: st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    )
)
def test_plain_values_come_back(value: object) -> None:
    assert unpack(pack(value)) == value


# --- the cache of books -----------------------------------------------------------------------------------------------------------


def named(bundle: Bundle, name: str) -> Bundle:
    """The same book under another name."""
    old = bundle._parts
    parts = {each: bytes(old.part(each)) for each in old._file[2] if not each.startswith("entries")}
    rows = [bytes(old.row("entries", number)) for number in range(len(bundle.entries))]
    return Bundle(Parts(Parts.dump({**parts, "name": f"{bundle_room.VERSION} {name}".encode()}, {"entries": rows})))


def used(bundle: Bundle) -> object:
    """All that a book says."""
    index = bundle.index
    needs = [index.needs(number) for number in range(len(index.keys))]
    told = (index.candidates("some words"), index.keys, index.unfit, index.patterns, index.roles, index.reaches, needs)
    entries = [repr(bundle.entries[id]) for id in bundle.entries]
    return (
        *(bundle.digest, bundle.active, dict(bundle.aliases), bundle.vocabulary, bundle.components, bundle.glossary, bundle.problems),
        *(told, entries),
    )


class Builder:
    """Builds a bundle of the files of a folder, and counts how often."""

    def __init__(self, place: Path, bundle: Bundle) -> None:
        self.place = place
        self.bundle = bundle
        self.times = 0

    def __call__(self) -> Bundle:
        self.times += 1
        text = "".join(path.read_text() for path in sorted(self.place.rglob("*.yaml")))
        return named(self.bundle, text)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    place = tmp_path / "kb"
    (place / "vllm").mkdir(parents=True)
    (place / "vllm/a.yaml").write_text("a")
    (place / "vllm/b.yaml").write_text("b")
    for path in place.rglob("*.yaml"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return place


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour after the files were written: they may be trusted not to change again without a new time."""
    monkeypatch.setattr(bundle_room, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + 3_600_000_000_000))


Load = Callable[[], str]


@pytest.fixture
def builder(book: Path, bundle: Bundle) -> Builder:
    return Builder(book, bundle)


@pytest.fixture
def digest(book: Path, builder: Builder, tmp_path: Path) -> Load:
    return lambda: load_cached([str(book)], builder, version="1", cache=Cache(tmp_path / "cache")).digest


@pytest.mark.usefixtures("later")
def test_a_book_that_did_not_change_is_built_once(digest: Load, builder: Builder) -> None:
    assert [digest(), digest(), digest()] == ["ab", "ab", "ab"]
    assert builder.times == 1


def _replaced(book: Path) -> None:
    """Another file of the same size and the same time takes the place of one."""
    old = (book / "vllm/a.yaml").stat()
    (book / "new").write_text("A")
    os.utime(book / "new", ns=(old.st_atime_ns, old.st_mtime_ns))
    (book / "new").replace(book / "vllm/a.yaml")


def _edited_in_place(book: Path) -> None:
    old = (book / "vllm/a.yaml").stat()
    with (book / "vllm/a.yaml").open("r+") as file:
        file.write("A")
    os.utime(book / "vllm/a.yaml", ns=(old.st_atime_ns, old.st_mtime_ns))


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    "change",
    [
        lambda book: (book / "vllm/a.yaml").write_text("A"),
        lambda book: (book / "vllm/c.yaml").write_text("c"),
        lambda book: (book / "vllm/a.yaml").unlink(),
        lambda book: (book / "nccl").mkdir() or (book / "nccl/n.yaml").write_text("n"),
        lambda book: (book / "vllm/a.yaml").rename(book / "vllm/z.yaml"),
        lambda book: (book / "vllm/a.1.log").write_text("a sample"),
        _replaced,
        _edited_in_place,
    ],
    ids=["edited", "added", "deleted", "component", "renamed", "sample", "replaced", "in place"],
)
def test_a_book_that_changed_is_built_again(change: Callable[[Path], object], digest: Load, builder: Builder, book: Path) -> None:
    digest()
    time.sleep(0.02)  # a file system's clock may stand still for some milliseconds
    change(book)
    assert digest() == "".join(path.read_text() for path in sorted(book.rglob("*.yaml")))
    assert builder.times == 2


def test_an_edit_in_the_same_moment_is_seen(digest: Load, book: Path) -> None:
    """Two writes of the same length within the resolution of a file's time."""
    now = (book / "vllm/a.yaml").stat().st_ctime_ns
    for word in "xyz":
        (book / "vllm/a.yaml").write_text(word)
        os.utime(book / "vllm/a.yaml", ns=(now, now))
        assert digest() == f"{word}b"


@pytest.mark.usefixtures("later")
def test_another_version_builds_its_own(book: Path, builder: Builder, tmp_path: Path) -> None:
    for version in ("1", "2", "1"):
        load_cached([str(book)], builder, version=version, cache=Cache(tmp_path / "cache"))
    assert builder.times == 2


@pytest.mark.usefixtures("later")
def test_a_format_of_another_version_is_built_again(digest: Load, builder: Builder, monkeypatch: pytest.MonkeyPatch, book: Path) -> None:
    digest()
    key = bundle_room._key([str(book)], "1")
    monkeypatch.setattr(bundle_room, "VERSION", 99)
    monkeypatch.setattr(bundle_room, "_key", lambda folders, version: key)
    digest()
    assert builder.times == 2


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_cache_is_never_used(data: st.DataObject, digest: Load, tmp_path: Path) -> None:
    digest()
    (file,) = (tmp_path / "cache").iterdir()
    body = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, 999_999)) * len(body) // 1_000_000  # the file is not always of the same length
    if data.draw(st.booleans()):
        body[at] ^= data.draw(st.integers(1, 255))
    else:
        del body[at:]
    file.write_bytes(bytes(body))
    assert Cache(tmp_path / "cache").get(file.name) is None
    assert digest() == "ab"


# --- a file of parts --------------------------------------------------------------------------------------------------------------


def _places(data: bytes) -> dict[str, tuple[int, int]]:
    """Where the parts of a cached book stand in its file: those in front of it, then its own, each row by itself."""
    found: dict[str, tuple[int, int]] = {}
    head, body = bundle_room._taken_apart(memoryview(data)[24:])
    for which, parts in (("head", head), ("book", Parts(body))):
        whole, base, directory = parts._file
        first = data.index(bytes(whole))
        found[f"{which} start"] = (first, first + base)
        found.update({f"{which} {name}": (first + base + at, first + base + end) for name, (at, end, _) in directory.items() if end > at})
    return found


def test_each_part_that_is_damaged_is_made_anew(book: Path, builder: Builder, tmp_path: Path, later: None) -> None:
    load = lambda: load_cached([str(book)], builder, version="1", cache=Cache(tmp_path / "cache"))  # noqa: E731
    good = used(load())
    (file,) = (tmp_path / "cache").iterdir()
    whole = file.read_bytes()
    places = _places(whole)
    assert {"head key", "head files", "book name", "book entries", "book runs", "book vocabulary", "book rest"} <= set(places)
    for name, (start, end) in places.items():
        for at in {start, (start + end) // 2, end - 1}:
            damaged = bytearray(whole)
            damaged[at] ^= 64
            file.write_bytes(damaged)
            before = builder.times
            assert used(load()) == good, name
            assert builder.times == before + 1, name  # it was seen
            assert used(load()) == good, name
            assert builder.times == before + 1, name  # and it is whole again


def test_what_is_not_asked_for_is_not_read(book: Path, builder: Builder, tmp_path: Path, later: None) -> None:
    load = lambda: load_cached([str(book)], builder, version="1", cache=Cache(tmp_path / "cache"))  # noqa: E731
    load()
    (file,) = (tmp_path / "cache").iterdir()
    damaged = bytearray(file.read_bytes())
    places = _places(bytes(damaged))
    for name in ("aliases", "vocabulary", "rest", "columns", "active", "entries"):
        damaged[places[f"book {name}"][0]] ^= 1  # of the entries it is the first one
    file.write_bytes(damaged)
    bundle = load()
    assert bundle.index.candidates("some words") == {"a": 0}
    assert bundle.entries[list(bundle.entries)[1]].id == list(bundle.entries)[1]
    assert builder.times == 1
    assert bundle.entries[next(iter(bundle.entries))].id == next(iter(bundle.entries))
    assert builder.times == 2


def test_a_damaged_part_of_a_book_that_is_another_by_now_is_an_error(book: Path, builder: Builder, tmp_path: Path, later: None) -> None:
    load = lambda: load_cached([str(book)], builder, version="1", cache=Cache(tmp_path / "cache"))  # noqa: E731
    load()
    (file,) = (tmp_path / "cache").iterdir()
    damaged = bytearray(file.read_bytes())
    damaged[_places(bytes(damaged))["book aliases"][0]] ^= 1
    file.write_bytes(damaged)
    bundle = load()
    (book / "vllm/a.yaml").write_text("another")
    with pytest.raises(FixbookError, match="load it again"):
        bundle.aliases.get("x")


def test_parts_without_a_remedy_say_that_they_are_damaged() -> None:
    data = bytearray(Parts.dump({"name": b"n", "a": b"some bytes"}))
    data[-1] ^= 1
    with pytest.raises(DamagedError, match="a: the file is damaged"):
        Parts(data).part("a")
    with pytest.raises(DamagedError, match="no file of parts"):
        Parts(b"")
    with pytest.raises(IndexError):
        Parts(Parts.dump({}, {"rows": [b"one"]})).row("rows", 1)


def test_many_starts_at_once_and_a_file_that_is_damaged_meanwhile(tmp_path: Path) -> None:
    code = (
        "import random, sys; from pathlib import Path; import fixbook\n"
        "texts = set()\n"
        "for turn in range(12):\n"
        "    book = fixbook.load(sys.argv[1])\n"
        "    report = book.diagnose('RuntimeError: some words of ours, and more')\n"
        "    texts.add((report.to_json(), *(str(a.entry) for a in book.entries), *book._bundle.aliases))\n"
        "    for file in Path(sys.argv[2], 'fixbook').glob('book-*'):\n"
        "        data = bytearray(file.read_bytes())\n"
        "        data[random.randrange(len(data))] ^= 1\n"
        "        (file.parent / f'.{turn}-{sys.argv[3]}').write_bytes(data)\n"
        "        (file.parent / f'.{turn}-{sys.argv[3]}').replace(file)\n"
        "assert len(texts) == 1 and 'ours' in str(texts)\n"
    )
    kb = tmp_path / "kb"
    kb.mkdir()
    (kb / "components.yaml").write_text((KB / "components.yaml").read_text())
    (kb / "vllm").mkdir()
    (kb / "vllm/ours.yaml").write_text(ENTRY)
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    env.pop("FIXBOOK_CACHE", None)
    starts = [subprocess.Popen([sys.executable, "-c", code, str(kb), str(tmp_path), letter], env=env) for letter in "abc"]
    assert [start.wait() for start in starts] == [0, 0, 0]


ENTRY = """\
schema: fixbook/1
kind: cause
status: active
title: {en: Ours, zh: 我们的}
severity: request-fails
commonness: usual
signatures:
  - id: words
    pattern: 'some words of ours, and more'
samples:
  - expect: {words: confirmed}
    text: 'RuntimeError: some words of ours, and more'
summary: {en: It is ours., zh: 是我们的。}
quick_fix: [{en: Mend it., zh: 修复它。}]
cause: [{en: Words., zh: 词语。}]
verify: [{en: Look., zh: 查看。}]
links: [{url: "https://example.org/", says: the fix}]
evidence: inferred
reviewed: 2026-12-01
"""


@pytest.mark.parametrize("left", [0, 3, 16, 24, 25, 27, 28, 40, 60])
def test_a_file_that_was_cut_is_made_anew(left: int, digest: Load, builder: Builder, tmp_path: Path, later: None) -> None:
    digest()
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:left])
    assert [digest(), digest()] == ["ab", "ab"]
    assert builder.times == 2


def test_a_cache_that_others_can_write_to_is_not_used(digest: Load, builder: Builder, tmp_path: Path) -> None:
    digest()
    (file,) = (tmp_path / "cache").iterdir()
    file.chmod(0o666)
    digest()
    assert builder.times == 2


def test_a_fifo_among_the_cached_files_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "book")
    cache = Cache(tmp_path)
    assert cache.get("book") is None
    assert cache.remember("book", lambda: b"made") == b"made"
    assert cache.get("book") == b"made"


def test_without_a_cache_folder_all_works(book: Path, builder: Builder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert load_cached([str(book)], builder, version="1", cache=Cache(tmp_path / "file" / "cache")).digest == "ab"


def test_many_at_once_leave_one_good_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from fixbook.cache import Cache\n"
        "for _ in range(50): Cache(Path(sys.argv[1])).put('x', sys.argv[2].encode() * 10000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "cache"), letter]) for letter in "ab"]
    cache = Cache(tmp_path / "cache")
    while any(writer.poll() is None for writer in writers):
        assert cache.get("x") in (None, b"a" * 10_000, b"b" * 10_000)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["x"]


def test_the_cache_does_not_grow(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(60):
        cache.put(str(number), b"")
    assert len(list(tmp_path.iterdir())) == 24
    assert cache.get("59") == b""


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIXBOOK_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert folder() == "/x/fixbook"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative is not allowed")
    assert folder() == str(Path.home() / ".cache/fixbook")
    monkeypatch.setenv("FIXBOOK_CACHE", "/own")
    assert folder() == "/own"


def test_a_warm_start_imports_no_yaml(tmp_path: Path, bundle: Bundle) -> None:
    (tmp_path / "b").write_bytes(bundle.dump())
    code = (
        "import sys; from pathlib import Path; from fixbook.bundle import Bundle\n"
        "b = Bundle.load(Path(sys.argv[1]).read_bytes()); b.index.candidates('some words'); [b.entries[i] for i in b.entries]\n"
        "print(*sorted({'yaml', 'regex', 'jinja2', 'hyperscan', 'tempfile', 'fixbook.literals'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code, str(tmp_path / "b")], capture_output=True, check=True, text=True)
    assert out.stdout.strip() == ""
