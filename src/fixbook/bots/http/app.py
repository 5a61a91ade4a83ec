"""The routes: what of HTTP becomes a task, and what of an answer becomes HTTP."""

import hmac
import json
from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .body import read_body
from .metrics import CONTENT_TYPE
from .observe import Observer
from .service import Service
from .task import Action, Answer, RefusedError, Task, problem

__all__ = ["make_app"]

Endpoint = Callable[[Request], Awaitable[Response]]
_SMALL = 65_536  # bytes of a body that are sooner read than a connection is opened
_HTML_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def make_app(service: Service) -> Starlette:
    """The application over a service that is started and stopped by the caller."""
    doors = Doors(service)
    app = Starlette(
        routes=[
            Route("/v1/diagnose", doors.diagnose, methods=["POST"]),
            Route("/v1/entries", doors.entries, methods=["GET"]),
            Route("/v1/entries/{id:path}", doors.entry, methods=["GET"]),
            Route("/healthz", doors.healthz, methods=["GET"]),
            Route("/readyz", doors.readyz, methods=["GET"]),
            Route("/metrics", doors.metrics, methods=["GET"]),
            Route("/openapi.json", doors.openapi, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _refused},
    )
    app.add_middleware(Observer, metrics=service.metrics)
    return app


class Doors:
    """One method a route."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._openapi = files(__package__).joinpath("openapi.json").read_bytes()

    async def diagnose(self, request: Request) -> Response:
        return await self._worked(request, "diagnose", with_body=True)

    async def entries(self, request: Request) -> Response:
        return await self._worked(request, "entries")

    async def entry(self, request: Request) -> Response:
        return await self._worked(request, "entry", id=request.path_params["id"])

    async def healthz(self, request: Request) -> Response:
        """The process lives; whether it can answer is told by readyz."""
        return Response("ok\n", media_type="text/plain")

    async def readyz(self, request: Request) -> Response:
        status = self._service.status()
        return Response(json.dumps(status, ensure_ascii=False), 200 if status["ready"] else 503, media_type="application/json")

    async def metrics(self, request: Request) -> Response:
        if not self._may(request):
            return _unauthorized()
        return Response(self._service.metrics_text(), headers={"content-type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        return Response(self._openapi, media_type="application/json")

    def _may(self, request: Request) -> bool:
        token = self._service.settings.token
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        return not token or (kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode()))

    async def _worked(self, request: Request, action: Action, id: str = "", with_body: bool = False) -> Response:
        """A request that a worker answers. One that finds the queue full is sent away at once, before its body is read."""
        service = self._service
        if not self._may(request):
            return _unauthorized()
        if service.full:
            return _response(request, problem(429, "all workers are busy and the queue is full: try again in a moment"), retry=True)
        service.inside += 1
        try:
            body = await read_body(request, service.settings) if with_body else b""
            answer = await service.answer(_task(request, action, id), body)
        except RefusedError as error:
            answer = problem(error.status, error.detail)
        finally:
            service.inside -= 1
        request.state.verdict = answer.verdict
        return _response(request, answer, retry=answer.status == 503)


def _task(request: Request, action: Action, id: str) -> Task:
    headers = request.headers
    return Task(
        action=action,
        id=id,
        content_type=headers.get("content-type", ""),
        encoding=headers.get("content-encoding", "").strip().lower(),
        accept=", ".join(headers.getlist("accept")),
        languages=headers.get("accept-language", ""),
        query=tuple(request.query_params.multi_items()),
    )


def _response(request: Request, answer: Answer, retry: bool = False) -> Response:
    headers = {"content-type": answer.content_type, "x-content-type-options": "nosniff", "vary": "accept, accept-language"}
    if answer.language:
        headers["content-language"] = answer.language
    if answer.content_type.startswith("text/html"):
        headers["content-security-policy"] = _HTML_POLICY
    if retry:
        headers["retry-after"] = "1"
    if answer.status in (408, 413) or (answer.status == 429 and _is_large(request)):
        headers["connection"] = "close"  # what is left of the body is not read
    if request.method != "POST" and answer.status == 200:
        return _cached(request, answer, headers)
    headers["cache-control"] = "no-store"
    return Response(answer.body, answer.status, headers)


def _is_large(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    return "transfer-encoding" in request.headers or (length.isdigit() and int(length) > _SMALL)


def _cached(request: Request, answer: Answer, headers: dict[str, str]) -> Response:
    """Pages of the book change with the book alone; the tag is weak because it stands for the book, not for the bytes."""
    tag = f'W/"{answer.digest}"'
    headers |= {"etag": tag, "cache-control": "no-cache"}
    known = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(answer.body, answer.status, headers)


def _unauthorized() -> Response:
    answer = problem(401, "send the server's token as Authorization: Bearer TOKEN")
    return Response(answer.body, 401, {"content-type": answer.content_type, "www-authenticate": 'Bearer realm="fixbook"'})


async def _refused(request: Request, error: Exception) -> Response:
    """What the router refuses: an unknown path, another method."""
    assert isinstance(error, HTTPException)
    details = {404: "there is no such path: /openapi.json lists them", 405: "this path does not take the method"}
    answer = problem(error.status_code, details.get(error.status_code, str(error.detail)))
    return Response(answer.body, error.status_code, {**(error.headers or {}), "content-type": answer.content_type})
