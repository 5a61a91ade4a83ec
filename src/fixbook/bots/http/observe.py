"""One line of log and one count for each request. Nothing that a client wrote is in them but sizes."""

import logging
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics

__all__ = ["Observer"]

_log = logging.getLogger("fixbook.http")
_PATHS = {
    "diagnose": "/v1/diagnose",
    "entries": "/v1/entries",
    "entry": "/v1/entries/{id}",
    "healthz": "/healthz",
    "readyz": "/readyz",
    "metrics": "/metrics",
    "openapi": "/openapi.json",
}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Observer:
    """Middleware that measures from the request's head to the answer's last byte."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, size_in, size_out = 500, 0, 0
        start = time.perf_counter()

        async def counted_receive() -> Message:
            nonlocal size_in
            message = await receive()
            size_in += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            nonlocal status, size_out
            if message["type"] == "http.response.start":
                status = message["status"]
            size_out += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, counted_receive, counted_send)
        finally:
            seconds = time.perf_counter() - start
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = _route(scope)
            self._metrics.request(route, method, status, seconds)
            verdict = scope.get("state", {}).get("verdict") or "-"
            _log.info("%s %s %d %.1f ms in=%d out=%d %s", method, route, status, seconds * 1000, size_in, size_out, verdict)


def _route(scope: MutableMapping[str, Any]) -> str:
    """The route's own path, told by its endpoint: what the client asked for could be anything."""
    return _PATHS.get(getattr(scope.get("endpoint"), "__name__", ""), "other")
