"""A step of GitHub Actions: diagnoses logs, or the text of the issue that started the run.

Everything untrusted comes through files and the environment; none of it reaches a shell or a command of the runner.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from ..cards import card
from ..errors import FixbookError
from ..json_report import reports_to_json
from ..masked import masked
from ..model import Kind
from ..report import Report, Verdict
from ..report_words import ReportWords
from .github_comments import GitHubComments
from .workflow import Annotation, annotations, append_summary, set_output

if TYPE_CHECKING:
    from ..api import Book

__all__ = ["Inputs", "main", "run"]

Lang = Literal["en", "zh", "both"]
_LANGS = ("en", "zh", "both")
_ORDER = (Verdict.KNOWN, Verdict.WRAPPER, Verdict.UNKNOWN, Verdict.CLEAN)
_TEXTS = ("comment", "issue", "pull_request", "discussion")  # of an event, the nearest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The inputs of the action, checked."""

    paths: tuple[str, ...] = ()
    lang: Lang = "en"
    kb: tuple[str, ...] = ()
    base_url: str = ""
    fail_on: frozenset[str] = frozenset()
    comment: bool = False

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Inputs":
        """From `FIXBOOK_PATH`, `FIXBOOK_LANG` … Raises FixbookError for a value that is none of its own."""
        lang = environment.get("FIXBOOK_LANG", "").strip() or "en"
        if lang not in _LANGS:
            raise FixbookError(f"lang: {lang!r} is none of {', '.join(_LANGS)}")
        fail_on = frozenset(environment.get("FIXBOOK_FAIL_ON", "").replace(",", " ").split()) - {"never"}
        unknown = fail_on - set(_ORDER)
        if unknown:
            raise FixbookError(f"fail-on: {', '.join(sorted(unknown))} is none of never, {', '.join(_ORDER)}")
        return cls(
            paths=tuple(filter(None, (line.strip() for line in environment.get("FIXBOOK_PATH", "").splitlines()))),
            lang=cast(Lang, lang),
            kb=tuple(filter(None, (line.strip() for line in environment.get("FIXBOOK_KB", "").splitlines()))),
            base_url=environment.get("FIXBOOK_BASE_URL", "").strip(),
            fail_on=fail_on,
            comment=environment.get("FIXBOOK_COMMENT", "").strip().lower() == "true",
        )


def main() -> int:
    """0; 1 when `fail-on` names the verdict; 2 for trouble, which is an annotation, too."""
    try:
        return run(Inputs.of(os.environ), os.environ)
    except FixbookError as error:
        _say([Annotation("error", "fixbook", str(error))])
        return 2


def run(inputs: Inputs, environment: Mapping[str, str]) -> int:
    """Diagnoses, and writes what the environment has a place for."""
    from ..api import load

    book = load(*inputs.kb, shipped=True)
    event = _event(environment.get("GITHUB_EVENT_PATH", ""))
    reports = _of_files(book, inputs.paths) if inputs.paths else [_of_event(book, event)]
    verdict = min((report.verdict for report in reports), key=_ORDER.index, default=Verdict.CLEAN)
    _write(inputs, reports, verdict, environment)
    if inputs.comment and verdict in (Verdict.KNOWN, Verdict.WRAPPER):
        _comment(inputs, reports, event, environment)
    print(f"fixbook: logs read: {len(reports)}; verdict: {verdict}")
    return 1 if verdict in inputs.fail_on else 0


def _of_files(book: "Book", paths: Sequence[str]) -> list[Report]:
    """A report, masked, for each log at the paths. Raises FixbookError when none can be read; some of several that cannot are named."""
    from ..source import open_sources

    reports: list[Report] = []
    problems: list[str] = []
    for source in open_sources(paths):
        try:
            reports.append(masked(book.diagnose_source(source)))
        except FixbookError as error:
            problems.append(str(error))
    if problems and not reports:
        raise FixbookError("; ".join(problems))
    if problems:
        _say([Annotation("warning", "fixbook", "not read: " + "; ".join(problems))])
    return reports


def _say(wanted: Sequence[Annotation]) -> None:
    for line in annotations(wanted):
        print(line)


def _event(path: str) -> dict[str, object]:
    try:
        event = json.loads(Path(path).read_text("utf-8")) if path else {}
    except (OSError, ValueError):
        event = {}
    return event if isinstance(event, dict) else {}


def _of_event(book: "Book", event: Mapping[str, object]) -> Report:
    """A report, masked, on the text of the event. Raises FixbookError for an event without one."""
    for name in _TEXTS:
        part = event.get(name)
        if isinstance(part, dict) and isinstance(part.get("body"), str):
            title = part.get("title")
            # A title often is the error itself.
            log = f"{title}\n{part['body']}" if isinstance(title, str) else part["body"]
            return masked(book.diagnose(log, name=name), log=log)
    raise FixbookError("there is nothing to read: give `path`, or run on an event of an issue, a comment or a pull request")


def _write(inputs: Inputs, reports: Sequence[Report], verdict: Verdict, environment: Mapping[str, str]) -> None:
    _say([each for report in reports for each in _annotations(report, inputs)])
    append_summary(environment.get("GITHUB_STEP_SUMMARY", ""), [_body(report, inputs) for report in reports])
    file = Path(environment.get("RUNNER_TEMP") or ".") / "fixbook-report.json"
    file.write_text(reports_to_json(reports) + "\n", encoding="utf-8", errors="backslashreplace")
    ids = dict.fromkeys(finding.entry.id for report in reports for finding in report.findings)
    for name, value in (("verdict", str(verdict)), ("ids", ",".join(ids)), ("report", str(file))):
        set_output(environment.get("GITHUB_OUTPUT", ""), name, value)


def _body(report: Report, inputs: Inputs) -> str:
    return str(card(report, "github", inputs.lang, base_url=inputs.base_url)["body"])


def _annotations(report: Report, inputs: Inputs) -> Iterator[Annotation]:
    words = ReportWords("zh" if inputs.lang == "zh" else "en", report.source)
    file = report.source if inputs.paths else ""
    for finding in report.findings:
        benign = finding.entry.kind == Kind.BENIGN
        level: Literal["error", "notice"] = "notice" if benign else "error"
        line = finding.hits[0].line if finding.hits else 0
        head = words.say("head.benign" if benign else f"head.{finding.level}")
        title = words.say("head.title", head=head, title=words.title(finding.entry, finding))
        yield Annotation(level, _plain(title), _plain(words.summary(finding.entry, finding)), file, line)
    for unknown in report.unknown:
        message = f"{unknown.exception}: {unknown.message}" if unknown.exception else unknown.message
        yield Annotation("warning", _plain(words.say("head.unknown")), message, file, unknown.line)


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")


def _comment(inputs: Inputs, reports: Sequence[Report], event: Mapping[str, object], environment: Mapping[str, str]) -> None:
    """The comment on the issue or pull request of the event; without one, or when GitHub refuses, a warning."""
    number = next((part["number"] for name in ("issue", "pull_request") if isinstance(part := event.get(name), dict)), None)
    known = next(report for report in reports if report.verdict in (Verdict.KNOWN, Verdict.WRAPPER))
    try:
        if not isinstance(number, int):
            raise FixbookError("comment: this event has no issue to comment on")
        url = environment.get("GITHUB_API_URL") or "https://api.github.com"
        api = GitHubComments(environment.get("GITHUB_REPOSITORY", ""), environment.get("FIXBOOK_TOKEN", ""), url)
        api.write(number, _body(known, inputs))
    except FixbookError as error:
        _say([Annotation("warning", "fixbook", str(error))])


if __name__ == "__main__":
    sys.exit(main())
