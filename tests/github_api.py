"""The part of GitHub's API that comments need, on loopback: what is asked is kept, what is stored is answered."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["FakeGitHub"]


class FakeGitHub:
    """A server whose `comments` are those of one issue; `calls` are `(method, path)`. `status` other than 200 refuses everything."""

    def __init__(self, comments: list[dict[str, Any]] | None = None, status: int = 200) -> None:
        self.comments = comments or []
        self.calls: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        self.status = status

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = int(self.path.rsplit("page=", 1)[1])
                self._answer(outer.comments[(page - 1) * 100 : page * 100])

            def do_POST(self) -> None:
                comment = {"id": len(outer.comments) + 1, "user": {"type": "Bot"}, **self._body()}
                outer.comments.append(comment)
                self._answer(comment)

            def do_PATCH(self) -> None:
                comment = next(each for each in outer.comments if each["id"] == int(self.path.rsplit("/", 1)[1]))
                comment.update(self._body())
                self._answer(comment)

            def _body(self) -> dict[str, Any]:
                body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
                return body if outer.status == 200 else {}

            def _answer(self, value: object) -> None:
                outer.calls.append((self.command, self.path.split("?")[0]))
                outer.tokens.add(self.headers["authorization"])
                data = json.dumps(value).encode()
                self.send_response(outer.status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing on the test's output."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
