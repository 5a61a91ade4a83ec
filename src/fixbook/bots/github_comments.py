"""A bot's one comment on an issue: written once, edited after that."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from ..errors import FixbookError

__all__ = ["GitHubComments"]

MARK = "<!-- fixbook -->"
_PAGES = 10
_TIMEOUT = 20.0
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


class GitHubComments:
    """Comments of one repository, through the API at `url`. Raises FixbookError where GitHub refuses or does not answer."""

    def __init__(self, repository: str, token: str, url: str = "https://api.github.com") -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise FixbookError(f"{repository!r} is no repository: write owner/name")
        self._root = f"{url.rstrip('/')}/repos/{repository}/issues"
        self._token = token

    def write(self, issue: int, body: str) -> None:
        """Makes `body` the bot's comment on the issue."""
        text = f"{MARK}\n{body}"
        known = next((comment["id"] for comment in self._comments(issue) if _is_own(comment)), None)
        if known is None:
            self._call("POST", f"{self._root}/{issue}/comments", {"body": text})
        else:
            self._call("PATCH", f"{self._root}/comments/{known}", {"body": text})

    def _comments(self, issue: int) -> Iterator[dict[str, Any]]:
        for page in range(1, _PAGES + 1):
            found = self._call("GET", f"{self._root}/{issue}/comments?per_page=100&page={page}")
            yield from found
            if len(found) < 100:
                return

    def _call(self, method: str, url: str, body: object = None) -> Any:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "User-Agent": "fixbook",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise FixbookError(f"GitHub answered {error.code} to {method}: the token needs `issues: write`") from error
        except (OSError, ValueError) as error:
            raise FixbookError(f"GitHub did not answer: {type(error).__name__}") from error


def _is_own(comment: dict[str, Any]) -> bool:
    """The mark alone proves nothing, because anybody can write it: the author has to be a bot, too."""
    author = comment.get("user") or {}
    return author.get("type") == "Bot" and str(comment.get("body", "")).startswith(MARK)
