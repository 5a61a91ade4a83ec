"""The example bot, asked with recorded payloads as GitHub would ask it."""

import hashlib
import hmac
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fixbook
from fixbook.bots.github_comments import GitHubComments
from github_api import FakeGitHub

pytest.importorskip("starlette", reason="the example needs pip install 'fixbook[serve]'")

FOLDER = Path(__file__).parent.parent / "examples" / "issue_bot"
SECRET = "webhook secret"


@pytest.fixture(scope="module")
def bot() -> ModuleType:
    spec = importlib.util.spec_from_file_location("issue_bot", FOLDER / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Inbox:
    """The bot with a place for what it writes."""

    def __init__(self, bot: ModuleType) -> None:
        self.written: list[tuple[str, int, str]] = []
        self.app = bot.make_app(fixbook.load(), SECRET, lambda *comment: self.written.append(comment))

    def post(self, body: bytes, event: str, signature: str | None = None) -> int:
        """The status of the answer."""
        signed = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"x-github-event": event, "x-hub-signature-256": signed if signature is None else signature}
        return ask(self.app, body, headers)

    def recorded(self, name: str) -> int:
        recorded = json.loads((FOLDER / "payloads" / f"{name}.json").read_text("utf-8"))
        return self.post(json.dumps(recorded["payload"]).encode(), recorded["event"])


def ask(app: Any, body: bytes, headers: dict[str, str]) -> int:
    """One POST through ASGI, without a client library."""
    import anyio

    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "raw_path": b"/", "query_string": b"", "headers": raw, "http_version": "1.1"}
    anyio.run(app, scope, receive, send)
    return statuses[0]


@pytest.fixture
def inbox(bot: ModuleType) -> Inbox:
    return Inbox(bot)


def test_a_new_issue_is_answered_in_both_languages(inbox: Inbox) -> None:
    assert inbox.recorded("issue_opened") == 202
    ((repository, number, body),) = inbox.written
    assert (repository, number) == ("example-org/serving", 17)
    assert "vllm/kv-cache-dtype-differs-from-model" in body
    assert "已确认的原因" in body
    assert "Confirmed cause" in body
    assert "hf_aB3" not in body
    assert "@example-user" not in body


def test_the_title_alone_can_tell(inbox: Inbox) -> None:
    assert inbox.recorded("issue_title_only") == 202
    assert "out-of-memory" in inbox.written[0][2]


def test_the_command_in_a_comment_asks_again(inbox: Inbox) -> None:
    assert inbox.recorded("comment_command") == 202


@pytest.mark.parametrize("name", ["issue_unrelated", "issue_closed", "issue_by_bot", "comment_talk", "ping"])
def test_where_nothing_is_asked_or_known_it_is_silent(inbox: Inbox, name: str) -> None:
    assert inbox.recorded(name) == 204
    assert inbox.written == []


def test_every_recorded_payload_is_tested() -> None:
    source = Path(__file__).read_text("utf-8")
    assert all(f'"{path.stem}"' in source for path in (FOLDER / "payloads").iterdir())


@pytest.mark.parametrize("signature", ["", "sha256=", "sha256=0000", "sha1=abc", "ünsigned"])
def test_what_github_did_not_sign_is_not_read(inbox: Inbox, signature: str) -> None:
    assert inbox.post(b"{}", "issues", signature.encode("latin-1", "replace").decode("latin-1")) == 401


def test_an_empty_secret_signs_nothing(bot: ModuleType) -> None:
    body = b"{}"
    assert not bot.is_signed(body, "sha256=" + hmac.new(b"", body, hashlib.sha256).hexdigest(), "")


def test_what_is_no_payload_is_refused(inbox: Inbox) -> None:
    assert inbox.post(b"no json", "issues") == 400
    assert inbox.post(b"x" * 1_000_001, "issues") == 413


def test_the_comment_goes_to_github_once() -> None:
    with FakeGitHub() as github:
        for text in ("first", "second"):
            GitHubComments("example-org/serving", "t", github.url).write(17, text)
        assert [comment["body"].split("\n")[1] for comment in github.comments] == ["second"]
