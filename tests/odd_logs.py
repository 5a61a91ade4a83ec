"""Logs that nobody pastes like this: parts of real ones, put together and damaged in every way that a reader has to stand."""

import html
import json
import random
from collections.abc import Callable, Sequence

__all__ = ["container_logs", "odd_logs"]

# What the readings of a text can trip over: characters of two units, odd blanks and cases, escapes of all kinds, marks of markup.
_ODD = (
    "🙂", "𝒳", "𝟗", "显存", "：", "（", "“", "`", "**", "\x1b[31m", "\x1b[0m", "\t", "\u00a0", "\u2028", "\x85", "\x1c", "\ufeff", "\u200b",
    "ß", "\u0130", "\u017f", "\u212a", "\u0131", "é", "\r", "\\n", "\\t", "\\u4e2d", "\\ud83d\\ude00", "&lt;", "&#128512;", "&amp;lt;",
    "&notit;", "&quot;", "%20", "%5F", "{", "}", "[", "]", "'", '"', "|", "> ", "NaN", "─", "█", "│", "\0", "١", "𝟬", "\ue000", "ꀀ",
)  # fmt: skip
_PREFIXES = ("> ", "(Worker_TP0 pid=4) ", "[rank3]: ", "vllm-1  | ", "2026-11-03T09:00:00Z ", "🙂 ", "[1,2]<stderr>:", "E   ", "    ")
_ENDS = ("\n", "\n", "\n", "\r\n", "\r")


def odd_logs(texts: Sequence[str], seed: int, count: int) -> list[str]:
    """`count` logs made of `texts`, the same for the same seed."""
    pick = random.Random(seed)
    lines = [line for text in texts for line in text.splitlines()]
    return [pick.choice(_ENDS).join(line for _ in range(pick.randint(1, 4)) for line in _block(pick, texts, lines)) for _ in range(count)]


# What a server says when it starts, goes on and is stopped.
_COURSE = (
    "INFO 12-01 10:00:00 [api_server.py:1] vLLM API server version 0.31.0",
    "(EngineCore pid=7) INFO 12-01 10:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='m'",
    'INFO:     10.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "INFO 12-01 10:00:02 [loggers.py:1] Engine 000: Avg prompt throughput: 9.0 tokens/s, Avg generation throughput: 12.5 tokens/s",
    "INFO 12-01 10:00:03 [loggers.py:1] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s",
    "INFO 12-01 10:00:04 [launcher.py:110] Shutting down FastAPI HTTP server.",
)
_CONTAINERS: tuple[Callable[[str, str], str], ...] = (
    lambda name, line: f"[pod/vllm-{name}/vllm] {line}",
    lambda name, line: f"vllm-{name}  | {line}",
    lambda name, line: json.dumps({"pod": f"vllm-{name}", "container": "vllm", "log": line}),
    lambda name, line: json.dumps({"host": "node", "log": f"[pod/vllm-{name}/vllm] {line}"}),
    lambda name, line: f"vllm-{name}  | {json.dumps({'rank': 2, 'log': line})}",
)


def container_logs(texts: Sequence[str], seed: int, count: int) -> list[str]:
    """`count` logs of two containers, each with its own course, written into one."""
    pick = random.Random(seed)
    return ["\n".join(_two_containers(pick, texts)) for _ in range(count)]


def _two_containers(pick: random.Random, texts: Sequence[str]) -> list[str]:
    wrap, lines = pick.choice(_CONTAINERS), []
    for name in pick.choices("ab", k=pick.randint(2, 7)):
        block = pick.choice(texts).splitlines()[:30] if pick.random() < 0.4 else pick.choices(_COURSE, k=pick.randint(1, 3))
        lines += [wrap(name, line) if pick.random() < 0.97 else line for line in block]
    return lines


def _block(pick: random.Random, texts: Sequence[str], lines: Sequence[str]) -> list[str]:
    block = pick.choice(texts).splitlines() if pick.random() < 0.7 else pick.choices(lines, k=pick.randint(1, 12))
    for chance, change in _CHANGES:
        if pick.random() < chance:
            block = change(pick, block)
    return block


def _sprinkled(pick: random.Random, lines: list[str]) -> list[str]:
    out = []
    for line in lines:
        for _ in range(pick.randint(0, 3) if pick.random() < 0.6 else 0):
            at = pick.randint(0, len(line))
            line = line[:at] + pick.choice(_ODD) + line[at:]
        out.append(line)
    return out


def _wrapped(pick: random.Random, lines: list[str]) -> list[str]:
    width = pick.choice([60, 73, 80, 100, 120, 132])
    return [line[at : at + width] for line in lines for at in (range(0, len(line), width) if line else [0])]


def _records(pick: random.Random, lines: list[str]) -> list[str]:
    process, level = pick.choice([1, 1.0, True, None, "x"]), pick.choice(["ERROR", "info", 3, float("nan")])
    ascii_only = pick.random() < 0.5
    return [json.dumps({"message": line, "pid": process, "level": level}, ensure_ascii=ascii_only) for line in lines]


def _one_string(_pick: random.Random, lines: list[str]) -> list[str]:
    return [json.dumps("\n".join(lines))]


def _escaped(_pick: random.Random, lines: list[str]) -> list[str]:
    return [html.escape(line) for line in lines]


def _prefixed(pick: random.Random, lines: list[str]) -> list[str]:
    prefix = pick.choice(_PREFIXES)
    return [prefix + line for line in lines]


def _shuffled(pick: random.Random, lines: list[str]) -> list[str]:
    return pick.sample(lines, k=len(lines))


def _thinned(pick: random.Random, lines: list[str]) -> list[str]:
    return [line for line in lines if pick.random() < 0.8]


_CHANGES: tuple[tuple[float, Callable[[random.Random, list[str]], list[str]]], ...] = (
    (0.4, _sprinkled),
    (0.2, _wrapped),
    (0.15, _records),
    (0.1, _one_string),
    (0.1, _escaped),
    (0.15, _prefixed),
    (0.1, _shuffled),
    (0.1, _thinned),
)
