"""The HTTP door over a real connection: what it takes, what it refuses, and what it does under load and while its book is edited."""

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import fixbook
from cli_book import BROKEN, CLEAN, KNOWN, SHARED, UNKNOWN, write_book, write_broken
from http_server import HttpServer, touch_later, wait_until

pytest.importorskip("uvicorn", reason="the HTTP door needs pip install 'fixbook[serve]'")
pytest.importorskip("starlette", reason="the HTTP door needs pip install 'fixbook[serve]'")

ROOT = Path(__file__).parent.parent
ID = "demo/frobnicator-not-calibrated"
SECRET = "hf_" + "aB3" * 12


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_book(tmp_path_factory.mktemp("http") / "kb")


@pytest.fixture(scope="module")
def server(kb: Path) -> Iterator[HttpServer]:
    arguments = ["--kb", str(kb), "--no-shipped", "--body-limit", "200000", "--base-url", "https://docs.example.org/", "--watch", "0"]
    with HttpServer(arguments) as running:
        yield running


# --- diagnosing -------------------------------------------------------------------------------------------------------------------


def test_a_log_gets_the_published_report(server: HttpServer, kb: Path) -> None:
    reply = server.diagnose(KNOWN)
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.json() == json.loads(fixbook.load(kb).diagnose(KNOWN).to_json())
    schema = json.loads((ROOT / "schema" / "report.schema.json").read_text("utf-8"))
    jsonschema.validate(reply.json(), schema)


@pytest.mark.parametrize(("log", "verdict"), [(KNOWN, "known"), (SHARED, "known"), (UNKNOWN, "unknown"), (CLEAN, "clean"), ("", "clean")])
def test_every_verdict_is_a_success(server: HttpServer, log: str, verdict: str) -> None:
    reply = server.diagnose(log)
    assert (reply.status, reply.json()["verdict"]) == (200, verdict)


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "application/octet-stream", ""]
)
def test_raw_bodies_are_logs(server: HttpServer, kind: str) -> None:
    assert server.ask("POST", "/v1/diagnose", KNOWN, content_type=kind).json()["verdict"] == "known"


def test_other_encodings_of_text_are_read(server: HttpServer) -> None:
    assert server.ask("POST", "/v1/diagnose", KNOWN.encode("utf-16")).json()["verdict"] == "known"


def test_json_carries_what_is_known_beside_the_log(server: HttpServer) -> None:
    question = {"log": SHARED, "name": "pod.log", "facts": {"model_dtype": "half"}, "lang": "zh", "format": "markdown", "full": True}
    reply = server.post_json(question)
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert reply.headers["content-language"] == "zh-CN"
    assert reply.text.startswith("# 已确认的原因：通量在 float16 下溢出")
    assert "`pod.log:1`" in reply.text
    assert "## 验证方法" in reply.text


def test_facts_of_the_query_count_too(server: HttpServer) -> None:
    first = server.diagnose(SHARED, "?fact=model_dtype=float16&fact=platform=cuda").json()["findings"][0]
    assert (first["id"], first["level"]) == ("demo/flux-of-half", "confirmed")


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/*", "text/markdown; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("text/html, application/json;q=0.9, */*;q=0.1", "text/html; charset=utf-8"),
        ("application/json;q=0.1, text/plain;q=0.5", "text/plain; charset=utf-8"),
        ("text/html;q=0, text/markdown;q=0.2", "text/markdown; charset=utf-8"),
    ],
)
def test_accept_decides_the_format(server: HttpServer, accept: str, kind: str) -> None:
    assert server.diagnose(KNOWN, accept=accept).headers["content-type"] == kind


@pytest.mark.parametrize(
    ("query", "languages", "title"),
    [
        ("", "", "is not calibrated"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "校准器"),
        ("", "fr, zh;q=0.5, en;q=0.1", "校准器"),
        ("", "fr", "is not calibrated"),
        ("?lang=zh", "en", "校准器"),
        ("?lang=en", "zh", "is not calibrated"),
    ],
)
def test_the_query_decides_the_language_else_the_header(server: HttpServer, query: str, languages: str, title: str) -> None:
    reply = server.diagnose(KNOWN, query, accept="text/plain", accept_language=languages)
    assert title in reply.text.splitlines()[0]


