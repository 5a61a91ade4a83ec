"""A server of its own for a test: started on a free port with a small book, asked over a real connection."""

import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

__all__ = ["HttpServer", "Reply", "wait_until"]

_START = 120.0


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class HttpServer:
    """`fixbook serve` as a process; what it writes to stderr is in `log`."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    port: int = 0

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "fixbook", "serve", "--port", "0", *self.arguments]
        environment = {**os.environ, "FIXBOOK_TOKEN": "", **self.environment}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_until(lambda: self.port or self.process.poll() is not None, _START)
        assert self.port, self.log
        return self

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log += line
            found = re.search(r"listening on http://[^ ]*:(\d+)", line)
            if found:
                self.port = int(found[1])

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._reader.join(10)

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        if not children.exists():
            pytest.skip("there is no /proc to find the workers in")
        return list(map(int, children.read_text().split()))

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, method: str, path: str, body: bytes | str | None = None, **headers: str) -> Reply:
        """One request; `content_type="text/plain"` for a header."""
        connection = self.connect()
        try:
            data = body.encode() if isinstance(body, str) else body
            connection.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        finally:
            connection.close()

    def diagnose(self, log: str, query: str = "", **headers: str) -> Reply:
        return self.ask("POST", f"/v1/diagnose{query}", log, **{"content_type": "text/plain", **headers})

    def post_json(self, value: object, query: str = "", **headers: str) -> Reply:
        return self.ask("POST", f"/v1/diagnose{query}", json.dumps(value), content_type="application/json", **headers)

    def post_gzip(self, log: bytes, **headers: str) -> Reply:
        return self.ask("POST", "/v1/diagnose", gzip.compress(log), content_type="text/plain", content_encoding="gzip", **headers)

    def metric(self, name: str) -> float:
        """The value of a line of /metrics, as `name{labels}` writes it; 0 where it is not there."""
        lines = dict(line.rsplit(" ", 1) for line in self.ask("GET", "/metrics").text.splitlines() if not line.startswith("#"))
        return float(lines.get(name, 0))


def wait_until(condition: Any, seconds: float = 60.0) -> None:
    """Waits until `condition()` is true. Fails when it is not within `seconds`, which is how long a busy machine may take."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.05)


def touch_later(path: Path, text: str) -> None:
    """Writes a file so that its time is another than before, whatever the file system's resolution."""
    path.write_text(text, encoding="utf-8")
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))
