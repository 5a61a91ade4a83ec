"""`fixbook serve`: the book behind HTTP."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FixbookError
from . import arguments
from .arguments import Options

if TYPE_CHECKING:
    from ..bots.http.settings import ServeSettings

__all__ = ["configure", "run"]

_EPILOG = """\
examples:
  fixbook serve
  curl --data-binary @server.log http://127.0.0.1:8011/v1/diagnose?lang=zh
  FIXBOOK_TOKEN=... fixbook serve --host 0.0.0.0 --workers 4
  fixbook serve --kb our-kb/        edits are taken over as soon as they have no problems

exit codes:
  0  stopped by a signal, after the requests that had begun
  2  trouble: arguments, an address that is taken, a book that cannot be loaded
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Diagnoses logs over HTTP: POST /v1/diagnose. Needs pip install 'fixbook[serve]'."
    parser.epilog = _EPILOG
    parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine alone")
    parser.add_argument("--port", type=_number(0, 65_535), default=8011, help="default: 8011; 0: any that is free")
    parser.add_argument("--workers", type=_number(1, 256), default=1, metavar="N", help="worker processes; default: 1")
    parser.add_argument("--queue", type=_number(0, 100_000), default=32, metavar="N", help="requests that may wait; default: 32")
    parser.add_argument("--body-limit", type=_number(1, 2**31), default=5_000_000, metavar="BYTES", help="of a log; default: 5000000")
    parser.add_argument("--time-limit", type=arguments.seconds, default=20.0, metavar="S", help="seconds for an answer; default: 20")
    parser.add_argument("--watch", type=arguments.seconds, default=2.0, metavar="S", help="look for edits of the book so often; 0: never")
    parser.add_argument("--token-file", metavar="FILE", help="requests have to bring this token; default: FIXBOOK_TOKEN, else none")
    parser.add_argument("--base-url", default="", metavar="URL", help="where the site of the book is published: cards link to it")
    parser.add_argument("--redact-hosts", action="store_true", help="mask names and addresses of machines in answers, too")
    parser.add_argument("--kb", action="append", default=[], metavar="DIR", help="put this book over the shipped one (repeatable)")
    parser.add_argument("--no-shipped", action="store_true", help="use the books of --kb alone")
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """0 after a stop by a signal."""
    try:
        from ..bots.http.server import serve
    except ModuleNotFoundError as error:
        raise FixbookError(f"serve needs {error.name}: pip install 'fixbook[serve]'") from error
    return serve(_settings(options))


def _settings(options: Options) -> "ServeSettings":
    from ..bots.http.settings import ServeSettings
    from ..cards import checked_base_url

    if options.no_shipped and not options.kb:
        raise FixbookError("--no-shipped leaves no book: name one with --kb DIR")
    return ServeSettings(
        host=options.host,
        port=options.port,
        workers=options.workers,
        queue=options.queue,
        body_limit=options.body_limit,
        time_limit=options.time_limit,
        watch=options.watch,
        token=_token(options.token_file),
        base_url=checked_base_url(options.base_url),
        hosts=options.redact_hosts,
        kb=tuple(options.kb),
        shipped=not options.no_shipped,
    )


def _token(path: str | None) -> str:
    """The token of the file, else of the environment; never from an argument, which everybody on the machine can read."""
    if path is None:
        return os.environ.get("FIXBOOK_TOKEN", "").strip()
    try:
        token = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise FixbookError(f"--token-file {path}: it cannot be read") from error
    if not token:
        raise FixbookError(f"--token-file {path}: it is empty")
    return token


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"a number from {least} to {most}, not {text!r}")
        return int(text)

    return number