def test_cards_are_formats(server: HttpServer) -> None:
    card = server.diagnose(KNOWN, "?format=slack&lang=zh").json()
    assert card["blocks"][0]["text"]["text"].endswith("校准器尚未校准")
    assert f"https://docs.example.org/zh/{ID}.html" in json.dumps(card)


def test_html_is_a_page_that_can_do_nothing(server: HttpServer) -> None:
    reply = server.diagnose("<script>alert(1)</script> ValueError: frobnicator f9 is not calibrated", accept="text/html")
    assert "<script" not in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_gzip_is_unpacked(server: HttpServer) -> None:
    packed = gzip.compress(KNOWN.encode(), mtime=0)
    joined = gzip.compress(CLEAN.encode(), mtime=0) + packed
    assert server.post_gzip(KNOWN.encode()).json()["verdict"] == "known"
    assert server.ask("POST", "/v1/diagnose", joined, content_encoding="gzip").json()["verdict"] == "known"
    assert server.ask("POST", "/v1/diagnose", packed, content_type="application/gzip").json()["verdict"] == "known"


def test_secrets_are_masked_unless_the_caller_says_otherwise(server: HttpServer) -> None:
    log = f"HF_TOKEN={SECRET} ValueError: frobnicator f9 is not calibrated"
    assert SECRET not in server.diagnose(log).text
    assert SECRET in server.diagnose(log, "?redact=false").text
    assert SECRET in server.post_json({"log": log, "redact": False}).text


def test_a_log_of_odd_characters_is_answered(server: HttpServer) -> None:
    for log in ("\x00\x1b[31m\ud800".encode("utf-8", "surrogatepass"), bytes(range(256))):
        assert server.ask("POST", "/v1/diagnose", log).status == 200
    assert server.ask("POST", "/v1/diagnose", b'{"log": "\\ud800 KeyError: \\u0000"}', content_type="application/json").status == 200


# --- what is refused --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "headers", "body", "status", "says"),
    [
        ("?format=pdf", {}, KNOWN, 400, "one of json, markdown, text, html"),
        ("?lang=fr", {}, KNOWN, 400, "one of en, zh, both"),
        ("?full=yes", {}, KNOWN, 400, "write true or false"),
        ("?fact=model_dtype", {}, KNOWN, 400, "fact=NAME=VALUE"),
        ("?fact=model_dtyp=half", {}, KNOWN, 400, "did you mean model_dtype?"),
        ("", {"accept": "image/png"}, KNOWN, 406, "text/markdown"),
        ("", {"content_type": "image/png"}, KNOWN, 415, "text/plain"),
        ("", {"content_encoding": "br"}, KNOWN, 415, "gzip"),
        ("", {"content_encoding": "gzip"}, KNOWN, 400, "no valid gzip"),
        ("", {"content_encoding": "gzip"}, gzip.compress(KNOWN.encode(), mtime=0)[:-9], 400, "cut off"),
        ("", {"content_type": "application/json"}, KNOWN, 400, "no valid JSON"),
        ("", {"content_type": "application/json"}, "[" * 100_000, 400, "no valid JSON"),
        ("", {"content_type": "application/json"}, "[]", 400, "the log as text"),
        ("", {"content_type": "application/json"}, '{"log": 1}', 400, "the log as text"),
        ("", {"content_type": "application/json"}, '{"log": "", "langs": "en"}', 400, "no key is called 'langs'"),
        ("", {"content_type": "application/json"}, '{"log": "", "full": "yes"}', 400, "full is a bool"),
        ("", {"content_type": "application/json"}, '{"log": "", "facts": {"model_dtype": 1}}', 400, "values of facts are text"),
        ("", {}, "x" * 200_001, 413, "200,000 bytes"),
        ("", {"content_encoding": "gzip"}, gzip.compress(b"x" * 200_001, mtime=0), 413, "when it is unpacked"),
    ],
)
def test_what_cannot_be_answered_says_why(
    server: HttpServer, query: str, headers: dict[str, str], body: str | bytes, status: int, says: str
) -> None:
    reply = server.ask("POST", f"/v1/diagnose{query}", body, **{"content_type": "text/plain", **headers})
    assert reply.status == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert says in reply.json()["detail"]
    assert reply.json()["status"] == status


