"""Style sheet, scripts and pictures; the worker that reads a pasted log; the words that scripts say; the key of the program."""

import json
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path

from .. import templates
from ..model import Lang
from .addresses import LANGS
from .matcher_data import matcher_script, tables
from .output import Output
from .volume import digest

__all__ = ["asset_outputs", "code_key", "forget", "stamp", "words", "worker"]

_FOLDER = Path(__file__).resolve().parent / "assets"
_PACKAGE = _FOLDER.parent.parent
_WORKER = "worker.js"
# Labels that the page needs to show a report in words.
_SAID = (
    "ask.", "clean.", "consequence.", "effect.", "fact.", "fixed.", "head.", "join.", "kind.", "level.", "line.", "missing.", "other.",
    "proof.", "reason.", "repair.", "ruled_out.", "section.", "site.paste", "skip.", "skipped.", "spread.", "unknown.", "version.", "why.",
    "wrapper.", "rank.", "commonness.",
)  # fmt: skip


@cache
def _static() -> Mapping[str, bytes]:
    """The files that are published as they are."""
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.iterdir()) if path.is_file() and path.name != _WORKER}


@cache
def worker() -> bytes:
    """`worker.js`: the matcher and the loop that answers the page, in one function; beside it the tables that they work by.

    The page starts the worker from the function's own text, because a file that lies on a disk may not start one from another file.
    """
    matcher = matcher_script()
    loop = (_FOLDER / _WORKER).read_text(encoding="utf-8")
    known = json.dumps(tables(), ensure_ascii=False, separators=(",", ":"))
    return f"globalThis.fixbookTables = {known};\nglobalThis.fixbookWorker = function () {{\n'use strict';\n{matcher}{loop}}};\n".encode()


def words(lang: Lang) -> bytes:
    """The labels for scripts: the same table that the Python program speaks from."""
    said = {key: text.get(lang) for key, text in templates.labels().items() if key.startswith(_SAID)}
    return f"globalThis.fixbookWords = {json.dumps(said, ensure_ascii=False, indent=0, sort_keys=True)};\n".encode()


def asset_outputs(code: str) -> Iterator[Output]:
    for name, content in _static().items():
        yield Output(f"assets/{name}", digest(content), partial(bytes, content))
    yield Output(f"assets/{_WORKER}", digest(code), worker)
    for lang in LANGS:
        yield Output(f"assets/words.{lang}.js", digest(code, lang), partial(words, lang))


def stamp() -> str:
    """Changes with any file that pages refer to by its stamp."""
    return digest(*_static().values(), code_key())[:8]


@cache
def code_key() -> str:
    """Changes with any line of the program or its templates, so that a new release makes every page anew."""
    paths = [*_PACKAGE.rglob("*.py"), *_FOLDER.rglob("*"), *templates.root().rglob("*")]
    return digest(*(part for path in sorted(paths) if path.is_file() for part in (path.name, path.read_bytes())))


def forget() -> None:
    """Reads assets and templates anew the next time: for a site that is served while they are written."""
    for cached in (_static, worker, code_key, templates.labels, templates.environment):
        cached.cache_clear()
