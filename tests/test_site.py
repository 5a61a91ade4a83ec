"""The site's files: what is written, kept and refused; what pages, feeds and lists say."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import fixbook
from fixbook.cache import Cache
from fixbook.errors import FixbookError
from fixbook.site import memory
from fixbook.site.build import MANIFEST, Built, write_site
from fixbook.site.checks import check_site
from fixbook.site.output import Output
from fixbook.site.settings import SiteSettings, checked_url
from fixbook.site.whole import outputs
from site_parts import ALIAS, BASE, REPOSITORY, shipped_site, small_book, volume, write_entry

_ATOM = "{http://www.w3.org/2005/Atom}"
_MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
_XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return small_book(tmp_path)


def build(book: Path, out: Path, settings: SiteSettings | None = None) -> Built:
    return write_site(outputs(volume(book), settings or SiteSettings(base_url=BASE, repository=REPOSITORY)), out)


@pytest.fixture
def site(book: Path, tmp_path: Path) -> Path:
    build(book, tmp_path / "out")
    return tmp_path / "out"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def text(site: Path, path: str) -> str:
    return (site / path).read_text(encoding="utf-8")


# --- building ------------------------------------------------------------------------------------------------------------------------


def test_all_links_lead_somewhere_and_languages_name_each_other(site: Path) -> None:
    assert check_site(site, BASE) == ()


def test_all_links_of_the_shipped_book_lead_somewhere() -> None:
    assert check_site(shipped_site(), BASE) == ()


def test_the_check_finds_what_is_wrong(site: Path) -> None:
    page = site / "en/disk/root.html"
    broken = page.read_text().replace('href="data.html"', 'href="nowhere.html"').replace('href="#cause"', 'href="#nowhere"')
    page.write_text(broken.replace('<h2 id="verify">', '<h2 id="cause">'))
    (site / "zh/disk/data.html").unlink()
    said = check_site(site, BASE)
    assert "en/disk/root.html: #nowhere leads nowhere" in said
    assert "en/disk/root.html: the id cause stands twice" in said
    assert "en/disk/data.html: hreflang zh-CN leads nowhere" in said


def test_two_builds_are_equal_to_the_byte_whatever_order_sets_have(book: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from fixbook.cli import main; sys.exit(main(['site', sys.argv[2], '--kb', sys.argv[1], '--no-shipped',"
        " '--base-url', 'https://example.org/x']))"
    )
    for number in (1, 2):
        environment = {**os.environ, "PYTHONHASHSEED": str(number), "FIXBOOK_CACHE": str(tmp_path / f"cache{number}")}
        subprocess.run(
            [sys.executable, "-c", code, str(book), str(tmp_path / str(number))], env=environment, check=True, capture_output=True
        )
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert len(files(tmp_path / "1")) > 60


def test_nothing_is_made_again_when_nothing_changed(book: Path, site: Path) -> None:
    before = files(site)
    assert build(book, site).made == 0
    assert files(site) == before


def test_one_changed_entry_makes_its_own_pages_and_the_lists_again(book: Path, site: Path) -> None:
    other = (site / "en/disk/harmless.html").stat()
    write_entry(book, "shell", kind="wrapper", more="refines: [disk/data]\n", note=", or grow it")
    built = build(book, site)
    assert "or grow it" in text(site, "en/disk/shell.html")
    assert "or grow it" in text(site, "en/disk/index.html")
    assert (site / "en/disk/harmless.html").stat().st_ino == other.st_ino
    assert built.made < built.files / 2


def test_a_changed_title_reaches_the_pages_that_name_it(book: Path, site: Path) -> None:
    path = book / "disk" / "root.yaml"
    path.write_text(path.read_text().replace("en: Disk root is full", "en: The first disk is full"))
    build(book, site)
    assert "The first disk is full" in text(site, "en/disk/data.html")


def test_a_deleted_entry_leaves_no_page(book: Path, site: Path) -> None:
    (book / "disk" / "harmless.yaml").unlink()
    build(book, site)
    assert not (site / "en/disk/harmless.html").exists()
    assert check_site(site, BASE) == ()


def test_a_build_that_fails_leaves_the_old_site(book: Path, site: Path, tmp_path: Path) -> None:
    before, around = files(site), sorted(path.name for path in tmp_path.iterdir())

    def fail() -> bytes:
        raise RuntimeError("in the middle")

    broken = [*outputs(volume(book), SiteSettings()), Output("zz.html", "key", fail)]
    with pytest.raises(RuntimeError):
        write_site(broken, site)
    assert files(site) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == around


@pytest.mark.parametrize("strange", ["notes.txt", "en/own.html"])
def test_files_of_others_are_never_lost(site: Path, book: Path, strange: str) -> None:
    (site / strange).write_text("mine")
    with pytest.raises(FixbookError, match=re.escape(strange)):
        build(book, site)
    assert (site / strange).read_text() == "mine"


def test_a_folder_with_other_files_is_refused(book: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("x")
    with pytest.raises(FixbookError, match=r"thesis\.tex"):
        build(book, tmp_path / "home")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FixbookError, match="is a file"):
        build(book, tmp_path / "file")


def test_a_page_that_was_damaged_is_made_again(book: Path, site: Path) -> None:
    good = text(site, "en/disk/root.html")
    (site / "en/disk/root.html").unlink()
    (site / "zh/disk/root.html").write_text("")
    assert build(book, site).files
    assert text(site, "en/disk/root.html") == good
    assert len(text(site, "zh/disk/root.html")) > 1000


def test_a_broken_manifest_means_that_all_is_made_again(book: Path, site: Path) -> None:
    before = files(site)
    for path in site.rglob("*"):
        if path.is_file() and path.name != MANIFEST:
            path.unlink()
    (site / MANIFEST).write_text("{")
    built = build(book, site)
    assert built.made == built.files
    assert files(site) == before


def test_progress_counts_to_the_end(book: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    made = outputs(volume(book), SiteSettings())
    write_site(made, tmp_path / "out", lambda done, all: told.append((done, all)))
    assert told[0] == (0, len(made))
    assert told[-1] == (len(made), len(made))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_two_pages_at_one_address_are_refused(book: Path) -> None:
    write_entry(book, "index")
    with pytest.raises(FixbookError, match=r"en/disk/index\.html"):
        outputs(volume(book), SiteSettings())


def test_many_files_by_several_processes_are_the_same_files(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(book, tmp_path / "one")
    monkeypatch.setattr("fixbook.site.build._MANY", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr("threading.active_count", lambda: 1)
    build(book, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


# --- the book, remembered ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every time that the whole book is read."""
    counted: list[object] = []
    whole = memory.load

    def load(*arguments: object) -> object:
        counted.append(arguments)
        return whole(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "load", load)
    return counted


