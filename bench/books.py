"""A made-up book on the disk, so that the whole program can be measured with any number of signatures."""

import json
from pathlib import Path

from workload import Made

__all__ = ["write_book", "write_literals"]

_EACH = 4  # signatures of one entry

_ENTRY = """schema: fixbook/1
title: {{en: Made-up failure {number}, zh: 虚构故障 {number}}}
severity: service-down
signatures:
{signatures}samples:
{samples}  - expect: none
    why: a healthy line
    text: |
      INFO all is well
summary: {{en: Restart the worker., zh: 重启 worker。}}
quick_fix: {{en: Restart the worker with `--retries {number}`., zh: 使用 `--retries {number}` 重启 worker。}}
cause: {{en: It was made up for a measurement of speed., zh: 为测速而虚构。}}
verify: {{en: The log stays quiet., zh: 日志中不再出现该报错。}}
links:
  - {{url: 'https://example.com/{number}', says: an example}}
evidence: inferred
reviewed: 2026-12-01
"""


def write_book(folder: Path, made: list[Made]) -> None:
    """A book of these signatures; nothing is done when it is there already."""
    if folder.is_dir():
        return
    (folder / "made").mkdir(parents=True)
    (folder / "components.yaml").write_text("made:\n  name: {en: Made up, zh: 虚构}\n")
    for number, start in enumerate(range(0, len(made), _EACH)):
        each = made[start : start + _EACH]
        text = _ENTRY.format(
            number=number,
            signatures="".join(f"  - id: {_id(one)}\n    pattern: {_quoted(one.pattern)}\n{_flags(one)}" for one in each),
            samples="".join(f"  - expect: {{{_id(one)}: confirmed}}\n    text: {_quoted(one.sample)}\n" for one in each),
        )
        (folder / "made" / f"m{number:05}.yaml").write_text(text)


def write_literals(path: Path, literals: set[str]) -> None:
    """A file of fixed strings for `grep -F -f` and `rg -F -f`."""
    path.write_text("".join(f"{literal}\n" for literal in sorted(literals)))


def _id(made: Made) -> str:
    return f"s{made.id.rsplit('/', 1)[-1]}"


def _flags(made: Made) -> str:
    return f"    flags: {made.flags}\n" if made.flags else ""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
