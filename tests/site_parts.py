"""Books and sites for the tests of the site."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from fixbook.kb import shipped_root
from fixbook.site.build import write_site
from fixbook.site.memory import read_volume
from fixbook.site.settings import SiteSettings
from fixbook.site.volume import Volume
from fixbook.site.whole import outputs

__all__ = ["ALIAS", "BASE", "REPOSITORY", "folders", "shipped_site", "small_book", "volume", "write_entry"]

BASE = "https://docs.example.org/some/where/"
REPOSITORY = "https://github.com/example/fixbook"
ALIAS = "an-older-name"

_ENTRY = """\
schema: fixbook/1
kind: {kind}
status: {status}
title:
  en: Disk {slug} is full
  zh: 磁盘 {slug} 已满
severity: service-down
commonness: {commonness}
{more}signatures:
  - id: words
    pattern: 'No space left on device {slug} (?P<left>\\d+)'
samples:
  - expect: {{words: confirmed}}
    text: |
      INFO 12-01 09:00:01 [core.py:93] starting
      OSError: No space left on device {slug} 12 <b>&
  - expect: none
    why: another device
    text: |
      OSError: No space left on device other 12
summary:
  en: The disk has no room. Free `{slug}`{note}.
  zh: 磁盘没有空间，请清理 `{slug}`{note}。
quick_fix:
  en: Remove old files, {{left}} bytes are left.
  zh: 删除旧文件，剩余 {{left}} 字节。
  run: df -h {slug}
cause:
  en: Something wrote `--too-much`.
  zh: 写入过多 `--too-much`。
verify:
  en: Start again.
  zh: 重新启动。
names:
  left: {{en: a few, zh: 少量}}
links:
  - url: https://example.org/{slug}
    says: the manual
evidence: maintainer
reviewed: {reviewed}
"""
_OLD_NAME = f"""\
aliases: [{ALIAS}]
affects:
  - {{package: disk, introduced: 1.0, fixed: 2.0rc1, first_release: 2.0}}
fix_effect: repairs
"""
_SIBLING = """\
siblings:
  - entry: disk/root
    tell: {en: It is another disk., zh: 是另一块磁盘。}
affects:
  - {package: disk, fixed: 10.0}
  - {package: disk}
"""
_COMPONENTS = "disk:\n  name: {en: Disk, zh: 磁盘}\n  url: https://example.org/disk\n"


def write_entry(
    book: Path,
    slug: str,
    *,
    more: str = "",
    note: str = "",
    kind: str = "cause",
    status: str = "active",
    commonness: str = "usual",
    reviewed: str = "2026-12-01",
) -> Path:
    """An entry `disk/<slug>` of the book; `more` are lines of YAML between `commonness` and `signatures`."""
    path = book / "disk" / f"{slug}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"slug": slug, "more": more, "note": note, "kind": kind, "status": status, "commonness": commonness, "reviewed": reviewed}
    path.write_text(_ENTRY.format(**values), encoding="utf-8")
    (book / "components.yaml").write_text(_COMPONENTS, encoding="utf-8")
    return path


def small_book(folder: Path) -> Path:
    """A book with one entry of each sort that pages treat differently."""
    book = folder / "kb"
    write_entry(book, "root", more=_OLD_NAME, commonness="common")
    write_entry(book, "data", more=_SIBLING, reviewed="2026-11-02")
    write_entry(book, "shell", kind="wrapper", more="refines: [disk/data]\n")
    write_entry(book, "harmless", kind="benign")
    write_entry(book, "gone", status="withdrawn")
    write_entry(book, "unfinished", status="draft")
    return book


def folders() -> list[Path]:
    return [shipped_root() / "kb"]


def volume(*books: Path) -> Volume:
    return read_volume(list(books))


@cache
def shipped_site() -> Path:
    """The site of the shipped book, with a small one over it; made once for a run of the tests."""
    home = Path(mkdtemp(prefix="fixbook-site-"))
    out = home / "site"
    settings = SiteSettings(base_url=BASE, repository=REPOSITORY)
    write_site(outputs(volume(*folders(), small_book(home)), settings), out)
    return out
