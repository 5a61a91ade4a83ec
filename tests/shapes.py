"""The shapes in which people paste a log, made here, apart from the reader's own code.

Each shape turns the lines of a log into another text and says on which line each original line now begins.
"""

import html
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["HEADED_SHAPES", "LARGE_SHAPES", "SHAPES", "Shape", "Shaped"]


@dataclass(frozen=True, slots=True)
class Shaped:
    """`lines[i]` is the 1-based line on which line i of the original begins."""

    data: str | bytes
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    make: Callable[[list[str]], Shaped]
    cuts: bool = False  # lines are cut in two
    spells: bool = False  # hardly a literal stands in its bytes
    loose: bool = False  # another line that holds the same words may prove it as well: where lines are cut, or a head was learned


def _each(lines: list[str], change: Callable[[int, str], str]) -> Shaped:
    return Shaped("\n".join(change(at, line) for at, line in enumerate(lines)) + "\n", tuple(range(1, len(lines) + 1)))


def _prefixed(prefix: str) -> Callable[[list[str]], Shaped]:
    return lambda lines: _each(lines, lambda at, line: prefix + line)


def _clock(at: int) -> str:
    return f"{9 + at // 3600 % 10:02}:{at // 60 % 60:02}:{at % 60:02}"


def _kubectl(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: f"2026-11-03T{_clock(at)}.{at:09d}Z {line}")


def _cri(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: f"2026-11-03T{_clock(at)}.{at:09d}Z stderr F {line}")


def _journald(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: f"Nov 03 {_clock(at)} node-7 vllm[4127]: {line}")


def _github(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: f"2026-11-03T{_clock(at)}.1234567Z {line}")


def _ansi(lines: list[str]) -> Shaped:
    """A tag that states nothing: one of the engine core would say that the program is vLLM."""
    return _each(lines, lambda at, line: f"\x1b[0;36m(Worker_TP0 pid=311)\x1b[0;0m {line}\x1b[0m")


def _ansi_words(lines: list[str]) -> Shaped:
    return _each(
        lines, lambda at, line: " ".join(f"\x1b[31m{word}\x1b[0m" if n % 3 == 1 else word for n, word in enumerate(line.split(" ")))
    )


def _json(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: json.dumps({"log": line + "\n", "stream": "stderr", "time": f"2026-11-03T{_clock(at)}Z"}))


def _json_message(lines: list[str]) -> Shaped:
    return _each(
        lines, lambda at, line: json.dumps({"ts": f"2026-11-03T{_clock(at)}Z", "message": line, "pod": "vllm-0"}, ensure_ascii=False)
    )


def _json_in_json(lines: list[str]) -> Shaped:
    return _each(lines, lambda at, line: json.dumps({"log": json.dumps({"message": line}) + "\n", "stream": "stdout"}))


def _journald_json(lines: list[str]) -> Shaped:
    """`journalctl -o json`: a text with a character that does not print, such as a colour's, stands there as the list of its bytes."""
    told = {"_TRANSPORT": "stdout", "SYSLOG_IDENTIFIER": "vllm", "_PID": "4127", "PRIORITY": "6", "_CMDLINE": "/usr/bin/bash /opt/start"}
    return _each(lines, lambda at, line: json.dumps({**told, "MESSAGE": list(f"\x1b[31m{line}\x1b[0m".encode()), "_UID": "0"}))


def _one_string(lines: list[str]) -> Shaped:
    return Shaped(json.dumps("\n".join(lines)), (1,) * len(lines))


def _one_record(lines: list[str]) -> Shaped:
    record = {"time": "2026-11-03T09:00:00Z", "exception": "\n".join(lines), "service": "llm"}
    return Shaped(json.dumps(record), (1,) * len(lines))


def _wrapped(width: int) -> Callable[[list[str]], Shaped]:
    def make(lines: list[str]) -> Shaped:
        out: list[str] = []
        starts = []
        for line in lines:
            starts.append(len(out) + 1)
            out.extend([line[at : at + width] for at in range(0, len(line), width)] or [""])
        return Shaped("\n".join(out) + "\n", tuple(starts))

    return make


def _interleaved(lines: list[str]) -> Shaped:
    """Each line of the log beside a line of another worker that works on."""
    out, starts = [], []
    for at, line in enumerate(lines):
        starts.append(len(out) + 1)
        out.append(f"(Worker_TP0 pid=900) {line}")
        out.append(f"(Worker_TP1 pid=901) heartbeat {at}: queue empty")
    return Shaped("\n".join(out) + "\n", tuple(starts))


def _of_two_nodes(lines: list[str]) -> Shaped:
    """Each line of the log beside a line of the same tool from another node."""
    out = [text for at, line in enumerate(lines) for text in (f"node1: {line}", f"node2: heartbeat {at}: queue empty")]
    return Shaped("\n".join(out) + "\n", tuple(range(1, 2 * len(lines), 2)))


def _embedded(before: int, after: int, end: str = "\n") -> Callable[[list[str]], Shaped]:
    def make(lines: list[str]) -> Shaped:
        head = [f"(APIServer pid=77) waiting for the next batch of work items, slot {at % 97}" for at in range(before)]
        tail = [f"(APIServer pid=77) nothing to do, slot {at % 89}" for at in range(after)]
        return Shaped(end.join([*head, *lines, *tail]) + end, tuple(before + 1 + at for at in range(len(lines))))

    return make


