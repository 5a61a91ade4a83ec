"""Everything a maintainer wants to know about a book before others read it: the loader's problems, proof by samples, both languages."""

from collections.abc import Callable, Iterator, Mapping

from .decoding import decode
from .errors import Problem, Where
from .explain import explain
from .index import Index
from .kb import Loaded
from .lint_chinese import is_checkable, typography_problems
from .lint_language import prose_problems
from .literals import derive
from .log import read
from .model import Entry, Kind, Level, Sample, Signature, Status
from .reading import listed
from .report import Finding, Hit, Report
from .rows import blind
from .scan import key_of, probes
from .value import Value

__all__ = ["Diagnose", "lint"]

Diagnose = Callable[[str | bytes, Mapping[str, str]], Report]


def lint(loaded: Loaded, diagnose: Diagnose, *, shipped: bool = False) -> tuple[Problem, ...]:
    """All problems of a book, in the order of its files. `diagnose` answers a log with facts by this very book.

    `shipped`: the book goes out with the program, so that it may hold no draft.
    """
    found = list(loaded.problems)
    found += _literal_problems(loaded)
    for entry in loaded.entries:
        if shipped and entry.status is Status.DRAFT:
            found.append(Problem(entry.where, "draft", "a draft in the shipped book", "finish it: `status: active`, or take it out"))
    for document in loaded.documents.values():
        found += prose_problems(document)
        found += typography_problems(document, loaded.glossary)
    if loaded.documents and not is_checkable():
        what = "the Chinese texts were not put to the corrector"
        found.append(Problem(Where("", 0), "zh-skipped", what, "pip install autocorrect-py", "warning"))
    found += _Proof(loaded, diagnose).problems()
    return tuple(sorted(found, key=lambda problem: (problem.where.file, problem.where.line)))


def _literal_problems(loaded: Loaded) -> Iterator[Problem]:
    """Signatures that the first pass cannot look for: in every log, or in a large one, whose bytes are searched as they were written."""
    unseen = frozenset(blind(Index.build(probes(loaded.entries))))
    for entry in loaded.entries:
        for number, signature in enumerate(entry.signatures):
            reason = derive(signature.pattern, signature.flags).problem
            remedy = "give every match a fixed run of at least 4 characters; the first pass looks for it"
            if reason is None and key_of(entry, signature) in unseen:
                reason = "no fixed run of it is the same in JSON and HTML, so no log of more than 1 MB shows it"
                remedy = "give every match a fixed run of at least 4 characters without quotes, backslashes, `<`, `>`, `&` and backticks"
            if reason:
                yield Problem(_place(loaded, entry, number, "pattern"), "no-literal", reason, remedy)


def _place(loaded: Loaded, entry: Entry, number: int, field: str) -> Where:
    """Where a field of a signature stands in the entry's file; without the file, where the signature does."""
    document = loaded.documents.get(entry.id)
    return document.fields["signatures"].items[number].at(field) if document else entry.signatures[number].where


class _Answer(Value):
    """One sample and what the book says to it."""

    entry: Entry
    sample: Sample
    report: Report
    findings: Mapping[str, Finding]  # by id, whatever their place in the report


class _Proof:
    """Each sample of each active entry is put to the whole book, once."""

    def __init__(self, loaded: Loaded, diagnose: Diagnose) -> None:
        self._entries = {entry.id: entry for entry in loaded.entries if entry.status is Status.ACTIVE}
        samples = [(entry, sample) for entry in self._entries.values() for sample in entry.samples]
        self._answers = [_answer(entry, sample, diagnose(sample.text, sample.facts)) for entry, sample in samples]

    def problems(self) -> Iterator[Problem]:
        for answer in self._answers:
            if answer.sample.expect:
                yield from _missed(answer)
                yield from self._overlaps(answer)
            else:
                yield from _unwanted(answer)
        for entry in self._entries.values():
            for signature in entry.signatures:
                if signature.shared:
                    yield from self._unshared(entry, signature)

    def _unshared(self, entry: Entry, signature: Signature) -> Iterator[Problem]:
        """A shared signature that no sibling's sample shows to be shared."""
        siblings = [sibling.entry for sibling in entry.siblings if sibling.entry in self._entries]
        samples = [answer for answer in self._answers if answer.entry.id in siblings and answer.sample.expect]
        if siblings and not any(_hits(answer, entry.id, signature.id) for answer in samples):
            what = f"`{signature.id}` is shared, but no sample of {listed(siblings)} is hit by it"
            yield Problem(signature.where, "shared-unproved", what, "add such a sample to the sibling, or delete `shared`")

    def _overlaps(self, answer: _Answer) -> Iterator[Problem]:
        for other, finding in answer.findings.items():
            if other != answer.entry.id and not _may_meet(answer.entry, finding.entry):
                hit = finding.hits[0]
                what = f"the sample also shows `{other}` ({finding.level}), by its `{hit.signature}`: `{_short(hit.matched)}`"
                remedy = "narrow one of the two patterns, or declare the two in `siblings` or `refines`"
                yield Problem(answer.sample.where, "undeclared-overlap", what, remedy)


