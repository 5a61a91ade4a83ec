"""A page and its template → bytes. What every page has in common is said here and in templates/site/_page.html."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from markupsafe import Markup

from ..model import Lang
from ..render_html import HtmlSurface
from ..templates import environment
from ..words import Words
from .addresses import LANGS, TAGS, entry_page, relative
from .card import plain
from .settings import SiteSettings

__all__ = ["Page", "Press", "forget"]

# Nothing is loaded from elsewhere, and no script of a page may connect to anything: a pasted log cannot leave it.
# `blob:` is the worker that reads a paste, which has to start without a server, too.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src blob:; "
    "connect-src {connect}; base-uri 'none'; form-action 'none'"
)
_SPACE = re.compile(r'<span class="hl-w">([^<]*)</span>')
_LOCALES = {"en": "en_US", "zh": "zh_CN"}


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML page. `path` is its place in the site; title and description are plain text."""

    path: str
    lang: Lang
    title: str
    description: str
    versions: tuple[tuple[str, str], ...] = ()  # (hreflang, page) of this page in every language, itself included
    whole_title: bool = False  # the title names the site already
    hidden: bool = False  # kept out of search engines and the sitemap
    rooted: bool = False  # shown at addresses of any depth, so that relative links would miss
    date: str = ""  # of an article
    subject: str = "ID"  # the entry that a page is about
    twins: tuple[tuple[str, str], ...] = ()  # (media type, page): the same in other forms

    @property
    def tag(self) -> str:
        return TAGS[self.lang]

    @property
    def other(self) -> Lang:
        return "en" if self.lang == "zh" else "zh"

    @property
    def turned(self) -> str:
        """The same page in the other language."""
        return dict(self.versions)[TAGS[self.other]]


class _Surface(HtmlSurface):
    """Markdown as pages show it: without the marks for spaces, which are half of all marks in a command."""

    __slots__ = ()

    def block(self, markdown: str) -> Markup:
        return Markup(_SPACE.sub(r"\1", super().block(markdown)))


_SURFACE = _Surface()


@dataclass(frozen=True, slots=True)
class Press:
    """Renders pages. `stamp` changes with the style sheet and the scripts, so that no browser mixes old and new."""

    settings: SiteSettings
    stamp: str
    surface: HtmlSurface = _SURFACE

    def html(self, page: Page, template: str, /, **context: Any) -> bytes:
        return environment(True).get_template(f"site/{template}").render(**self._context(page), **context).encode()

    def text(self, template: str, lang: Lang = "en", /, *, xml: bool = False, **context: Any) -> bytes:
        """A file that is no page: a feed, a list for programs."""
        shared = {"settings": self.settings, "lang": lang, "tags": TAGS, "langs": LANGS, "w": Words(lang), "p": partial(_plainly, lang)}
        return environment(xml).get_template(f"site/{template}").render(**shared, **context).encode()

    def _context(self, page: Page) -> Mapping[str, Any]:
        link = self._linker(page)
        return {
            "page": page,
            "lang": page.lang,
            "langs": LANGS,
            "locales": _LOCALES,
            "policy": _POLICY.format(connect="'self'" if self.settings.live else "'none'"),
            "settings": self.settings,
            "stamp": self.stamp,
            "s": self.surface,
            "w": Words(page.lang),
            "t": partial(_said, page.lang),
            "p": partial(_plainly, page.lang),
            "link": link,
            "gap": "" if page.lang == "zh" else " ",  # between sentences
            "top": self.settings.base_path if page.rooted else "../" * page.path.count("/"),
            "entry_link": lambda id: link(entry_page(page.lang, id)),
        }

    def _linker(self, page: Page) -> Callable[[str], str]:
        if page.rooted:
            return lambda target: self.settings.base_path + target
        return lambda target: relative(target, page.path)


def _said(lang: Lang, key: str, **values: object) -> Markup:
    """A label of the site as markup."""
    return _SURFACE.inline(Words(lang).say(f"site.{key}", **values)) if values else _fixed(lang, key)[0]


def _plainly(lang: Lang, key: str, **values: object) -> str:
    """A label of the site as plain text, for titles and attributes."""
    return plain(Words(lang).say(f"site.{key}", **values)) if values else _fixed(lang, key)[1]


@cache
def _fixed(lang: Lang, key: str) -> tuple[Markup, str]:
    """A label without values: a page says about fifty of them."""
    said = Words(lang).say(f"site.{key}")
    return _SURFACE.inline(said), plain(said)


def forget() -> None:
    """The labels are read anew."""
    _fixed.cache_clear()