def _encoded(encoding: str, bom: bytes = b"") -> Callable[[list[str]], Shaped]:
    def make(lines: list[str]) -> Shaped:
        return Shaped(bom + "\r\n".join(lines).encode(encoding, "replace"), tuple(range(1, len(lines) + 1)))

    return make


def _fenced(lines: list[str]) -> Shaped:
    out = ["I get this error:", "```text", *lines, "```", "What can I do?"]
    return Shaped("\n".join(out) + "\n", tuple(range(3, 3 + len(lines))))


def _csv(row: Callable[[int, str], str]) -> Callable[[list[str]], Shaped]:
    """An export with a line of names; quotes are doubled."""

    def make(lines: list[str]) -> Shaped:
        rows = [row(at, '"' + line.replace('"', '""') + '"') for at, line in enumerate(lines)]
        return Shaped("\n".join(["Time,Line,labels", *rows]) + "\n", tuple(range(2, 2 + len(lines))))

    return make


SHAPES: tuple[Shape, ...] = (
    Shape("as it stands", lambda lines: _each(lines, lambda at, line: line)),
    Shape("crlf", lambda lines: Shaped("\r\n".join(lines) + "\r\n", tuple(range(1, len(lines) + 1)))),
    Shape("utf-16 of powershell", _encoded("utf-16-le", b"\xff\xfe")),
    Shape("utf-8 with bom", _encoded("utf-8", b"\xef\xbb\xbf")),
    Shape("quoted in markdown", _prefixed("> ")),
    Shape("quoted twice", _prefixed("> > ")),
    Shape("fenced in an issue", _fenced),
    Shape("html, blanks as entities", lambda lines: _each(lines, lambda at, line: html.escape(line).replace(" ", "&nbsp;")), spells=True),
    Shape("html-escaped", lambda lines: _each(lines, lambda at, line: html.escape(line))),
    Shape("ansi process tag", _ansi),
    Shape("ansi in the words", _ansi_words),
    Shape("docker compose", _prefixed("vllm-1  | ")),
    Shape("kubectl --timestamps", _kubectl),
    Shape("kubectl --prefix", _prefixed("[pod/vllm-0/server] ")),
    Shape("cri", _cri),
    Shape("journald", _journald),
    Shape("github actions", _github),
    Shape("torchrun rank", _prefixed("[rank3]: ")),
    Shape("torchrun default and rank", _prefixed("[default6]:[rank6]: ")),
    Shape("mpirun tags", _prefixed("[1,2]<stderr>:")),
    Shape("ray", _prefixed("\x1b[36m(RayWorkerWrapper pid=2314, ip=10.0.0.7)\x1b[0m ")),
    Shape("compose and process", _prefixed("vllm-1  | (Worker_TP0 pid=272) ")),
    Shape("container json", _json),
    Shape("structured json", _json_message),
    Shape("json in json", _json_in_json),
    Shape("journald json, coloured", _journald_json, spells=True),
    Shape("one json string", _one_string),
    Shape("one json record", _one_record),
    Shape("csv of grafana", _csv(lambda at, field: f'{field},{1764580000000 + at},"{{""pod"":""vllm-0""}}"')),
    Shape("csv, the time first", _csv(lambda at, field: f'"2026-11-03 {_clock(at)}.123",{field}')),
    Shape("wrapped at 80", _wrapped(80), cuts=True, loose=True),
    Shape("wrapped at 120", _wrapped(120), cuts=True, loose=True),
    Shape("interleaved", _interleaved),
    Shape("embedded in 2,000 lines", _embedded(1200, 800)),
)

# What tools put before a line in a format that no table knows: only a traceback in the log tells where its text begins.
HEADED_SHAPES: tuple[Shape, ...] = tuple(
    replace(shape, loose=True)
    for shape in (
        Shape("stern", _prefixed("vllm-0-6d9c7b8f-x2x9z server ")),
        Shape("stern --timestamps", lambda lines: _each(lines, lambda at, line: f"vllm-0 server 2026-11-03T{_clock(at)}.{at:09d}Z {line}")),
        Shape("kubetail", _prefixed("[vllm-0-6d9c7b8f-x2x9z server] ")),
        Shape("pdsh", _prefixed("node1: ")),
        Shape("pdsh of two nodes", _of_two_nodes),
        Shape("clush", _prefixed("gpu[01-04]: ")),
        Shape("grep -n", lambda lines: _each(lines, lambda at, line: f"vllm.log:{at + 1}:{line}")),
        Shape("cat -n", lambda lines: _each(lines, lambda at, line: f"{at + 1:6}\t{line}")),
        Shape(
            "aws logs tail",
            lambda lines: _each(lines, lambda at, line: f"2026-11-03T{_clock(at)}+00:00 serve/vllm/0f1e2d3c4b5a6978 {line}"),
        ),
        Shape(
            "journalctl -o short-full",
            lambda lines: _each(lines, lambda at, line: f"Tue 2026-11-03 {_clock(at)} CST n7 docker[412]: {line}"),
        ),
        Shape("logging.basicConfig", _prefixed("ERROR:serve.engine:")),
        Shape("a format of its own", lambda lines: _each(lines, lambda at, line: f"[2026-11-03 {_clock(at)},123][serve][ERROR] {line}")),
        Shape("pm2", _prefixed("0|vllm  | ")),
    )
)

# Too large for a paste: read as a stream.
LARGE_SHAPES: tuple[Shape, ...] = (
    Shape("embedded in 200,000 lines", _embedded(120_000, 80_000)),
    Shape("embedded in 200,000 lines, crlf", _embedded(120_000, 80_000, "\r\n")),
)
