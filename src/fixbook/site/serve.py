"""`fixbook site --serve`: the site at 127.0.0.1 while its book is written. For authors; it is no server for others."""

import json
import mimetypes
import tempfile
import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from ..errors import FixbookError
from .addresses import NOT_FOUND
from .live import Live
from .settings import SiteSettings

__all__ = ["Server", "serve"]

_HOST = "127.0.0.1"
_LIVE = "/-/"  # what only the served site has
_OWN = {f"{_LIVE}live.js": "text/javascript", f"{_LIVE}live.css": "text/css"}
_ASSETS = Path(__file__).resolve().parent / "assets" / "live"
_WAIT = 20.0  # seconds that a page waits for news before it asks again
_SCRIPT = b'<script defer src="/-/live.js"></script></head>'


def serve(folders: Sequence[Path], settings: SiteSettings, out: Path | None, port: int, tell: Callable[[str], None]) -> int:
    """Builds, serves and follows changes until Ctrl-C; into a folder of its own when `out` is None. Raises FixbookError for a busy port."""
    with tempfile.TemporaryDirectory(prefix="fixbook-site-") as own:
        live = Live(folders, settings, out or Path(own) / "site", tell)
        live.build()
        try:
            server = Server((_HOST, port), live, out or Path(own) / "site")
        except OSError as error:
            raise FixbookError(f"port {port}: {error.strerror}; choose another with --port, or 0 for any") from error
        tell(f"http://{_HOST}:{server.server_port}/  (Ctrl-C ends)")
        threads = [threading.Thread(target=run, daemon=True) for run in (live.follow, server.serve_forever)]
        for thread in threads:
            thread.start()
        try:
            threads[1].join()
        except KeyboardInterrupt:
            return 0
        finally:
            live.end()
            server.shutdown()
            server.server_close()
            threads[0].join()
    return 0


class Server(ThreadingHTTPServer):
    """Serves the folder `out` as `live` builds it."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], live: Live, out: Path) -> None:
        super().__init__(address, _Handler)
        self.live = live
        self.out = out


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        # A name of somebody else's that points to this machine must not read unpublished pages.
        if urlsplit(f"//{self.headers.get('Host', '')}").hostname not in (_HOST, "localhost"):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"only for this machine\n")
            return
        url = urlsplit(self.path)
        if url.path in _OWN:
            self._send(HTTPStatus.OK, _OWN[url.path], (_ASSETS / PurePosixPath(url.path).name).read_bytes())
        elif url.path == f"{_LIVE}news":
            self._news(url.query)
        else:
            self._page(unquote(url.path))

    def _news(self, query: str) -> None:
        """Held until there is news, so that a page needs no timer."""
        version = int(query) if query.isdecimal() else -1
        state = self.server.live.wait(version, _WAIT)
        body = {"version": state.version, "build": state.build, "problems": list(state.problems)}
        self._send(HTTPStatus.OK, "application/json", json.dumps(body, ensure_ascii=False).encode())

    def _page(self, path: str) -> None:
        inside = PurePosixPath(path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
        status, file = HTTPStatus.OK, self.server.out / inside
        if ".." in inside.parts or not file.is_file():
            status, file = HTTPStatus.NOT_FOUND, self.server.out / NOT_FOUND
        try:
            body = file.read_bytes()
        except OSError:  # between two builds, or before the first that worked
            status, body, file = HTTPStatus.SERVICE_UNAVAILABLE, _waiting(self.server.live), Path("x.html")
        if file.suffix == ".html":
            body = body.replace(b"</head>", _SCRIPT, 1)
        self._send(status, mimetypes.guess_type(file.name)[0] or "text/plain", body)

    def _send(self, status: HTTPStatus, media: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{media}; charset=utf-8" if media.startswith(("text/", "application/json")) else media)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is for what builds and lint say."""


def _waiting(live: Live) -> bytes:
    from html import escape

    problems = "".join(f"<pre>{escape(problem)}</pre>" for problem in live.state.problems)
    return f"<!DOCTYPE html><html lang='en'><head><title>fixbook</title></head><body>{problems}</body></html>".encode()
