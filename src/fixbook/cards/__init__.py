"""Chat cards: a report or an entry as the payload that a platform takes, within its limits whatever the log says.

Nothing here sends anything: no client, no token. What the caller posts is what `card` gives.
"""

from importlib import import_module
from typing import Any, Literal, get_args

from ..errors import FixbookError
from ..model import Entry, Lang
from ..report import Report

__all__ = ["PLATFORMS", "Platform", "card", "checked_base_url"]

Platform = Literal["dingtalk", "discord", "feishu", "github", "slack", "wecom"]
PLATFORMS: tuple[str, ...] = get_args(Platform)


def card(what: Report | Entry, platform: str, lang: str = "en", *, base_url: str = "", full: bool = False) -> dict[str, Any]:
    """The payload for a platform, as JSON values.

    `lang` is `en`, `zh` or `both`. `base_url` is where the site of the book is published (or an address with `{id}` and `{lang}`);
    with it the card links to the whole article. `full` adds the article as far as there is room. What a log says is masked
    (tokens, passwords, e-mails, home paths). Raises FixbookError for an unknown platform or an address that is no web address.
    """
    if platform not in PLATFORMS:
        raise FixbookError(f"unknown platform {platform!r}: one of {', '.join(PLATFORMS)}")
    from .content import of_entry, of_report

    checked = checked_base_url(base_url)
    langs: tuple[Lang, ...] = ("zh", "en") if lang == "both" else ("zh",) if lang == "zh" else ("en",)
    if isinstance(what, Report):
        from ..masked import masked

        report = masked(what)
        cards = [of_report(report, each, checked, full) for each in langs]
    else:
        cards = [of_entry(what, each, checked, full) for each in langs]
    payload: dict[str, Any] = import_module(f".{platform}", __name__).payload(cards)
    return payload


def checked_base_url(base_url: str) -> str:
    """The address, or FixbookError where it is none or could not stand in a chat's markup."""
    if base_url and not base_url.startswith(("https://", "http://")):
        raise FixbookError(f"base_url {base_url!r} is no web address: it begins with https://")
    if any(char in base_url for char in "<>|()[]\"' \n\t`"):
        raise FixbookError(f"base_url {base_url!r} holds a character that an address has to write as %XX")
    return base_url
