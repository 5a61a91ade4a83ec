"""A written site, looked over: links and anchors that lead nowhere, ids that stand twice, languages that do not name each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

__all__ = ["check_site"]

_LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src"}


@dataclass(slots=True)
class _Seen:
    """What one page says that others have to agree with."""

    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)
    canonical: str = ""
    hidden: bool = False


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen = _Seen()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if "id" in values:
            self.seen.ids.append(values["id"])
        if tag == "meta" and values.get("name") == "robots" and "noindex" in values.get("content", ""):
            self.seen.hidden = True
        relation = values.get("rel", "")
        if tag == "link" and relation == "canonical":
            self.seen.canonical = values["href"]
        elif tag == "link" and relation == "alternate" and "hreflang" in values:
            self.seen.languages[values["hreflang"]] = values["href"]
        elif tag in _LINKS and _LINKS[tag] in values:
            self.seen.links.append(values[_LINKS[tag]])


def check_site(out: Path, base_url: str = "") -> tuple[str, ...]:
    """Everything that is wrong, one line each; links to other hosts are not followed."""
    pages = {path.relative_to(out).as_posix(): _read(path) for path in sorted(out.rglob("*.html"))}
    return tuple(_problems(out, pages, base_url))


def _read(path: Path) -> _Seen:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.seen


def _problems(out: Path, pages: dict[str, _Seen], base_url: str) -> Iterator[str]:
    for name, page in pages.items():
        for id in sorted({each for each in page.ids if page.ids.count(each) > 1}):
            yield f"{name}: the id {id} stands twice"
        for link in page.links:
            target = _inside(link, name, base_url)
            if target is not None and not _leads(target, out, pages):
                yield f"{name}: {link} leads nowhere"
        yield from _language_problems(name, pages, base_url)


def _inside(link: str, page: str, base_url: str) -> tuple[str, str] | None:
    """Path and anchor of a link into the site; None for one that leads out of it."""
    url = urlsplit(link)
    if base_url and link.startswith(base_url):
        path = link[len(base_url) :].split("#")[0].split("?")[0]
    elif url.scheme or url.netloc:
        return None
    elif url.path.startswith("/"):
        root = urlsplit(base_url).path or "/"
        if not url.path.startswith(root):
            return url.path, url.fragment
        path = url.path[len(root) :]
    else:
        path = normpath(join(dirname(page), unquote(url.path))) if url.path else page
    if path in ("", ".") or path.endswith("/"):
        path = join("" if path == "." else path, "index.html")
    return path, unquote(url.fragment)


def _leads(target: tuple[str, str], out: Path, pages: dict[str, _Seen]) -> bool:
    path, anchor = target
    if not (out / path).is_file():
        return False
    return not anchor or path not in pages or anchor in pages[path].ids


def _language_problems(name: str, pages: dict[str, _Seen], base_url: str) -> Iterator[str]:
    """Each version of a page has to name all of them, itself included, and none of them another canonical page than itself."""
    page = pages[name]
    named = {tag: _inside(link, name, base_url) for tag, link in page.languages.items()}
    for tag, target in named.items():
        if target is None or target[0] not in pages:
            yield f"{name}: hreflang {tag} leads nowhere"
            continue
        other = pages[target[0]]
        if {each: _inside(link, target[0], base_url) for each, link in other.languages.items()} != named:
            yield f"{name}: {target[0]} does not name the same languages"
    if named and (name, "") not in named.values():
        yield f"{name}: does not name itself among its languages"
    if page.canonical and not page.hidden and _inside(page.canonical, name, base_url) != (name, ""):
        yield f"{name}: its canonical address is another page"
