"""A bot that answers issues: a webhook of GitHub in, one comment out.

    pip install 'fixbook[serve]'
    export WEBHOOK_SECRET=… GITHUB_TOKEN=…
    uvicorn bot:app --port 8000

It reads an issue when it is opened or edited, and any issue again when somebody comments `/fixbook`. It answers only when it knows
something, keeps to one comment, and edits that one. What an issue says is data: it is matched, masked, escaped, and never run.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import fixbook
from fixbook.bots.github_comments import GitHubComments
from fixbook.masked import masked

LONGEST = 1_000_000  # bytes of a payload that are read
COMMAND = "/fixbook"

Write = Callable[[str, int, str], None]  # repository, number of the issue, Markdown


def is_signed(body: bytes, signature: str, secret: str) -> bool:
    """Whether GitHub sent this: only it knows the secret."""
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return bool(secret) and hmac.compare_digest(signature.encode(), expected.encode())


def is_asked(event: str, payload: Mapping[str, Any]) -> bool:
    """An issue of a person that is new or edited, or the command in a comment; never what a bot wrote, which could be this one."""
    if payload.get("sender", {}).get("type") == "Bot":
        return False
    if event == "issues":
        return payload.get("action") in ("opened", "edited")
    return event == "issue_comment" and payload.get("action") == "created" and payload["comment"]["body"].strip().startswith(COMMAND)


def answer(book: fixbook.Book, payload: Mapping[str, Any]) -> str | None:
    """The comment for an issue; None when the bot has nothing to say."""
    issue = payload["issue"]
    text = f"{issue['title']}\n{issue['body'] or ''}"
    report = masked(book.diagnose(text, name=f"issue {issue['number']}"), log=text)
    if report.verdict not in ("known", "wrapper"):
        return None
    body: str = report.card("github", lang="both", base_url=os.environ.get("FIXBOOK_SITE", ""))["body"]
    return body


def make_app(book: fixbook.Book, secret: str, write: Write) -> Starlette:
    """The application; `write` is what sends the comment."""

    async def webhook(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LONGEST:
                return Response(status_code=413)
        if not is_signed(body, request.headers.get("x-hub-signature-256", ""), secret):
            return Response(status_code=401)
        try:
            payload = json.loads(body)
        except ValueError:
            return Response(status_code=400)
        if not is_asked(request.headers.get("x-github-event", ""), payload):
            return Response(status_code=204)
        text = await run_in_threadpool(answer, book, payload)
        if text is None:
            return Response(status_code=204)
        await run_in_threadpool(write, payload["repository"]["full_name"], payload["issue"]["number"], text)
        return Response(status_code=202)

    return Starlette(routes=[Route("/", webhook, methods=["POST"])])


def write_comment(repository: str, issue: int, body: str) -> None:
    GitHubComments(repository, os.environ["GITHUB_TOKEN"]).write(issue, body)


def __getattr__(name: str) -> Any:
    """`bot:app`, made when a server asks for it, so that a test can import this file."""
    if name == "app":
        return make_app(fixbook.load(), os.environ["WEBHOOK_SECRET"], write_comment)
    raise AttributeError(name)
