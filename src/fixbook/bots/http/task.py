"""What a worker is asked, and what it answers. Values only."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Answer", "RefusedError", "Task", "problem"]

Action = Literal["diagnose", "entries", "entry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One request, without its body. "" and None stand for what the request does not say."""

    action: Action
    id: str = ""  # of an entry
    content_type: str = ""
    encoding: str = ""
    accept: str = ""
    languages: str = ""  # Accept-Language
    query: tuple[tuple[str, str], ...] = ()

    def to_header(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> "Task":
        return cls(**{**header, "query": tuple((name, value) for name, value in header["query"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One response. `verdict` and `entries` are for the counters; a log's text is in `body` alone."""

    status: int = 200
    content_type: str = "application/json"
    language: str = ""
    body: bytes = b""
    digest: str = ""  # of the book that answered
    verdict: str = ""
    entries: tuple[str, ...] = field(default=())

    def to_header(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "body"}

    @classmethod
    def of_header(cls, header: Mapping[str, Any], body: bytes) -> "Answer":
        return cls(**{**header, "entries": tuple(header["entries"])}, body=body)


class RefusedError(Exception):
    """A request that cannot be answered, with the status that says why and what to do instead."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


_TITLES = {
    400: "Bad request",
    401: "Token needed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    408: "The body took too long",
    413: "Too large",
    415: "Unsupported body",
    429: "Too many requests",
    500: "Internal error",
    503: "Not ready",
    504: "It took too long",
}


def problem(status: int, detail: str) -> Answer:
    """The answer to a request that is refused (RFC 9457)."""
    body = {"type": "about:blank", "title": _TITLES.get(status, "Error"), "status": status, "detail": detail}
    return Answer(status=status, content_type="application/problem+json", body=json.dumps(body).encode())