def _answer(entry: Entry, sample: Sample, report: Report) -> _Answer:
    findings = (*report.findings, *report.consequences, *report.ruled_out)
    return _Answer(entry, sample, report, {finding.entry.id: finding for finding in findings})


def _may_meet(entry: Entry, other: Entry) -> bool:
    """Whether two entries may be found in one log: one is no cause, or they know of each other."""
    if Kind.CAUSE not in (entry.kind, other.kind) or entry.kind is not other.kind:
        return True
    for one, two in ((entry, other), (other, entry)):
        if two.id in one.refines or any(sibling.entry == two.id for sibling in one.siblings):
            return True
    return False


def _hits(answer: _Answer, entry: str, signature: str) -> tuple[Hit, ...]:
    finding = answer.findings.get(entry)
    return tuple(hit for hit in finding.hits if hit.signature == signature) if finding else ()


def _unwanted(answer: _Answer) -> Iterator[Problem]:
    finding = answer.findings.get(answer.entry.id)
    if finding is None:
        return
    hit = finding.hits[0]
    what = f"expected none, but the entry is {finding.level} by `{hit.signature}` in line {hit.line}: `{_short(hit.matched)}`"
    remedy = "narrow the pattern"
    if finding.level is Level.RULED_OUT:
        remedy = f"write `expect: {{{hit.signature}: ruled_out}}`, or narrow the pattern"
    yield Problem(answer.sample.where, "sample-found", what, remedy)


def _missed(answer: _Answer) -> Iterator[Problem]:
    sample, finding = answer.sample, answer.findings.get(answer.entry.id)
    missing = [name for name in sample.expect if not _hits(answer, answer.entry.id, name)]
    for name in missing:
        what = f"expected `{name}`, but {_how_far(answer, name)}"
        if finding is not None:
            what += f"; hit by {listed(sorted({hit.signature for hit in finding.hits}))}"
        yield Problem(sample.where, "sample-missed", what, "correct the pattern, the sample or its `expect`")
    wanted = next(iter(sample.expect.values()))
    if finding is not None and not missing and finding.level is not wanted:
        what = f"expected {wanted}, but the entry is {finding.level}{_because(finding)}"
        yield Problem(sample.where, "sample-level", what, "correct the conditions, the sample or its `expect`")


def _how_far(answer: _Answer, name: str) -> str:
    """How far the pattern of a signature got in a sample that it should hit."""
    text = answer.sample.text
    log = read(text if isinstance(text, str) else decode(text), "sample")
    traces = explain(log, answer.report, (), (answer.entry,))[0].signatures
    trace = next(trace for trace in traces if trace.signature.id == name)
    if trace.elsewhere is not None:
        return f"the pattern matches only in the place `{trace.elsewhere}`, where it does not look"
    if not trace.rest:
        return "the pattern matches only in text that counts as mentioned or handled"
    if not trace.matched:
        return "no part of the pattern matches"
    return f"the pattern matches up to `{_short(trace.matched, last=True)}` and fails at `{_short(trace.rest)}`"


def _because(finding: Finding) -> str:
    """The conditions that lowered or ruled out a finding."""
    unknown = [reason.condition for reason in finding.reasons if reason.holds is None and not reason.rules_out]
    against = [reason for reason in finding.reasons if reason.holds is reason.rules_out]
    said = [f"{reason.condition} ({reason.fact}={reason.value})" if reason.value else reason.condition for reason in against]
    if said:
        return f": against it stands {listed(said)}"
    return f": not known whether {listed(unknown)}" if unknown else ""


def _short(text: str, last: bool = False) -> str:
    plain = " ".join(text.split())
    if len(plain) <= 80:
        return plain
    return f"…{plain[-80:]}" if last else f"{plain[:80]}…"
