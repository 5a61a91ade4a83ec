"""An unknown failure → the draft of an entry: what can be written without knowing the cause, and TODO for the rest."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote_plus

from .decoding import decode
from .draft_name import component_of, slug_of
from .draft_yaml import block, flow, quoted
from .errors import FixbookError
from .failures import Failure, failures
from .generalise import anchored, best_pattern, fixed_words, frame_pattern
from .literals import derive
from .log import read
from .model import Component, Entry, Place, Signature, Status
from .pattern import compile_pattern
from .report import Log, Message, Nearest, Report
from .scan import texts_of
from .value import Value

__all__ = ["Draft", "draft"]

_MOST_LINES = 60  # of the sample
_MOST_FACTS = 6
_BEFORE = 2  # lines in front of a failure
_MOST_WORDS = 12  # of a search
_NEAR_MISSES = 2
_MOST_NEAR = 30  # lines of a near miss


class Draft(Value):
    """The file of an entry that is not finished. `neighbours` are the entries whose samples its signature hits, too."""

    id: str
    text: str
    signature: Signature
    line: int  # of the log, where the failure stands
    neighbours: tuple[str, ...]
    others: tuple[int, ...]  # lines of the other failures that no entry explains


class _Book(Value):
    entries: Sequence[Entry]
    components: Mapping[str, Component]


def draft(
    log: Log, report: Report, entries: Sequence[Entry], components: Mapping[str, Component], *, today: str, id: str = "", line: int = 0
) -> Draft:
    """The draft about the first failure that no entry explains, or the one that stands in `line`.

    `log` is the log that `report` is about, already redacted: parts of it go into the file. Raises FixbookError where there is no such
    failure, and where no pattern can be made of it.
    """
    failure = _chosen(log, report, line)
    signature = _signature(failure)
    near = next((unknown.nearest for unknown in report.unknown if unknown.fingerprint == failure.fingerprint), ())
    if not id:
        component = component_of(failure, report.facts, [nearest.entry for nearest in near], components)
        taken = [entry.slug for entry in entries if entry.component == component]
        id = f"{component}/{slug_of(failure, signature.pattern, taken)}"
    active = [entry for entry in entries if entry.status is Status.ACTIVE and entry.id != id]
    neighbours = tuple(entry.id for entry in active if _meets(signature, entry))
    writer = _Writer(log, report, failure, signature, near, neighbours, _Book(active, components))
    others = tuple(unknown.line for unknown in report.unknown if unknown.fingerprint != failure.fingerprint)
    return Draft(id, writer.text(id.split("/")[0], today), signature, failure.message.line, neighbours, others)


def _chosen(log: Log, report: Report, line: int) -> Failure:
    told = failures(log)
    if line:
        inside = [failure for failure in told if failure.message.line <= line <= failure.message.end_line]
        return inside[-1] if inside else _stated(log, line)
    unknown = {unknown.fingerprint: unknown for unknown in report.unknown}
    for fingerprint in unknown:
        for failure in told:
            if failure.fingerprint == fingerprint:
                return failure
    known = ", ".join(finding.entry.id for finding in report.findings)
    why = f"every failure in it is explained by {known}" if known else "nothing in it looks like a failure"
    raise FixbookError(f"{log.name}: {why}; name the line that tells the failure with --line")


def _stated(log: Log, line: int) -> Failure:
    """The message in a line, which the author says is a failure."""
    places = (Place.EXCEPTION, Place.MESSAGE, Place.FRAME)
    messages = [message for message in log.messages if message.line <= line <= message.end_line and message.place in places]
    if not messages:
        raise FixbookError(f"{log.name}: line {line} holds no message; name the line of the failure with --line")
    message = min(messages, key=lambda message: (places.index(message.place), message.end_line - message.line))
    return Failure(message, "", message.text, (), f"line-{line}", message.index)


def _signature(failure: Failure) -> Signature:
    """The signature, checked against the failure's own message. Raises FixbookError where its text gives none."""
    text, frame = failure.message.text, failure.frames[-1] if failure.frames else ""
    in_frame = failure.message.place in (Place.FRAME, Place.SOURCE)
    pattern = None if in_frame else best_pattern(text)
    if pattern is not None:
        return Signature("words", pattern)
    pattern = frame_pattern(text if in_frame else frame) if in_frame or frame else None
    if pattern is not None:
        ends = None if in_frame else anchored(text.split(":")[0])
        return Signature("frame", pattern, Place.FRAME, ends)
    pattern = anchored(text)
    if pattern is None:
        raise FixbookError(f"line {failure.message.line} says too little for a signature; name another line with --line")
    return Signature("words", pattern)


