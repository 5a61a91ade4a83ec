"""Masks what is secret or personal in a log, and nothing that a diagnosis needs.

The same value gets the same mask everywhere: `<token-1>`, `<email-2>`. Where the reader of a log needs the shape, the mask has it:
`/home/user-1/x.py`, `host-1:41:41 [0] NCCL INFO`, `192.0.2.1`. Line ends stay, so that every line keeps its number.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .expressions import expression
from .redact_rows import HOST_ROWS, PRIVATE_KEY, ROWS, Row, is_identifying

__all__ = ["Redactor", "redact"]

_LONGEST_KEY = 16_000  # characters of a private key with its prefixes; 16,384 bits have 12,700
_END = "-----END"
_BARE = expression(r"[A-Za-z0-9+/=\s:,\\-]*")  # a key whose end is cut off
_ECHO = 8  # characters from which a secret is masked also where it stands without its name
_MOST_ECHOES = 200
_TAKEN = expression(r"<(token|key|password|email)-(\d{1,6})>")
_RUNS = expression(r"[^\r\n]+")


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


def redact(text: str, hosts: bool = False) -> str:
    """The text with secrets, e-mail addresses and home folders masked; `hosts`: names and addresses of machines, too."""
    return Redactor(hosts).feed(text)


class Redactor:
    """Masks one text that comes in pieces; a value keeps its mask from piece to piece. Cut pieces at line ends."""

    def __init__(self, hosts: bool = False) -> None:
        self._rows: tuple[Row, ...] = (*ROWS, *HOST_ROWS) if hosts else ROWS
        self._masks: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def feed(self, text: str) -> str:
        """The next piece, masked."""
        for kind, number in _TAKEN.findall(text):  # masks of an earlier run are not given again
            self._counts[kind] = max(self._counts.get(kind, 0), int(number))
        spans = _merged([*_private_keys(text), *_named(text, self._rows)])
        spans = _merged([*spans, *self._echoes(text, spans)])
        pieces: list[str] = []
        at = 0
        for span in spans:
            pieces += text[at : span.start], self._masked(text[span.start : span.end], span.kind)
            at = span.end
        return "".join((*pieces, text[at:]))

    def _masked(self, value: str, kind: str) -> str:
        """The mask of a value, with the value's line ends: a private key is as many lines as before, a broken token two."""
        mask = self._mask(re.sub(r"[\r\n]+", "", value), kind)
        if "\n" not in value and "\r" not in value:
            return mask
        if kind == "key":
            return _RUNS.sub(mask, value)
        return mask + "".join(re.findall(r"[\r\n]+", value))

    def _mask(self, value: str, kind: str) -> str:
        known = self._masks.get((kind, value))
        if known is None:
            number = self._counts[kind] = self._counts.get(kind, 0) + 1
            known = self._masks[kind, value] = _new_mask(kind, number)
        return known

    def _echoes(self, text: str, spans: list[_Span]) -> Iterator[_Span]:
        """Known secrets without their name, known users in other paths, known machines anywhere."""
        values: dict[str, str] = {value: kind for kind, value in self._masks}
        values |= {text[span.start : span.end]: span.kind for span in spans}
        wanted = sorted((value for value, kind in values.items() if _is_echoed(value, kind)), key=len, reverse=True)[:_MOST_ECHOES]
        if not wanted:
            return
        for match in re.finditer(r"(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, wanted)) + r")(?![A-Za-z0-9])", text):
            kind = values[match[0]]
            if kind != "user" or _is_in_path(match):
                yield _Span(match.start(), match.end(), kind)


def _new_mask(kind: str, number: int) -> str:
    if kind in ("user", "host"):
        return f"{kind}-{number}"
    if kind == "address":  # the three blocks that are kept for documentation
        block = ("192.0.2", "198.51.100", "203.0.113")[(number - 1) // 254 % 3]
        return f"{block}.{(number - 1) % 254 + 1}"
    return f"2001:db8::{number:x}" if kind == "address6" else f"<{kind}-{number}>"


def _named(text: str, rows: Iterable[Row]) -> Iterator[_Span]:
    folded = text.lower()
    for row in rows:
        if row.needs and not any(need in folded for need in row.needs):
            continue
        for match in row.pattern.finditer(text):
            if not row.accept(match):
                continue
            for start, end in row.read(match) if row.read else (match.span("secret"),):
                if not _TAKEN.match(text, start, end):
                    yield _Span(start, end, row.kind)


def _private_keys(text: str) -> Iterator[_Span]:
    """What stands between BEGIN and END of private keys, whatever prefixes the lines have; of a cut one what looks like a key."""
    done = 0
    for match in PRIVATE_KEY.finditer(text):
        if match.start() < done:
            continue
        end = text.find(_END, match.end(), match.end() + _LONGEST_KEY)
        if end < 0:
            rest = _BARE.match(text, match.end(), match.end() + _LONGEST_KEY)
            end = rest.end() if rest else match.end()
        done = end
        if text[match.end() : end].strip() and not _TAKEN.search(text, match.end(), end):
            yield _Span(match.end(), end, "key")


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """In order, without overlap: what overlaps becomes one, of the kind of the first."""
    out: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if out and span.start < out[-1].end:
            out[-1] = _Span(out[-1].start, max(out[-1].end, span.end), out[-1].kind)
        else:
            out.append(span)
    return out


def _is_echoed(value: str, kind: str) -> bool:
    if kind in ("token", "password"):
        return len(value) >= _ECHO and any(character.isdigit() for character in value) and "\n" not in value
    if kind == "user":
        return len(value) >= 3 and is_identifying(value)
    return kind == "host" and len(value) >= 4


def _is_in_path(match: re.Match[str]) -> bool:
    """Whether a name is a folder: `/data/alice/run.py`; elsewhere it may be a word."""
    before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
    return before in ("/", "\\") and (after in ("/", "\\", "'", '"', "", ":", ",", ")") or after.isspace())