def test_a_bomb_is_not_unpacked(server: HttpServer) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 200_000_000), mtime=0)
    assert len(bomb) < 10_000
    assert server.ask("POST", "/v1/diagnose", bomb, content_encoding="gzip").json()["verdict"] == "clean"
    assert server.ask("POST", "/v1/diagnose", bomb, content_encoding="gzip", content_type="application/gzip").status == 413


def test_a_body_without_a_length_is_limited_too(server: HttpServer) -> None:
    connection = server.connect()
    connection.request("POST", "/v1/diagnose", iter([b"x" * 50_000] * 6), {"content-type": "text/plain"}, encode_chunked=True)
    assert connection.getresponse().status == 413


def test_unknown_paths_and_methods_are_problems(server: HttpServer) -> None:
    assert server.ask("GET", "/v2/diagnose").json()["title"] == "Not found"
    reply = server.ask("GET", "/v1/diagnose")
    assert (reply.status, reply.headers["allow"], reply.json()["status"]) == (405, "POST", 405)


# --- the book ---------------------------------------------------------------------------------------------------------------------


def test_entries_are_listed_and_searched(server: HttpServer) -> None:
    ids = [entry["id"] for entry in server.ask("GET", "/v1/entries").json()["entries"]]
    assert ids == ["demo/flux-of-half", "demo/flux-of-xpu", ID]
    assert [entry["id"] for entry in server.ask("GET", "/v1/entries?q=frobnicator%20calibrated").json()["entries"]] == [ID]
    assert server.ask("GET", "/v1/entries?component=nobody").json()["entries"] == []


def test_an_entry_is_found_by_id_slug_and_alias_in_every_format(server: HttpServer) -> None:
    for name in (ID, ID.replace("/", "%2F"), "frobnicator-not-calibrated", "frobnicator"):
        assert server.ask("GET", f"/v1/entries/{name}").json()["id"] == ID
    assert server.ask("GET", f"/v1/entries/{ID}?lang=zh", accept="text/plain").text.startswith("校准器尚未校准")
    assert server.ask("GET", f"/v1/entries/{ID}?format=discord").json()["allowed_mentions"] == {"parse": []}
    assert server.ask("HEAD", f"/v1/entries/{ID}").body == b""


def test_an_entry_that_is_not_there_names_its_neighbours(server: HttpServer) -> None:
    reply = server.ask("GET", "/v1/entries/demo/frobnicator-not-calibrate")
    assert reply.status == 404
    assert ID in reply.json()["detail"]


def test_pages_of_the_book_are_not_sent_twice(server: HttpServer) -> None:
    tag = server.ask("GET", f"/v1/entries/{ID}").headers["etag"]
    again = server.ask("GET", f"/v1/entries/{ID}", if_none_match=tag)
    assert (again.status, again.body) == (304, b"")
    assert server.ask("GET", f"/v1/entries/{ID}", if_none_match='W/"other"').status == 200


# --- operating it -----------------------------------------------------------------------------------------------------------------


def test_it_says_that_it_lives_and_is_ready(server: HttpServer, kb: Path) -> None:
    assert server.ask("GET", "/healthz").text == "ok\n"
    status = server.ask("GET", "/readyz").json()
    assert status["ready"] is True
    assert status["book"]["digest"] == fixbook.load(kb).info.digest
    assert status["workers"]["alive"] == 1


