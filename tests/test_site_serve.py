"""`fixbook site`, and the site that is served while it is written."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from fixbook.cli import main
from fixbook.site.build import MANIFEST
from fixbook.site.live import Live
from fixbook.site.serve import Server
from fixbook.site.settings import SiteSettings
from site_parts import small_book, write_entry


def own(book: Path, *more: str) -> list[str]:
    return ["site", "--kb", str(book), "--no-shipped", *more]


# --- the command ---------------------------------------------------------------------------------------------------------------------


def test_the_command_builds_and_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = small_book(tmp_path)
    assert main(own(book, str(tmp_path / "out"))) == 0
    told = capsys.readouterr()
    assert told.out == "" and "files" in told.err
    assert (tmp_path / "out" / "zh" / "disk" / "root.html").is_file()
    assert main(own(book, str(tmp_path / "out"))) == 0
    assert "0 of them new" in capsys.readouterr().err


def test_progress_is_counted_on_a_terminal_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    book = small_book(tmp_path)
    main(own(book, str(tmp_path / "quiet")))
    assert "\r" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    main(own(book, str(tmp_path / "told")))
    counts = re.findall(r"\r(\d+) of (\d+) files", capsys.readouterr().err)
    assert len({all for _, all in counts}) == 1 and counts[-1][0] == counts[-1][1]


def test_the_workflow_for_pages_builds_from_the_book_of_the_repository(tmp_path: Path) -> None:
    """Its own commands, with what the runner gives them."""
    root = Path(__file__).parents[1]
    workflow = yaml.safe_load((root / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["build"]["steps"]
    (upload,) = (step for step in steps if step.get("uses", "").startswith("actions/upload-pages-artifact@"))
    assert workflow["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    small_book(tmp_path)
    given = {
        "BASE_URL": "https://me.example.io/fork",
        "BRANCH": "main",
        "GITHUB_REPOSITORY": "me/fork",
        "GITHUB_SERVER_URL": "https://github.com",
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in steps:
        if step.get("run", "").startswith("fixbook site"):
            subprocess.run(["bash", "-ec", step["run"]], cwd=tmp_path, env={**os.environ, **given, "PATH": path}, check=True)
    page = (tmp_path / upload["with"]["path"] / "en" / "disk" / "root.html").read_text(encoding="utf-8")
    assert 'rel="canonical" href="https://me.example.io/fork/en/disk/root.html"' in page
    assert "https://github.com/me/fork/edit/main/kb/disk/root.yaml" in page


def test_a_book_with_a_broken_entry_is_built_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = small_book(tmp_path)
    (book / "disk" / "broken.yaml").write_text("schema: fixbook/1\ntitle: x\n")
    assert main(own(book, str(tmp_path / "out"))) == 0
    assert "broken.yaml" in capsys.readouterr().err
    assert (tmp_path / "out" / "en" / "disk" / "root.html").is_file()
    assert not (tmp_path / "out" / "en" / "disk" / "broken.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the folder to write"),
        (["OUT", "--base-url", "example.org"], "--base-url"),
        (["OUT", "--no-shipped"], "--no-shipped leaves no book"),
        (["OUT", "--kb", "no/such/book"], "no book at no/such/book"),
    ],
)
def test_what_cannot_be_done_is_told_with_the_remedy(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", *(str(tmp_path / "out") if word == "OUT" else word for word in arguments)]) == 2
    assert said in capsys.readouterr().err


def test_an_empty_book_gives_no_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kb").mkdir()
    assert main(own(tmp_path / "kb", str(tmp_path / "out"))) == 2
    assert "no entry can be used" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_repository_of_a_workflow_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/fixbook")
    book = small_book(tmp_path)
    assert main(own(book, str(tmp_path / "out"))) == 0
    assert "https://github.com/someone/fixbook/edit/main/" in (tmp_path / "out" / "en" / "disk" / "root.html").read_text()


# --- the served site -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return small_book(tmp_path)


@pytest.fixture
def live(book: Path, tmp_path: Path) -> Live:
    made = Live([book], SiteSettings(drafts=True, live=True), tmp_path / "served", lambda line: None)
    made.build()
    return made


@pytest.fixture
def server(live: Live, tmp_path: Path) -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), live, tmp_path / "served")
    thread = threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield made
    live.end()
    made.shutdown()
    made.server_close()


def get(server: Server, path: str, host: str | None = None) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, answer.getheader("Content-Type") or "", body


def test_pages_are_served_with_the_script_that_follows(server: Server) -> None:
    status, media, page = get(server, "/en/disk/root.html")
    assert (status, media) == (200, "text/html; charset=utf-8")
    assert '<script defer src="/-/live.js"></script></head>' in page
    assert "connect-src &#39;self&#39;" in page
    assert get(server, "/zh/")[0] == 200
    assert get(server, "/en/disk/root.json")[1].startswith("application/json")
    assert "live-problems" in get(server, "/-/live.js")[2] and "live-problems" in get(server, "/-/live.css")[2]


def test_drafts_are_shown_to_their_author(server: Server) -> None:
    assert "Draft" in get(server, "/en/disk/unfinished.html")[2]


@pytest.mark.parametrize(
    "path", ["/nothing.html", "/en", "/../kb/disk/root.yaml", "/%2e%2e/kb/disk/root.yaml", "/en/../../kb/components.yaml"]
)
def test_nothing_but_the_site_is_served(server: Server, path: str) -> None:
    status, _, page = get(server, path)
    assert status == 404 and "There is no such page" in page


def test_a_foreign_name_for_this_machine_is_refused(server: Server) -> None:
    assert get(server, "/en/disk/root.html", "evil.example")[0] == 403
    assert get(server, "/en/disk/root.html", "localhost:1")[0] == 200


def test_the_server_listens_on_this_machine_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_change_is_built_and_told_to_the_page_that_waits(server: Server, live: Live, book: Path) -> None:
    before = json.loads(get(server, "/-/news?-1")[2])
    follower = threading.Thread(target=live.follow, daemon=True)
    follower.start()
    write_entry(book, "root", note=", or grow it")
    state = before
    for _ in range(20):
        state = json.loads(get(server, f"/-/news?{state['version']}")[2])
        if state["build"] > before["build"]:
            break
    assert state["build"] > before["build"]
    assert "or grow it" in get(server, "/en/disk/root.html")[2]
    live.end()
    follower.join(20)
    assert not follower.is_alive()


def test_what_lint_finds_is_told(live: Live, book: Path) -> None:
    live.check()
    assert live.state.problems == ()
    path = book / "disk" / "root.yaml"
    path.write_text(path.read_text().replace("'No space left", "'No room left"))
    live.build()
    live.check()
    assert any("disk/root.yaml" in problem and "words" in problem for problem in live.state.problems)


def test_a_book_that_cannot_be_built_leaves_the_old_pages_and_says_why(live: Live, book: Path, tmp_path: Path) -> None:
    (tmp_path / "served" / "mine.txt").write_text("x")
    live.build()
    assert "mine.txt" in live.state.problems[0]
    assert (tmp_path / "served" / MANIFEST).is_file()
    (tmp_path / "served" / "mine.txt").unlink()
    live.build()
    live.check()
    assert live.state.problems == ()