def _hits(signature: Signature, text: str) -> bool:
    """Whether a signature is found in a text, wherever it stands there."""
    return any(_matches(signature, message) for message in read(text, "sample").messages)


def _meets(signature: Signature, entry: Entry) -> bool:
    """Whether a sample of another entry is hit, too. A sample that lacks the words of the pattern is not read for that."""
    need = derive(signature.pattern).needs[:1]
    texts = (sample.text if isinstance(sample.text, str) else decode(sample.text) for sample in entry.samples if sample.expect)
    return any(_hits(signature, text) for text in texts if any(literal in text for literals in need for literal in literals))


def _matches(signature: Signature, message: Message) -> bool:
    places = (Place.MESSAGE, Place.EXCEPTION) if signature.place is None else (signature.place,)
    pattern = compile_pattern(signature.pattern)
    return message.place in places and any(pattern.search(strand.text, timeout=1.0) for _, strand in texts_of(message))


class _Writer(Value):
    """Writes the file."""

    log: Log
    report: Report
    failure: Failure
    signature: Signature
    near: Sequence[Nearest]
    neighbours: Sequence[str]
    book: _Book

    def text(self, component: str, today: str) -> str:
        parts = (self._head(), self._signatures(), self._siblings(), self._samples(), self._prose(), self._tail(component, today))
        return "\n".join(line for part in parts for line in part) + "\n"

    def _head(self) -> Iterator[str]:
        said = _said(self.failure)
        yield "# yaml-language-server: $schema=../../schema/fixbook.schema.json"
        yield f"# A draft, made from line {self.failure.message.line} of a log; fingerprint {self.failure.fingerprint}."
        yield "# Whatever says TODO is yours to write; `fixbook lint` names what is left. Then: `status: active`."
        for nearest in self.near:
            yield f"# Near, but not it: {nearest.entry} ({nearest.because})"
        yield "schema: fixbook/1"
        yield "status: draft"
        yield "title:"
        yield f"  en: {quoted(f'TODO: the cause in a few words ({said})')}"
        yield f"  zh: {quoted(f'待补充：用几个词说明原因（{said}）')}"
        yield "severity: service-down"

    def _signatures(self) -> Iterator[str]:
        yield "signatures:"
        yield f"  - id: {self.signature.id}"
        yield f"    pattern: {quoted(self.signature.pattern)}"
        if self.signature.place is not None:
            yield f"    place: {self.signature.place}"
        if self.signature.with_ is not None:
            yield f"    with: {quoted(self.signature.with_)}"
        if self.neighbours:
            yield "    shared: true                # the siblings' samples hold these words: narrow the pattern, or tell how to decide"

    def _siblings(self) -> Iterator[str]:
        if self.neighbours:
            yield "siblings:"
        for id in self.neighbours:
            yield f"  - entry: {id}"
            yield "    tell:"
            yield "      en: 'TODO: what in the log or the system shows that it is that one.'"
            yield "      zh: '待补充：日志或系统中的哪些信息说明是那个原因。'"

    def _samples(self) -> Iterator[str]:
        yield "samples:"
        yield f"  - expect: {{{self.signature.id}: {'possible' if self.neighbours else 'confirmed'}}}"
        yield from block("text", self._excerpt(), 4)
        for why, text in self._near_misses():
            yield "  - expect: none"
            yield f"    why: {quoted(why)}"
            yield from block("text", text, 4)

    def _excerpt(self) -> str:
        """The failure as the log shows it, with the lines that state facts; the whole log where it does not show in these."""
        message, lines = self.failure.message, self.log.raw.splitlines()
        begin, end = message.line, message.end_line
        if message.traceback is not None:
            traceback = self.log.tracebacks[message.traceback]
            begin = min(begin, traceback.line)
        first = max(begin - _BEFORE, end - _MOST_LINES, 1)
        facts = dict.fromkeys(fact.line for fact in self.report.facts if 0 < fact.line < first)
        numbers = [*sorted(facts)[:_MOST_FACTS], *range(first, end + 1)]
        text = "\n".join(self.log.raw_line(number) for number in numbers)
        return text if _hits(self.signature, text) else "\n".join(lines)

    def _near_misses(self) -> Iterator[tuple[str, str]]:
        """Texts of the book that come near; else what the log said before it failed."""
        near = [nearest.entry for nearest in self.near]
        name = self.failure.exception.rsplit(".", 1)[-1]
        count = 0
        for entry in sorted(self.book.entries, key=lambda entry: near.index(entry.id) if entry.id in near else len(near)):
            texts = [sample.text for sample in entry.samples if sample.expect and isinstance(sample.text, str)]
            alike = [text for text in texts if entry.id in near or (name and f"{name}: " in text)]
            shortest = min(alike, key=len, default="")
            if count < _NEAR_MISSES and shortest and shortest.count("\n") < _MOST_NEAR and not _hits(self.signature, shortest):
                yield f"the words of {entry.id}", shortest
                count += 1
        if not count:
            yield self._healthy()

    def _healthy(self) -> tuple[str, str]:
        before = [self.log.raw_line(number) for number in range(1, self.failure.message.line)]
        text = "\n".join([line for line in before if line.strip()][:3])
        quiet = text and not _hits(self.signature, text) and not failures(read(text, "sample"))
        return ("what was printed before it failed", text) if quiet else ("a line of a healthy start", "INFO the server is ready\n")

    def _prose(self) -> Iterator[str]:
        yield from _bilingual(
            "summary", "TODO: the cause and the first action, at most 200 characters.", "待补充：原因和第一步操作，不超过 200 字。"
        )
        facts = list(dict.fromkeys(f"`{fact.name}={fact.value}`" for fact in self.report.facts if "`" not in fact.value))
        if facts:
            known, known_zh = (flow(gap.join(facts)) for gap in (", ", "、"))
            yield from _bilingual(
                "environment", f"Seen with {known}. TODO: where else it happens.", f"出现环境：{known_zh}。待补充：还会出现在哪里。"
            )
        yield from _bilingual("quick_fix", "TODO: the shortest way to a working system.", "待补充：恢复运行的最快方法。")
        yield from _bilingual("cause", "TODO: why it happens.", "待补充：为什么会发生。")
        yield from _bilingual("verify", "TODO: what the log shows when it is mended.", "待补充：修复后日志显示什么。")

    def _tail(self, component: str, today: str) -> Iterator[str]:
        yield "links:"
        yield f"  - url: {quoted(self._search(component))}"
        yield "    says: 'TODO: the thread or release note that backs the fix, in place of this search'"
        yield "evidence: inferred"
        yield f"reviewed: {today}"

    def _search(self, component: str) -> str:
        """Where to look for others who have it."""
        words = " ".join(fixed_words(self.signature.pattern)[:_MOST_WORDS])
        url = self.book.components[component].url if component in self.book.components else None
        if url and url.startswith("https://github.com/"):
            return f"{url}/issues?q={quote_plus(words)}"
        return f"https://github.com/search?type=issues&q={quote_plus(words)}"


def _said(failure: Failure) -> str:
    """The failure in one code span, for a title; braces and backticks would mean something there."""
    line = failure.message.text.split("\n")[0].strip()
    plain = re.sub(r"\s+", " ", line.replace("`", "'"))
    return f"`{flow(plain if len(plain) <= 80 else plain[:79] + '…')}`"


def _bilingual(name: str, en: str, zh: str) -> Iterator[str]:
    yield f"{name}:"
    yield f"  en: {quoted(en)}"
    yield f"  zh: {quoted(zh)}"