def test_it_counts(server: HttpServer) -> None:
    name = 'fixbook_diagnoses_total{verdict="unknown"}'
    before = server.metric(name), server.metric(f'fixbook_findings_total{{entry="{ID}"}}')
    server.diagnose(UNKNOWN)
    server.diagnose(KNOWN)
    assert server.metric(name) == before[0] + 1
    assert server.metric(f'fixbook_findings_total{{entry="{ID}"}}') == before[1] + 1
    assert server.metric('fixbook_request_seconds_bucket{route="/v1/diagnose",le="+Inf"}') == server.metric(
        'fixbook_request_seconds_count{route="/v1/diagnose"}'
    )


def test_metrics_are_in_prometheus_format(server: HttpServer) -> None:
    import re

    line = re.compile(r'[a-z_]+(\{([a-z]+="(\\.|[^"\\])*",?)+\})? -?[0-9.e+-]+|# (HELP|TYPE) [a-z_]+ .+')
    reply = server.ask("GET", "/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert all(line.fullmatch(each) for each in reply.text.splitlines())


def test_every_route_is_counted_by_its_path(server: HttpServer) -> None:
    for path in server.ask("GET", "/openapi.json").json()["paths"]:
        server.ask("POST" if path == "/v1/diagnose" else "GET", path.replace("{id}", "frobnicator"), "" if path == "/v1/diagnose" else None)
        wait_until(lambda path=path: server.metric(f'fixbook_request_seconds_count{{route="{path}"}}') > 0)


def test_an_unknown_path_is_counted_without_its_name(server: HttpServer) -> None:
    server.ask("GET", "/secret-of-a-client")
    assert "secret-of-a-client" not in server.ask("GET", "/metrics").text
    assert "secret-of-a-client" not in server.log


def test_nothing_of_a_log_is_written_down(server: HttpServer) -> None:
    for body, kind in ((f"KeyError: {SECRET}", "text/plain"), (f'{{"log": "{SECRET}", "{SECRET}": 1}}', "application/json")):
        server.ask("POST", f"/v1/diagnose?name={SECRET}", body, content_type=kind)
    wait_until(lambda: server.log.count("POST /v1/diagnose") >= 2)
    assert SECRET not in server.log


def test_the_interface_is_described(server: HttpServer) -> None:
    described = server.ask("GET", "/openapi.json").json()
    assert described["info"]["version"] == fixbook.__version__
    assert set(described["paths"]) == {
        "/v1/diagnose", "/v1/entries", "/v1/entries/{id}", "/healthz", "/readyz", "/metrics", "/openapi.json"
    }  # fmt: skip


def test_the_description_is_current() -> None:
    from fixbook.bots.http.openapi import text

    path = ROOT / "src" / "fixbook" / "bots" / "http" / "openapi.json"
    assert path.read_text("utf-8") == text(), "python -m fixbook.bots.http.openapi > src/fixbook/bots/http/openapi.json"


def test_a_token_is_asked_for(kb: Path, tmp_path: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped"], {"FIXBOOK_TOKEN": "s3cret"}) as server:
        for path in ("/v1/entries", "/metrics"):
            assert server.ask("GET", path).status == 401
            assert server.ask("GET", path, authorization="Bearer wrong").status == 401
            assert server.ask("GET", path, authorization="Bearer s3cret").status == 200
        reply = server.diagnose(KNOWN)
        assert (reply.status, reply.headers["www-authenticate"]) == (401, 'Bearer realm="fixbook"')
        assert server.diagnose(KNOWN, authorization="bearer s3cret").status == 200
        assert server.ask("GET", "/readyz").status == 200
    assert "s3cret" not in server.log


# --- load and time ----------------------------------------------------------------------------------------------------------------

SLOW = "".join(f'  File "/app/a.py", line {n}, in f{n}\nValueError: frobnicator f{n} is not so\n' for n in range(8_000))


def test_an_answer_that_takes_too_long_is_ended_and_the_next_one_is_given(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--time-limit", "0.05"]) as server:
        reply = server.diagnose(SLOW)
        assert (reply.status, reply.json()["title"]) == (504, "It took too long")
        wait_until(lambda: server.metric("fixbook_workers_idle") == 1)
        assert server.metric("fixbook_workers_lost_total") == 1


def test_a_worker_that_dies_is_replaced(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped"]) as server:
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
        assert server.diagnose(KNOWN).json()["verdict"] == "known"
        assert server.metric("fixbook_workers_lost_total") == 1


def test_more_than_the_queue_holds_is_sent_away_and_nothing_else_is_lost(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--queue", "2"]) as server:
        logs = [f"{SLOW[:50_000]}\nValueError: frobnicator x{n} is not calibrated\n" for n in range(48)]
        with ThreadPoolExecutor(16) as threads:
            replies = list(threads.map(server.diagnose, logs))
        statuses = [reply.status for reply in replies]
        assert set(statuses) == {200, 429}
        for n, reply in enumerate(replies):
            if reply.status == 200:
                assert reply.json()["findings"][0]["hits"][0]["captures"]["device"] == f"x{n}"
            else:
                assert reply.headers["retry-after"] == "1"
        assert server.metric('fixbook_requests_total{route="/v1/diagnose",method="POST",status="200"}') == statuses.count(200)
        assert server.metric('fixbook_requests_total{route="/v1/diagnose",method="POST",status="429"}') == statuses.count(429)
        assert server.metric("fixbook_requests_inside") == 0


def test_a_long_answer_blocks_nobody_else(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--time-limit", "600"]) as server, ThreadPoolExecutor(1) as threads:
        slow = threads.submit(server.diagnose, SLOW)
        wait_until(lambda: server.metric("fixbook_requests_inside") == 1)
        assert server.ask("GET", "/healthz").status == 200
        assert not slow.done()
        assert slow.result().status == 200


def test_a_client_that_sends_slowly_or_goes_away_holds_nothing(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--queue", "0"]) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"POST /v1/diagnose HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
            wait_until(lambda: server.metric("fixbook_requests_inside") == 1)
            assert server.diagnose(KNOWN).status == 429
        wait_until(lambda: server.metric("fixbook_requests_inside") == 0)
        assert server.diagnose(KNOWN).status == 200


def test_a_stop_answers_what_has_begun(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--time-limit", "600"]) as server:
        with ThreadPoolExecutor(1) as threads:
            slow = threads.submit(server.diagnose, SLOW)
            wait_until(lambda: server.metric("fixbook_requests_inside") == 1)
            server.process.send_signal(signal.SIGTERM)
            assert slow.result().status == 200
        assert server.process.wait(60) == 0
    assert "stopped" in server.log


def test_workers_end_with_their_server(kb: Path) -> None:
    with HttpServer(["--kb", str(kb), "--no-shipped", "--workers", "2"]) as server:
        pids = server.workers()
        assert len(pids) == 2
        server.process.kill()
        server.process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


# --- the book is edited -----------------------------------------------------------------------------------------------------------


def edited(kb: Path, old: str, new: str) -> None:
    path = kb / "demo" / "frobnicator-not-calibrated.yaml"
    touch_later(path, path.read_text("utf-8").replace(old, new))


def test_an_edit_is_taken_over_and_a_broken_one_is_not(tmp_path: Path) -> None:
    kb = write_book(tmp_path / "kb")
    with HttpServer(["--kb", str(kb), "--no-shipped", "--watch", "0.2", "--workers", "2"]) as server:
        first = server.ask("GET", "/readyz").json()["book"]["digest"]
        stop = threading.Event()
        seen: list[int] = []

        def keep_asking() -> None:
            while not stop.is_set():
                seen.append(server.diagnose(KNOWN).status)

        asking = threading.Thread(target=keep_asking)
        asking.start()
        edited(kb, "The frobnicator is not calibrated", "The frobnicator wants calibration")
        wait_until(lambda: server.ask("GET", "/readyz").json()["book"]["digest"] != first)
        stop.set()
        asking.join()
        assert set(seen) == {200}
        assert server.diagnose(KNOWN).json()["findings"][0]["title"]["en"] == "The frobnicator wants calibration"

        second = server.ask("GET", "/readyz").json()["book"]["digest"]
        write_broken(kb)
        edited(kb, "wants calibration", "is a teapot")
        wait_until(lambda: server.metric('fixbook_reloads_total{result="refused"}') == 1)
        status = server.ask("GET", "/readyz").json()
        assert status["ready"] is True
        assert status["book"]["digest"] == second
        assert status["reload"]["ok"] is False
        assert "broken.yaml" in status["reload"]["problems"][0]
        assert "edited book not taken over" in server.log
        # A worker in place of a lost one still has the book in use, not the broken one on disk.
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: server.diagnose(KNOWN).status == 200 and server.metric("fixbook_workers_lost_total") == 2)
        assert server.diagnose(KNOWN).json()["findings"][0]["title"]["en"] == "The frobnicator wants calibration"

        (kb / "demo" / "broken.yaml").unlink()
        wait_until(lambda: server.metric('fixbook_reloads_total{result="ok"}') == 2)
        assert server.diagnose(KNOWN).json()["findings"][0]["title"]["en"] == "The frobnicator is a teapot"
        assert server.ask("GET", "/readyz").json()["reload"] == {"ok": True, "problems": []}


def test_a_signal_reloads(tmp_path: Path) -> None:
    kb = write_book(tmp_path / "kb")
    with HttpServer(["--kb", str(kb), "--no-shipped", "--watch", "0"]) as server:
        edited(kb, "The frobnicator is not calibrated", "Edited")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.metric('fixbook_reloads_total{result="ok"}') == 1)
        assert server.diagnose(KNOWN).json()["findings"][0]["title"]["en"] == "Edited"


def test_a_book_with_a_broken_entry_is_served_without_it(tmp_path: Path) -> None:
    kb = write_book(tmp_path / "kb")
    (kb / "demo" / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    with HttpServer(["--kb", str(kb), "--no-shipped"]) as server:
        assert server.ask("GET", "/readyz").json()["book"]["left_out"] > 0
        assert server.diagnose(KNOWN).json()["verdict"] == "known"
    assert "left out: " in server.log


# --- starting ---------------------------------------------------------------------------------------------------------------------


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixbook", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment}, check=False)


def test_what_keeps_it_from_starting_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("--port", str(taken.getsockname()[1]))
        assert (done.returncode, "choose another with --host and --port" in done.stderr) == (2, True)
    done = run("--port", "0", "--kb", str(tmp_path / "nowhere"))
    assert (done.returncode, "no book at" in done.stderr) == (2, True)
    for arguments, says in (
        (["--port", "x"], "a number from 0 to 65535"),
        (["--time-limit", "-1"], "a number of seconds"),
        (["--no-shipped"], "leaves no book"),
        (["--base-url", "docs"], "no web address"),
        (["--token-file", str(tmp_path / "none")], "cannot be read"),
    ):
        done = run(*arguments)
        assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_answers_do_not_wait_for_acknowledgements() -> None:
    from fixbook.bots.http.server import bound
    from fixbook.bots.http.settings import ServeSettings

    with bound(ServeSettings(port=0)) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_the_core_does_not_know_the_door() -> None:
    code = "import sys, fixbook; fixbook.load; import fixbook.cli; assert not {'starlette', 'uvicorn', 'mcp'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def schemathesis_schema() -> Any:
    return pytest.importorskip("schemathesis", reason="checking the interface needs pip install schemathesis")


def test_the_server_keeps_to_its_description(server: HttpServer) -> None:
    schemathesis = schemathesis_schema()
    from hypothesis import HealthCheck, Phase, given, settings

    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 6  # the document itself may be left out
    for operation in operations:

        @given(case=operation.as_strategy())
        @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
        def check(case: Any) -> None:
            case.call_and_validate()

        check()


@pytest.mark.parametrize(("command", "package"), [("serve", "uvicorn"), ("serve", "starlette"), ("mcp", "mcp")])
def test_a_missing_extra_is_named(command: str, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from fixbook.cli import main; sys.exit(main([{command!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"pip install 'fixbook[{command}]'" in done.stderr
