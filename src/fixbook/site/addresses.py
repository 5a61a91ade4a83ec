"""Where each page lies. An entry's address is its id, so it stays as long as the id; a renamed entry leaves a redirect."""

from ..model import Lang

__all__ = [
    "CHANGES",
    "ERRORS",
    "FEED",
    "FIXES",
    "LANGS",
    "NOT_FOUND",
    "ROOT",
    "SEARCH",
    "TAGS",
    "VERSIONS",
    "alias_page",
    "component_page",
    "entry_page",
    "home_page",
    "in_language",
    "relative",
    "versions_of",
]

LANGS: tuple[Lang, ...] = ("en", "zh")
TAGS = {"en": "en", "zh": "zh-CN"}  # of the content; the addresses keep the short form

ROOT = "index.html"
NOT_FOUND = "404.html"
ERRORS = "errors.html"
VERSIONS = "versions.html"
FIXES = "fixes.html"
CHANGES = "changes.html"
FEED = "feed.xml"
SEARCH = "search"


def home_page(lang: Lang) -> str:
    return f"{lang}/index.html"


def entry_page(lang: Lang, id: str, ending: str = "html") -> str:
    return f"{lang}/{id}.{ending}"


def component_page(lang: Lang, component: str, ending: str = "html") -> str:
    return f"{lang}/{component}/index.{ending}"


def alias_page(lang: Lang, id: str, alias: str) -> str:
    """Of an alias: a slug in the folder of its entry, or a whole id."""
    return f"{lang}/{alias if '/' in alias else id.split('/', 1)[0] + '/' + alias}.html"


def in_language(page: str, lang: Lang) -> str:
    """The same page in another language."""
    return f"{lang}/{page.split('/', 1)[1]}"


def versions_of(page: str, x_default: str = "") -> tuple[tuple[str, str], ...]:
    """`(hreflang, page)` of a page in every language; for readers of none of them the English one, or the page given."""
    pages = tuple((TAGS[lang], in_language(page, lang)) for lang in LANGS)
    return (*pages, ("x-default", x_default or pages[0][1]))


def relative(target: str, page: str) -> str:
    """The way from one page to another that also works under a sub-path and without a server."""
    path, mark, fragment = target.partition("#")
    there, here = path.split("/"), page.split("/")[:-1]
    shared = 0
    while shared < min(len(there) - 1, len(here)) and there[shared] == here[shared]:
        shared += 1
    return "/".join([*[".."] * (len(here) - shared), *there[shared:]]) + mark + fragment
