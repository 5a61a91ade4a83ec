"""A book in one file, and the cache: never stale, never trusted when damaged, never in the way."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixbook import bundle as bundle_room
from fixbook.bundle import Bundle, load_cached
from fixbook.cache import Cache, folder
from fixbook.index import Index, Probe
from fixbook.kb import Loaded, load
from fixbook.packing import pack, unpack
from fixbook.value import replace

ROOT = Path(__file__).parents[1]
KB = ROOT / "kb"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load([KB / "vllm"] if not KB.is_dir() else [KB])


@pytest.fixture(scope="module")
def bundle(loaded: Loaded) -> Bundle:
    return Bundle.of(loaded, Index.build([Probe("a", "some words")]))


def test_a_bundle_gives_back_the_book(loaded: Loaded, bundle: Bundle) -> None:
    again = Bundle.load(bundle.dump())
    assert [again.entries[id] for id in again.entries] == list(loaded.entries)
    assert [repr(again.entries[entry.id]) for entry in loaded.entries] == [repr(entry) for entry in loaded.entries]
    assert (again.components, again.glossary, again.problems) == (loaded.components, loaded.glossary, loaded.problems)
    assert again.index == bundle.index
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


class Builder:
    """Builds a bundle of the files of a folder, and counts how often."""

    def __init__(self, place: Path, bundle: Bundle) -> None:
        self.place = place
        self.bundle = bundle
        self.times = 0

    def __call__(self) -> Bundle:
        self.times += 1
        text = "".join(path.read_text() for path in sorted(self.place.rglob("*.yaml")))
        return replace(self.bundle, digest=text)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    place = tmp_path / "kb"
    (place / "vllm").mkdir(parents=True)
    (place / "vllm/a.yaml").write_text("a")
    (place / "vllm/b.yaml").write_text("b")
    for path in place.rglob("*.yaml"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return place


Load = Callable[[], str]


@pytest.fixture
def builder(book: Path, bundle: Bundle) -> Builder:
    return Builder(book, bundle)


@pytest.fixture
def digest(book: Path, builder: Builder, tmp_path: Path) -> Load:
    return lambda: load_cached([book], builder, version="1", cache=Cache(tmp_path / "cache")).digest


def test_a_book_that_did_not_change_is_built_once(digest: Load, builder: Builder) -> None:
    assert [digest(), digest(), digest()] == ["ab", "ab", "ab"]
    assert builder.times == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda book: (book / "vllm/a.yaml").write_text("A"),
        lambda book: (book / "vllm/c.yaml").write_text("c"),
        lambda book: (book / "vllm/a.yaml").unlink(),
        lambda book: (book / "nccl").mkdir() or (book / "nccl/n.yaml").write_text("n"),
        lambda book: (book / "vllm/a.yaml").rename(book / "vllm/z.yaml"),
        lambda book: (book / "vllm/a.1.log").write_text("a sample"),
    ],
    ids=["edited", "added", "deleted", "component", "renamed", "sample"],
)
def test_a_book_that_changed_is_built_again(change: Callable[[Path], object], digest: Load, builder: Builder, book: Path) -> None:
    digest()
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


def test_another_version_builds_its_own(book: Path, builder: Builder, tmp_path: Path) -> None:
    for version in ("1", "2", "1"):
        load_cached([book], builder, version=version, cache=Cache(tmp_path / "cache"))
    assert builder.times == 2


def test_a_format_of_another_version_is_built_again(digest: Load, builder: Builder, monkeypatch: pytest.MonkeyPatch, book: Path) -> None:
    digest()
    key = bundle_room._key([book], "1")
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
    at = data.draw(st.integers(0, len(body) - 1))
    if data.draw(st.booleans()):
        body[at] ^= data.draw(st.integers(1, 255))
    else:
        del body[at:]
    file.write_bytes(bytes(body))
    assert Cache(tmp_path / "cache").get(file.name) is None
    assert digest() == "ab"


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
    assert load_cached([book], builder, version="1", cache=Cache(tmp_path / "file" / "cache")).digest == "ab"


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