def test_a_changed_entry_is_read_alone(book: Path, tmp_path: Path, loads: list[object]) -> None:
    cache = Cache(tmp_path / "cache")
    first = memory.read_volume([book], cache)
    assert memory.read_volume([book], cache) == first
    write_entry(book, "harmless", kind="benign", note=", or not")
    changed = memory.read_volume([book], cache)
    assert len(loads) == 1
    assert changed != first
    assert changed == memory.read_volume([book], Cache(tmp_path / "fresh"))


def test_changes_are_kept_beside_the_book_until_they_are_many(
    book: Path, tmp_path: Path, loads: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MOST_CHANGES", 1)
    cache = Cache(tmp_path / "cache")
    write_entry(book, "plain", kind="benign")
    memory.read_volume([book], cache)
    (name,) = (path.name for path in (tmp_path / "cache").iterdir())
    # The third change is one beside a book that was kept anew, so the changes that lie there are not its own.
    for number, (slug, is_anew) in enumerate([("harmless", False), ("plain", True), ("plain", False)]):
        before = cache.get(name)
        write_entry(book, slug, kind="benign", note=f", {number}")
        changed = memory.read_volume([book], cache)
        assert (cache.get(name) != before) is is_anew
        assert changed == memory.read_volume([book], cache) == memory.read_volume([book], Cache(tmp_path / f"fresh {number}"))
    assert len(loads) == 1 + 3  # the first, and those into fresh caches


@pytest.mark.parametrize(
    "change",
    [
        lambda book: write_entry(book, "another"),
        lambda book: (book / "disk" / "harmless.yaml").unlink(),
        lambda book: write_entry(book, "shell", more="refines: [disk/root]\n", kind="wrapper"),
        lambda book: (book / "disk" / "harmless.yaml").write_text("schema: fixbook/1\n"),
        lambda book: (book / "components.yaml").write_text("disk:\n  name: {en: Disks, zh: 硬盘}\n"),
        lambda book: write_entry(book, "root"),
    ],
    ids=["added", "deleted", "refines", "broken", "components", "alias"],
)
def test_whatever_may_touch_others_is_read_whole(book: Path, tmp_path: Path, loads: list[object], change: Callable[[Path], object]) -> None:
    cache = Cache(tmp_path / "cache")
    memory.read_volume([book], cache)
    change(book)
    changed = memory.read_volume([book], cache)
    assert len(loads) == 2
    assert changed == memory.read_volume([book], Cache(tmp_path / "fresh"))


def test_a_strange_cache_is_not_believed(book: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first = memory.read_volume([book], cache)
    for path in (tmp_path / "cache").iterdir():
        cache.put(path.name, b"no pickle")
    assert memory.read_volume([book], cache) == first


# --- pages ---------------------------------------------------------------------------------------------------------------------------


def test_an_entry_page_begins_with_the_error_text_and_marks_what_is_recognised(site: Path) -> None:
    page = text(site, "en/disk/root.html")
    main = page[page.index("<main") :]
    assert "OSError: <mark>No space left on device root 12</mark> &lt;b&gt;&amp;" in main
    assert main.index("<mark>") < main.index("<h1>") < main.index('class="summary"') < main.index('id="quick-fix"')
    assert "<b>&" not in page


def test_an_entry_page_has_both_languages_of_everything(site: Path) -> None:
    en, zh = text(site, "en/disk/data.html"), text(site, "zh/disk/data.html")
    assert '<html lang="en"' in en and '<html lang="zh-CN"' in zh
    assert "It is another disk." in en and "是另一块磁盘。" in zh
    assert re.findall(r' id="([^"]+)"', en) == re.findall(r' id="([^"]+)"', zh)
    assert "{left}" not in en + zh
    assert "a few bytes are left" in en
    assert "剩余少量字节" in zh


def test_an_entry_page_tells_what_it_rests_on_and_shows_its_samples(site: Path) -> None:
    for lang, said in (("en", ("reviewed 2026-11-02", "Seen like this")), ("zh", ("复核日期：2026-11-02", "日志样例"))):
        page = text(site, f"{lang}/disk/data.html")
        assert all(each in page for each in said)
        seen = page[page.index('class="seen"') :]
        assert "OSError: No space left on device data 12 &lt;b&gt;&amp;" in seen
        assert "another device" not in seen and "device other" not in seen  # a near miss is for the matcher


def test_every_section_has_an_address_and_the_contents_name_it(site: Path) -> None:
    page = text(site, "en/disk/data.html")
    headings = re.findall(r'<h2 id="([^"]+)"><a href="#([^"]+)">', page)
    assert {"quick-fix", "versions", "siblings", "cause", "verify", "seen", "links"} == {id for id, _ in headings}
    assert all(id == target for id, target in headings)
    contents = page[page.index('class="toc"') :]
    assert re.findall(r'<a href="#([^"]+)">', contents) == [id for id, _ in headings]


def test_siblings_stand_with_what_tells_them_apart(site: Path) -> None:
    siblings = text(site, "zh/disk/data.html").split('class="siblings"')[1].split("</section>")[0]
    assert 'href="root.html"' in siblings and "磁盘 root 已满" in siblings and "是另一块磁盘。" in siblings


def test_the_head_names_the_page_its_twins_and_its_languages(site: Path) -> None:
    page = text(site, "zh/disk/root.html")
    head = page[: page.index("</head>")]
    named = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', head))
    assert f'<link rel="canonical" href="{BASE}zh/disk/root.html">' in head
    assert named["og:url"] == f"{BASE}zh/disk/root.html" and named["og:type"] == "article"
    assert named["og:title"] == "磁盘 root 已满" and named["description"] == named["og:description"] == "磁盘没有空间，请清理 root。"
    assert (named["og:locale"], named["og:locale:alternate"]) == ("zh_CN", "en_US")
    assert (site / named["og:image"].removeprefix(BASE)).is_file()
    others = dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', head))
    english = f"{BASE}en/disk/root.html"
    assert others == {"en": english, "zh-CN": f"{BASE}zh/disk/root.html", "x-default": english}
    twins = dict(re.findall(r'<link rel="alternate" type="([^"]+)" href="([^"]+)">', head))
    assert (twins["text/markdown"], twins["application/json"]) == ("root.md", "root.json")


def test_the_switch_of_the_language_keeps_every_page(site: Path) -> None:
    turned = 0
    for path in (site / "en").rglob("*.html"):
        inside = path.relative_to(site / "en")
        switch = re.search(r'<a class="language" href="([^"]+)"', path.read_text(encoding="utf-8"))
        if switch:
            turned += 1
            assert (path.parent / switch[1]).resolve() == (site / "zh" / inside).resolve()
        else:
            assert ALIAS in path.name
    assert turned > 10


def test_versions_stand_in_a_table(site: Path) -> None:
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", text(site, "en/disk/root.html"))
    assert [re.sub(r"<[^>]+>", " ", row).split() for row in rows] == [["disk", "1.0", "2.0rc1", "2.0"]]


def test_kinds_and_states_are_told(site: Path) -> None:
    assert "only wraps another failure" in text(site, "en/disk/shell.html")
    assert "Disk data is full" in text(site, "en/disk/shell.html")
    assert "looks like a failure and is none" in text(site, "en/disk/harmless.html")


def test_a_withdrawn_entry_keeps_its_page_and_is_listed_nowhere(site: Path) -> None:
    page = text(site, "zh/disk/gone.html")
    assert "已撤回" in page and '<meta name="robots" content="noindex">' in page
    for path in (
        "en/disk/index.html",
        "en/errors.html",
        "en/changes.html",
        "llms.txt",
        "sitemap.xml",
        "en/feed.xml",
        "assets/search.en.js",
    ):
        assert "disk/gone" not in text(site, path) and 'href="gone' not in text(site, path), path


def test_a_draft_is_published_only_when_asked_for(book: Path, site: Path, tmp_path: Path) -> None:
    assert not (site / "en/disk/unfinished.html").exists()
    build(book, tmp_path / "with", SiteSettings(drafts=True))
    assert "Draft" in text(tmp_path / "with", "en/disk/unfinished.html")


def test_an_alias_is_a_redirect_without_scripts(site: Path) -> None:
    page = text(site, f"zh/disk/{ALIAS}.html")
    assert '<meta http-equiv="refresh" content="0; url=root.html">' in page
    assert f'<link rel="canonical" href="{BASE}zh/disk/root.html">' in page
    assert '<a href="root.html">' in page and "noindex" in page


def test_links_to_edit_and_to_tell_carry_the_entry_and_the_version(site: Path) -> None:
    page = text(site, "zh/disk/root.html")
    edit, issue = (url.replace("&amp;", "&") for url in re.findall(rf'href="({re.escape(REPOSITORY)}/[^"]+)"', page))
    assert edit.startswith(f"{REPOSITORY}/edit/main/") and edit.endswith("disk/root.yaml")
    asked = parse_qs(urlsplit(issue).query)
    assert "disk/root" in asked["title"][0]
    assert "disk/root" in asked["body"][0] and fixbook.__version__ in asked["body"][0]


def test_without_addresses_nothing_that_needs_them_is_said(book: Path, tmp_path: Path) -> None:
    build(book, tmp_path / "plain", SiteSettings())
    page = text(tmp_path / "plain", "en/disk/root.html")
    assert "canonical" not in page and "og:url" not in page and "issues/new" not in page
    assert not (tmp_path / "plain" / "sitemap.xml").exists()
    assert check_site(tmp_path / "plain") == ()


def test_pages_load_nothing_from_elsewhere_and_may_not_connect(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = path.read_text()
        assert "connect-src &#39;none&#39;" in page, path
        assert "default-src &#39;none&#39;" in page, path
        loaded = re.findall(r'<(?:script|img|source|iframe)[^>]*\bsrc="([^"]+)"', page) + re.findall(
            r'<link rel="(?:stylesheet|icon)"[^>]*href="([^"]+)"', page
        )
        assert not [url for url in loaded if "//" in url], path
        assert not re.search(r"<script(?![^>]*\bsrc=)|\bon[a-z]+=|\bstyle=", page), path
    for path in (site / "assets").iterdir():
        if path.suffix in (".css", ".js") and path.name not in ("book.js",) and not path.name.startswith("search"):
            assert "http://" not in path.read_text() and "@import" not in path.read_text(), path


def test_the_home_page_offers_box_example_and_shelves(site: Path) -> None:
    page = text(site, "zh/index.html")
    assert '<textarea id="log"' in page and 'id="example"' in page
    assert "OSError: No space left on device root 12 &lt;b&gt;&amp;" in page
    assert 'href="disk/index.html">磁盘</a> <span>4</span>' in page
    commonest = page.split('class="common"')[1].split("</section>")[0]
    assert re.findall(r'<a href="(disk/[^"]+)"', commonest) == ["disk/root.html"]


def test_error_texts_stand_in_the_order_of_the_alphabet(site: Path) -> None:
    page = text(site, "en/errors.html")
    said = [re.sub(r"<[^>]+>", "", text) for text in re.findall(r'<code class="says">(.*?)</code>', page)]
    assert said == sorted(said) and len(said) == 4
    assert '<a href="#o">O</a>' in page and '<h2 id="o">' in page


def test_versions_and_fixes_are_ordered_as_versions(site: Path) -> None:
    fixes = text(site, "en/fixes.html")
    assert re.findall(r"<h3[^>]*><a[^>]*>([^<]+)<", fixes) == ["10.0", "2.0"]
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td>", text(site, "en/versions.html"))
    assert [fixed for _, fixed in rows] == ["not yet", "10.0", "2.0"]


def test_what_changed_goes_by_day(site: Path) -> None:
    page = text(site, "zh/changes.html")
    assert re.findall(r'<h2 id="d([^"]+)"', page) == ["2026-12-01", "2026-11-02"]


def test_a_page_that_is_not_there_knows_the_root_of_the_site(site: Path) -> None:
    page = text(site, "404.html")
    assert 'href="/some/where/assets/style.css' in page and "noindex" in page
    assert 'lang="zh-CN"' in page and 'lang="en"' in page


# --- for programs --------------------------------------------------------------------------------------------------------------------


def test_twins_are_what_the_program_prints(book: Path, site: Path) -> None:
    entry = fixbook.load(book)["root"]
    for lang in ("en", "zh"):
        assert text(site, f"{lang}/disk/root.md") == entry.render("markdown", lang=lang) + "\n"  # type: ignore[arg-type]
        assert json.loads(text(site, f"{lang}/disk/root.json")) == json.loads(entry.render("json"))
    assert {each["id"] for each in json.loads(text(site, "en/disk/index.json"))["entries"]} == {
        "disk/root", "disk/data", "disk/shell", "disk/harmless",
    }  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_feed_is_atom_with_stable_names(site: Path, book: Path, tmp_path: Path, lang: str) -> None:
    feed = ET.fromstring(text(site, f"{lang}/feed.xml"))
    entries = feed.findall(f"{_ATOM}entry")
    assert feed.tag == f"{_ATOM}feed" and len(entries) == 4
    for each in (feed, *entries):
        assert all(each.find(f"{_ATOM}{name}") is not None for name in ("title", "id", "updated"))
    ids = [each.findtext(f"{_ATOM}id") for each in entries]
    assert len(set(ids)) == 4
    days = [each.findtext(f"{_ATOM}updated") or "" for each in entries]
    assert days == sorted(days, reverse=True)
    build(book, tmp_path / "moved", SiteSettings(base_url="https://elsewhere.example/"))
    moved = ET.fromstring(text(tmp_path / "moved", f"{lang}/feed.xml"))
    assert [each.findtext(f"{_ATOM}id") for each in moved.findall(f"{_ATOM}entry")] == ids


def test_the_sitemap_names_each_page_in_each_language(site: Path) -> None:
    urls = {}
    for url in ET.fromstring(text(site, "sitemap.xml")):
        links = {link.get("hreflang"): link.get("href") for link in url.findall(f"{_XHTML}link")}
        urls[url.findtext(f"{_MAP}loc")] = links
    assert f"{BASE}zh/disk/root.html" in urls and f"{BASE}en/" in urls
    for address, links in urls.items():
        assert set(links) == {"en", "zh-CN", "x-default"}
        assert address in links.values()
        assert all(urls.get(other, links) == links for other in links.values())
    assert urls[f"{BASE}en/"]["x-default"] == BASE
    assert not any("404" in str(address) or ALIAS in str(address) for address in urls)


def test_llms_txt_leads_to_the_text_of_every_entry(site: Path) -> None:
    said = text(site, "llms.txt")
    assert said.startswith("# fixbook\n\n> ")
    for id in ("disk/root", "disk/data", "disk/shell", "disk/harmless"):
        assert f"]({BASE}en/{id}.md)" in said and f"]({BASE}zh/{id}.md)" in said
    for path in re.findall(rf"\({re.escape(BASE)}([^)]+)\)", said):
        assert (site / path).is_file()


def test_the_search_list_is_data(site: Path) -> None:
    script = text(site, "assets/search.zh.js")
    data = json.loads(script.removeprefix("fixbookSearch(").rstrip().removesuffix(");"))
    row = next(row for row in data["rows"] if row[0] == "disk/root")
    assert row[1:3] == ["磁盘 root 已满", "Disk root is full"]
    assert "No space left on device root 12" in row[4]
    assert ALIAS in row[5] and "--too-much" in row[5]
    assert data["names"] == {"disk": "磁盘"}
    part = text(site, "assets/search.zh.0.js")
    assert data["parts"] == 1 and "写入过多" in part


def test_the_schema_for_editors_is_published(site: Path) -> None:
    assert json.loads(text(site, "schema/entry.json"))["$schema"].startswith("http://json-schema.org/draft-07")


# --- addresses -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "made"), [("", ""), ("https://x.org", "https://x.org/"), ("https://x.org/a/", "https://x.org/a/")])
def test_a_base_url_is_a_folder(given: str, made: str) -> None:
    assert checked_url(given, "--base-url") == made


@pytest.mark.parametrize("given", ["x.org", "ftp://x.org", "https://x.org/?a", "https:///a", "javascript:alert(1)"])
def test_what_is_no_base_url_is_refused(given: str) -> None:
    with pytest.raises(FixbookError, match="--base-url"):
        checked_url(given, "--base-url")
