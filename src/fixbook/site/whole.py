"""All files of the site, in the order in which they are made."""

from collections.abc import Iterator

from ..errors import FixbookError
from .assets import asset_outputs, code_key, stamp
from .bundle import bundle_outputs
from .entry_pages import EntryPages
from .feeds import Feeds
from .list_pages import ListPages
from .output import Output
from .press import Press
from .settings import SiteSettings
from .volume import Volume, digest

__all__ = ["outputs"]


def outputs(volume: Volume, settings: SiteSettings) -> tuple[Output, ...]:
    """What the site consists of. Raises FixbookError where two files would have the same address."""
    volume = volume.published(settings.drafts)
    made = tuple(_outputs(volume, settings))
    seen: set[str] = set()
    for output in made:
        # A file system that does not tell cases apart would lose one of them.
        if output.path.casefold() in seen:
            raise FixbookError(f"two pages would be written to {output.path}: rename the entry, or its alias")
        seen.add(output.path.casefold())
    return made


def _outputs(volume: Volume, settings: SiteSettings) -> Iterator[Output]:
    code = digest(code_key(), settings)
    press = Press(settings, stamp())
    lists, entries = ListPages(volume, press, code), EntryPages(volume, press, code)
    yield from asset_outputs(code)
    yield from bundle_outputs(volume, code)
    yield from lists.outputs()
    yield from entries.outputs()
    yield from Feeds(volume, press, code, lists.shelves, lambda: (*lists.pages(), *entries.pages())).outputs()
