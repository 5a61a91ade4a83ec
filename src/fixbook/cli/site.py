"""`fixbook site OUT`: the book as a static site."""

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FixbookError
from .arguments import Options
from .console import complain

if TYPE_CHECKING:
    from ..site.settings import SiteSettings

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook site public/
  fixbook site public/ --base-url https://example.org/fixbook/ --repository https://github.com/owner/fixbook
  fixbook site public/ --kb our-kb/
  fixbook site --serve                  while you write: rebuilds and reloads, shows what lint finds

Without --base-url the pages lack what needs a full address: canonical links, the sitemap, previews in chats.

exit codes:
  0  built
  2  trouble: arguments, a broken book, a folder that cannot be written
"""
_STEP = 0.1  # seconds between two lines of progress


def configure(parser: ArgumentParser) -> None:
    parser.description = "Renders the book as a static site in English and Chinese."
    parser.epilog = _EPILOG
    parser.add_argument("out", nargs="?", metavar="OUT", help="the folder to write; it is replaced as a whole, unchanged files are kept")
    parser.add_argument("--base-url", default="", metavar="URL", help="where the site will lie")
    parser.add_argument("--repository", default="", metavar="URL", help="for the links to edit; default: GITHUB_REPOSITORY")
    parser.add_argument("--branch", default="main", metavar="NAME", help="of the repository; default: main")
    parser.add_argument("--drafts", action="store_true", help="also the entries whose status is draft; --serve shows them always")
    parser.add_argument("--kb", action="append", default=[], metavar="DIR", help="put this book over the one at hand (repeatable)")
    parser.add_argument("--no-shipped", action="store_true", help="use the books of --kb alone")
    parser.add_argument("--serve", action="store_true", help="build, show at 127.0.0.1, and build again on every change")
    parser.add_argument("--port", type=int, default=8321, help="for --serve; default: 8321, 0 takes any")
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """0 when built. A book with broken entries is built without them, and says so."""
    from ..site.settings import SiteSettings, checked_url

    settings = SiteSettings(
        base_url="" if options.serve else checked_url(options.base_url, "--base-url"),
        repository=_repository(options.repository),
        branch=options.branch,
        drafts=options.drafts or options.serve,
        live=options.serve,
    )
    folders = _folders(options)
    if options.serve:
        from ..site.serve import serve

        return serve(folders, settings, Path(options.out) if options.out else None, options.port, complain)
    if not options.out:
        raise FixbookError("name the folder to write: `fixbook site public/`")
    return _build(folders, settings, Path(options.out))


def _build(folders: list[Path], settings: "SiteSettings", out: Path) -> int:
    from ..site.build import write_site
    from ..site.memory import read_volume
    from ..site.whole import outputs

    started = time.monotonic()
    volume = read_volume(folders)
    for problem in volume.problems:
        if problem.severity == "error":
            complain(f"warning: {problem.where}: {problem.what}")
    if not volume.items:
        raise FixbookError(f"{', '.join(map(str, folders))}: no entry can be used, so there is no site to build")
    built = write_site(outputs(volume, settings), out, _progress())
    complain(f"{out}: {built.files} files, {built.made} of them new, {time.monotonic() - started:.1f} s")
    return 0


def _progress() -> Callable[[int, int], None]:
    """A counter on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda done, all: None
    shown = 0.0

    def show(done: int, all: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > _STEP or done == all:
            shown = now
            print(f"\r{done} of {all} files", end="\n" if done == all else "", file=sys.stderr, flush=True)

    return show


def _folders(options: Options) -> list[Path]:
    """The book at hand (./kb, else the shipped one) and those of --kb over it."""
    from ..shipped import shipped_root

    if options.no_shipped and not options.kb:
        raise FixbookError("--no-shipped leaves no book: name one with --kb DIR")
    here = Path("kb")
    own = [] if options.no_shipped else [here if (here / "components.yaml").is_file() else shipped_root() / "kb"]
    folders = [*own, *(Path(path) for path in options.kb)]
    for folder in folders:
        if not folder.is_dir():
            raise FixbookError(f"no book at {folder}: give a folder that holds <component>/<slug>.yaml files")
    return folders


def _repository(given: str) -> str:
    """The repository asked for, else the one in which a workflow runs."""
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    return (given or (f"{server}/{name}" if server and name else "")).rstrip("/")
