"""The work itself, inside a worker: a task and its body → an answer."""

from io import BytesIO
from typing import TYPE_CHECKING, cast

from ...cards import PLATFORMS
from ...errors import FixbookError
from ...masked import masked
from ...source import PASTE, Source, Stream
from ...stream import once
from .asked import Asked, read_asked
from .choice import MEDIA_TYPES, chosen_format, chosen_lang, flag
from .settings import ServeSettings
from .task import Answer, RefusedError, Task, problem

if TYPE_CHECKING:
    from ...api import Book, Report
    from ...model import Lang

__all__ = ["answer"]

_FORMATS = (*MEDIA_TYPES, *PLATFORMS)
_TAGS = {"zh": "zh-CN", "en": "en", "both": "zh-CN, en"}


def answer(book: "Book", task: Task, body: bytes, settings: ServeSettings) -> Answer:
    """The answer to a task. A request that cannot be answered gets one that says why; other errors are the caller's."""
    work = {"diagnose": _diagnose, "entries": _entries, "entry": _entry}[task.action]
    try:
        return work(book, task, body, settings)
    except RefusedError as error:
        return problem(error.status, error.detail)
    except FixbookError as error:
        return problem(400, str(error))


def _diagnose(book: "Book", task: Task, body: bytes, settings: ServeSettings) -> Answer:
    asked = read_asked(task, body, settings.body_limit)
    format = chosen_format(asked.format, task.accept, _FORMATS)
    lang = chosen_lang(asked.lang, task.languages)
    full = flag(asked.full, "full")
    report = _report(book, asked)
    if flag(asked.redact, "redact", default=True):
        report = masked(report, log=asked.log if len(asked.log) <= PASTE else "", hosts=settings.hosts)
    text = report.render(format, lang=cast("Lang", lang), full=full, book=book, base_url=settings.base_url)
    return Answer(
        content_type=MEDIA_TYPES.get(format, MEDIA_TYPES["json"]),
        language="" if format == "json" else _TAGS[lang],
        body=_bytes(text),
        digest=book.info.digest,
        verdict=str(report.verdict),
        entries=tuple(finding.entry.id for finding in report.findings),
    )


def _report(book: "Book", asked: Asked) -> "Report":
    """A long log is read as a file of its size would be: of its text, the regions that matter."""
    data = asked.log if isinstance(asked.log, bytes) else asked.log.encode("utf-8", "replace")
    if len(data) <= PASTE:
        return book.diagnose(asked.log, asked.facts, name=asked.name)
    return book.diagnose_source(Source(asked.name, opener=once(Stream(BytesIO(data)))), asked.facts)


def _entries(book: "Book", task: Task, body: bytes, settings: ServeSettings) -> Answer:
    from ...json_report import entries_to_json

    query = dict(task.query)
    articles = book.search(query["q"]) if query.get("q") else book.entries
    wanted = query.get("component")
    entries = [article.entry for article in articles if not wanted or article.entry.component == wanted]
    return Answer(body=_bytes(entries_to_json(entries)), digest=book.info.digest)


def _entry(book: "Book", task: Task, body: bytes, settings: ServeSettings) -> Answer:
    query = dict(task.query)
    format = chosen_format(query.get("format", ""), task.accept, _FORMATS)
    lang = chosen_lang(query.get("lang", ""), task.languages)
    try:
        article = book[task.id]
    except KeyError as error:
        return problem(404, str(error.args[0]))
    text = article.render(format, lang=cast("Lang", lang), base_url=settings.base_url)
    return Answer(
        content_type=MEDIA_TYPES.get(format, MEDIA_TYPES["json"]),
        language="" if format == "json" else _TAGS[lang],
        body=_bytes(text),
        digest=book.info.digest,
    )


def _bytes(text: str) -> bytes:
    return f"{text}\n".encode("utf-8", "backslashreplace")
