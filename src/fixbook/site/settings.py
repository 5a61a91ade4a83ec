"""What a site is built with, and the addresses that follow from it."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from ..errors import FixbookError

__all__ = ["SiteSettings", "checked_url"]


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """`base_url` ends with `/`, `repository` does not; "" where unknown: then what needs it is left out of the pages."""

    base_url: str = ""
    repository: str = ""  # https://github.com/owner/name
    branch: str = "main"
    drafts: bool = False  # also the entries that are not finished
    live: bool = False  # served while it is written

    @property
    def base_path(self) -> str:
        """The path of the site on its host, `/` at both ends."""
        return urlsplit(self.base_url).path or "/"

    def absolute(self, path: str) -> str:
        """The public address of a page; "" without a base URL. The index of a folder is the folder."""
        if not self.base_url:
            return ""
        return self.base_url + (path.removesuffix("index.html") if path.endswith(("/index.html", "index.html")) else path)

    def edit_url(self, file: str) -> str:
        return f"{self.repository}/edit/{self.branch}/{file}" if self.repository else ""

    def issue_url(self, title: str, body: str) -> str:
        query = urlencode({"title": title, "body": body})
        return f"{self.repository}/issues/new?{query}" if self.repository else ""


def checked_url(url: str, option: str) -> str:
    """A web address that stands for a folder, with `/` at its end; "" stays. Raises FixbookError for anything else."""
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise FixbookError(f"{option} {url!r}: give the address of the site's root, like https://example.org/fixbook/")
    return url.rstrip("/") + "/"
