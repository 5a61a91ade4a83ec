"""A small book on disk, for the tests of the command line: one cause with a sibling that prints the same words, and one wrapper."""

from pathlib import Path

__all__ = ["BROKEN", "CLEAN", "KNOWN", "SHARED", "UNKNOWN", "write_book", "write_broken"]

KNOWN = "INFO starting\nValueError: frobnicator f9 is not calibrated\n"
SHARED = "RuntimeError: flux out of range\n"
UNKNOWN = "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in main\n    go()\nKeyError: 'nobody knows this'\n"
CLEAN = "INFO starting\nINFO ready\n"

_TAIL = """\
severity: service-down
summary:
  en: '{summary} Run `frob calibrate`.'
  zh: '{summary} 请运行 `frob calibrate`。'
quick_fix:
  - en: Calibrate it.
    zh: 执行校准。
    run: frob calibrate
cause:
  en: It was new.
  zh: 它是新的。
verify:
  en: The log says `calibrated`.
  zh: 日志出现 `calibrated`。
links:
  - url: https://example.org/frob
    says: the manual
evidence: maintainer
reviewed: 2026-12-01
"""

_ENTRIES = {
    "frobnicator-not-calibrated": """\
title:
  en: The frobnicator is not calibrated
  zh: 校准器尚未校准
aliases: [frobnicator]
signatures:
  - id: words
    pattern: 'frobnicator (?P<device>\\w+) is not calibrated'
samples:
  - expect: {words: confirmed}
    text: |
      ValueError: frobnicator f1 is not calibrated
  - expect: none
    why: it is
    text: |
      frobnicator f1 is calibrated
""",
    "flux-of-half": """\
title:
  en: The flux overflows in float16
  zh: 通量在 float16 下溢出
signatures:
  - id: words
    pattern: '\\bflux out of range\\b'
    shared: true
requires:
  model_dtype: float16
siblings:
  - entry: demo/flux-of-xpu
    tell: {en: It runs on a GPU., zh: 运行在 GPU 上。}
samples:
  - expect: {words: possible}
    text: |
      RuntimeError: flux out of range
  - expect: {words: ruled_out}
    why: another dtype
    facts: {model_dtype: bfloat16}
    text: |
      RuntimeError: flux out of range
""",
    "flux-of-xpu": """\
title:
  en: The flux kernel of XPU is wrong
  zh: XPU 的通量内核有误
signatures:
  - id: words
    pattern: '\\bflux out of range\\b'
    shared: true
requires:
  platform: xpu
siblings:
  - entry: demo/flux-of-half
    tell: {en: It runs on an XPU., zh: 运行在 XPU 上。}
samples:
  - expect: {words: possible}
    text: |
      RuntimeError: flux out of range
  - expect: {words: ruled_out}
    why: another platform
    facts: {platform: cuda}
    text: |
      RuntimeError: flux out of range
""",
}
BROKEN = "schema: fixbook/1\ntitle: {en: x}\n"


def write_book(folder: Path) -> Path:
    """The book in `folder`, which is given back."""
    component = folder / "demo"
    component.mkdir(parents=True)
    (folder / "components.yaml").write_text("demo:\n  name: {en: Demo, zh: 演示}\n", encoding="utf-8")
    for slug, head in _ENTRIES.items():
        summary = "Device {device} is off." if "device" in head else "The flux is off."
        text = f"schema: fixbook/1\n{head}{_TAIL.replace('{summary}', summary)}"
        (component / f"{slug}.yaml").write_text(text, encoding="utf-8")
    return folder


def write_broken(book: Path) -> Path:
    """One entry more, which does not load."""
    path = book / "demo" / "broken.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    return path
