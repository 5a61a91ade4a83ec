"""What a report says, as Markdown sentences in one language: why a finding is what it is, and what stands beside it."""

from collections.abc import Iterable, Iterator, Sequence

from .escape import code_span, escaped, one_line
from .expressions import expression
from .filling import Marked
from .model import Affects, Kind, Level, Place, Signature
from .report import Ask, Fact, Finding, Hit, Missing, Nearest, Reason, Report, Skipped, Unknown, Verdict, VersionStatus
from .templates import is_label
from .words import Words

__all__ = ["ReportWords", "is_about_facts"]

_MOST_RANKS = 6
_MOST_LINES = 8
_FEW_SKIPPED = 3  # signatures or facts that were skipped for the same reason, each told by its name
_LONGEST_MESSAGE = 300
_NOT_FACTS = ("frames", "messages")
_NUMBER = expression(r"[0-9]+")
_WORD = expression(r"[a-z]+")


class ReportWords(Words):
    """The sentences about a report; what stands in another log than `source` is told with that log's name."""

    source: str = ""

    def at(self, line: int, source: str = "", key: str = "line.at") -> Marked:
        """A line of the log: "line 12", or "`other.log:12`"."""
        elsewhere = source not in ("", self.source, "caller", "capture")
        return self.say("line.file" if elsewhere else key, line=line, source=source)

    def headline(self, report: Report) -> Marked:
        """The verdict and what it is about, in one line."""
        if report.verdict == Verdict.UNKNOWN or not report.findings:
            return self.say("head.source", head=self.say(f"head.{report.verdict}"), source=Marked(code_span(report.source)))
        first = report.findings[0]
        key = {Verdict.KNOWN: str(first.level), Verdict.CLEAN: "benign"}.get(report.verdict, str(report.verdict))
        return self.say("head.title", head=self.say(f"head.{key}"), title=self.title(first.entry, first))

    def lead(self, report: Report) -> Finding | None:
        """The finding whose article is the answer; none beside a failure that no entry explains: shells and harmless lines do not help."""
        return report.findings[0] if report.findings and report.verdict != Verdict.UNKNOWN else None

    def beside(self, report: Report) -> tuple[Finding, ...]:
        """The findings that get one line each."""
        return report.findings[1:] if self.lead(report) else report.findings

    def level(self, finding: Finding) -> Marked:
        return self.say("kind.benign" if finding.entry.kind == Kind.BENIGN else f"level.{finding.level}")

    # --- the proof ---------------------------------------------------------------------------------------------------------------

    def where(self, finding: Finding) -> Marked:
        """The place of the proof: file, line, and the ranks or the process that printed it."""
        hit = finding.hits[0]
        at = Marked(code_span(f"{hit.source}:{hit.line}"))
        spread = self.spread(finding)
        if spread:
            return self.say("proof.spread", at=at, spread=spread)
        return self.say("proof.process", at=at, process=hit.process) if hit.process else at

    def spread(self, finding: Finding) -> Marked:
        """On how many ranks it shows: "8/8 ranks", or the rank that failed; "" when the log does not tell."""
        ranks, world = finding.ranks, finding.world
        if not ranks:
            return Marked("")
        listed = self._numbers(ranks, _MOST_RANKS)
        if not world and len(ranks) == 1:
            return self.say("spread.one", rank=ranks[0])
        if not world or world == 1:
            return self.say("spread.rank" if len(ranks) == 1 else "spread.ranks", rank=ranks[0], ranks=listed)
        if len(ranks) == world or len(ranks) > _MOST_RANKS:
            return self.say("spread.all", n=len(ranks), world=world)
        return self.say("spread.only" if len(ranks) == 1 else "spread.some", rank=ranks[0], ranks=listed, world=world)

    def repairs(self, finding: Finding) -> Marked:
        """What was undone to read the proving line; "" when it stood there as it is."""
        names = [name for repair in (finding.hits[0].repairs if finding.hits else ()) for name in repair.split("+")]
        said = (self.say_or(f"repair.{name.replace(' ', '-')}", name) for name in dict.fromkeys(names))
        return self.say("repair.line", repairs=self.join(said)) if names else Marked("")

    # --- why this level ----------------------------------------------------------------------------------------------------------

    def why(self, finding: Finding, others: Sequence[Finding] = (), rivals: str = "why.listed") -> Marked:
        """What the level rests on; "" where there is nothing to decide, as for an outer error that says what it is.

        `others` are the findings of its report; `rivals` is the label that tells of those on the same line.
        """
        clauses = [*self._of_words(finding, others, rivals), *self._of_reasons(finding.reasons)]
        return self.say("why.line", clauses=self.join(clauses, "join.clause")) if clauses else Marked("")

    def _of_words(self, finding: Finding, others: Sequence[Finding], rivals: str) -> list[Marked]:
        """What the words alone prove."""
        if finding.level == Level.POSSIBLE:
            return [self.say("why.shared")]
        if finding.level == Level.LIKELY:
            return [self.say("why.points")]
        if finding.entry.kind != Kind.CAUSE or (finding.hits and finding.hits[0].shared):
            return []
        if any(_same_line(finding, other) for other in others):
            return [self.say("why.signature"), self.say(rivals)]
        frame = bool(finding.hits) and finding.hits[0].place == Place.FRAME
        return [self.say("why.frame" if frame else "why.only")]

    def _of_reasons(self, reasons: Sequence[Reason]) -> list[Marked]:
        needed = [reason for reason in reasons if not reason.rules_out]
        facts = [reason for reason in needed if reason.holds and reason.fact not in _NOT_FACTS]
        logged = [self._fact(reason) for reason in facts if reason.line]
        said = [self._fact(reason) for reason in facts if not reason.line]
        unknown = [code_span(reason.condition) for reason in needed if reason.holds is None]
        out = [self.say("why.states", facts=self.join(logged))] if logged else []
        out += [self.say("why.said", facts=self.join(said))] if said else []
        out += [self.say(f"why.{reason.fact}") for reason in needed if reason.holds and reason.fact in _NOT_FACTS]
        return [*out, self.say("why.open", facts=self.join(unknown))] if unknown else out

    def _fact(self, reason: Reason) -> Marked:
        return self._stated(reason.fact, reason.value or "", reason.line or 0, reason.source)

    def _stated(self, fact: str, value: str, line: int, source: str = "") -> Marked:
        if not line:
            return self.say("fact.plain", fact=fact, value=value)
        return self.say("fact.at", fact=fact, value=value, at=self.at(line, source))

    def rank(self, finding: Finding) -> Marked:
        """The order's own explanation, from the first criterion to the last."""
        rank = finding.rank
        return self.say(
            "rank.line",
            kind=self.say(f"kind.{rank.kind}"),
            level=self.say(f"level.{rank.level}"),
            version=self.say("rank.version-surprise" if rank.version_surprise else "rank.version-ok"),
            unknown=self.say("rank.unknown", n=rank.unknown_requires),
            place=self.say("rank.place", n=rank.place),
            commonness=self.say(f"commonness.{rank.commonness}"),
        )

    # --- versions ----------------------------------------------------------------------------------------------------------------

    def version(self, finding: Finding) -> Marked:
        """What the stated version says about the finding; "" for an entry that names no versions."""
        affects = _judged(finding)
        if affects is None:
            return Marked("")
        after_fix = bool(finding.hits) and finding.hits[0].after_fix
        has_fix = finding.version == VersionStatus.HAS_FIX
        key = f"version.{_version_key(finding.version, after_fix)}"
        clauses = [self.say(key, package=affects.package, version=finding.affected_version or "?", introduced=affects.introduced or "?")]
        if affects.fixed and not (after_fix and has_fix):
            clauses.append(self.fixed(affects))
        if affects.fixed and finding.entry.fix_effect and not has_fix:
            clauses.append(self.say(f"effect.{finding.entry.fix_effect}"))
        return self.say("version.line", clauses=self.join(clauses, "join.clause"))

    # --- the others --------------------------------------------------------------------------------------------------------------

    def other_heading(self, report: Report) -> Marked:
        """Candidates for the same failure are "also possible"; what is sure of itself is another failure."""
        possible = all(finding.level == Level.POSSIBLE or finding.tell for finding in self.beside(report))
        return self.say("section.others" if possible else "section.also")

    def other(self, finding: Finding) -> Marked:
        kind = finding.entry.kind
        level = self.level(finding) if kind == Kind.CAUSE else self.say(f"kind.{kind}")
        return self.say("other.line", **self._titled(finding), level=level, at=self._at(finding.hits))

    def consequence(self, finding: Finding) -> Marked:
        at, spread = self._at(finding.hits), self.spread(finding)
        return self.say("consequence.line", **self._titled(finding), at=self.say("proof.spread", at=at, spread=spread) if spread else at)

    def ruled_out(self, finding: Finding) -> Marked:
        """The entry, and the conditions that decide against it."""
        against = [reason for reason in finding.reasons if (reason.holds is True if reason.rules_out else reason.holds is False)]
        why = self.join(dict.fromkeys(self._against(reason) for reason in against), "join.clause")
        return self.say("ruled_out.line", **self._titled(finding), why=why or self.say("level.ruled_out"))

    def _against(self, reason: Reason) -> Marked:
        key = "reason.against" if reason.rules_out else "reason.fails"
        if reason.fact in _NOT_FACTS:
            return self.say(f"{key}-{reason.fact}")
        return self.say(key, condition=reason.condition, fact=self._fact(reason))

    def _titled(self, finding: Finding) -> dict[str, Marked]:
        return {"title": self.title(finding.entry, finding), "id": Marked(code_span(finding.entry.id))}

    def _at(self, hits: Sequence[Hit]) -> Marked:
        if not hits:
            return Marked("")
        at = self.at(hits[0].line, hits[0].source)
        return self.say("line.times", at=at, more=len(hits) - 1, n=len(hits)) if len(hits) > 1 else at

    def ask(self, ask: Ask) -> Marked:
        key = "ask.line" if len(ask.decides_between) > 1 else "ask.one"
        return self.say(key, fact=ask.fact, entries=self.ids(ask.decides_between))

    # --- what no entry explains --------------------------------------------------------------------------------------------------

    def unknown_says(self, report: Report) -> Marked:
        return self.say("unknown.excluded" if report.ruled_out else "unknown.says", entries=report.book.entries)

    def clean_says(self, report: Report) -> Marked:
        return self.say("clean.says", source=Marked(code_span(report.source)), entries=report.book.entries)

    def unknown(self, unknown: Unknown) -> Marked:
        """The failure with its line; its message is log text."""
        name = unknown.exception
        if name in unknown.message and not name.endswith(("Error", "Exception")):
            name = ""  # words of the line itself: `Segmentation fault (core dumped)`
        text = one_line(": ".join(part for part in (name, unknown.message) if part.strip()), _LONGEST_MESSAGE)
        error = Marked(code_span(text)) if text else self.say("unknown.cut")
        return self.say("unknown.line", at=self.at(unknown.line, unknown.source), error=error)

    def unknown_about(self, unknown: Unknown) -> Marked:
        parts = [self.say("unknown.fingerprint", fingerprint=unknown.fingerprint)]
        if unknown.frames:
            parts.append(self.say("unknown.frames", frames=self.ids(unknown.frames[-1:])))
        return self.join(parts, "join.clause")

    def nearest(self, nearest: Nearest) -> Marked:
        if not nearest.because:
            return self.say("unknown.near", id=Marked(code_span(nearest.entry)))
        return self.say("unknown.nearest", id=Marked(code_span(nearest.entry)), because=Marked(code_span(nearest.because)))

    def missing(self, missing: Missing) -> Marked:
        """The missing part in words; a key without a label stands for itself."""
        key = f"missing.{missing.what}"
        if not is_label(key):
            key = "missing.plain"
        return self.say(key, what=missing.what, at=self.at(missing.line, missing.source, "line.first"))

    def facts(self, facts: Iterable[Fact]) -> Marked:
        """The last value of each fact, in the order of the names."""
        last = {fact.name: fact for fact in facts}
        ordered = [last[name] for name in sorted(last)]
        return self.join(self._stated(fact.name, fact.value, fact.line, fact.source) for fact in ordered)

    def skipped(self, skipped: Skipped) -> Marked:
        key = "skipped.at" if skipped.line else "skipped.line"
        known = _reason_key(skipped.reason)
        number = _NUMBER.search(skipped.reason)
        reason = self.say(known, n=number[0] if number else "") if is_label(known) else Marked(escaped(skipped.reason))
        return self.say(key, what=skipped.what, at=self.at(skipped.line), reason=reason)

    def left_out(self, skipped: Iterable[Skipped]) -> Iterator[Marked]:
        """All that was skipped, one line each; what happened to many signatures or facts alike is one line."""
        alike: dict[str | Skipped, list[Skipped]] = {}
        for each in skipped:
            alike.setdefault(_shared_key(each) or each, []).append(each)
        for key, group in alike.items():
            names = {each.what for each in group}
            if isinstance(key, str) and len(names) > _FEW_SKIPPED:
                numbers = [int(number[0]) for each in group if (number := _NUMBER.search(each.reason))]
                yield self.say(key, of=len(names), n=min(numbers, default=0), sum=sum(numbers))
            else:
                yield from map(self.skipped, group)

    # --- why an entry was found, or was not ----------------------------------------------------------------------------------------

    def reason(self, reason: Reason) -> Marked:
        """One condition, and what the log says about it."""
        if reason.holds is None:
            return self.say("reason.open", condition=reason.condition)
        key = ("reason.holds" if reason.holds else "reason.not") + ("" if reason.value else "-bare")
        return self.say(key, condition=reason.condition, fact=self._fact(reason))

    def hit(self, hit: Hit) -> Marked:
        return self.say("explain.hit", line=hit.line, status=self.say(f"hit.{hit.status}"))

    def place(self, signature: Signature) -> Marked:
        places = (Place.MESSAGE, Place.EXCEPTION) if signature.place is None else (signature.place,)
        return self.join(self.say(f"place.{place}") for place in places)

    def numbers(self, lines: Sequence[int]) -> Marked:
        return self.say("explain.lines", numbers=self._numbers(lines, _MOST_LINES))

    def _numbers(self, numbers: Sequence[int], most: int) -> Marked:
        return Marked(self.join(Marked(number) for number in numbers[:most]) + (" …" if len(numbers) > most else ""))

    def code(self, text: str) -> Marked:
        return Marked(code_span(text))


def _same_line(finding: Finding, other: Finding) -> bool:
    """Whether another cause was found by the line that proves this one: then no words are its own alone."""
    places = {(hit.source, hit.line) for hit in finding.hits[:1]}
    rival = other.entry.kind == Kind.CAUSE and other.entry.id != finding.entry.id
    return rival and any((hit.source, hit.line) in places for hit in other.hits)


def _reason_key(reason: str) -> str:
    """The label of a reason why something was skipped: its words; a number stands as `n`. What the system says of a file has none."""
    return "skip." + "-".join(_WORD.findall(_NUMBER.sub("n", reason.lower())))


def _shared_key(skipped: Skipped) -> str:
    """The label that tells of many what is told of this one; "" where each counts, as files do."""
    kind = "facts" if skipped.what.startswith(("fact:", "messages:")) else "signatures" if "#" in skipped.what else ""
    key = f"skips.{kind}.{_reason_key(skipped.reason).removeprefix('skip.')}"
    return key if is_label(key) else ""


def is_about_facts(skipped: Skipped) -> bool:
    """Whether only facts and conditions were not looked for: no cause is missed by that."""
    return _shared_key(skipped).startswith("skips.facts.")


def _judged(finding: Finding) -> Affects | None:
    """The line of `affects` that the status speaks of: the package whose version is stated, else the first."""
    affects = finding.entry.affects
    known = (a for a in affects if f"{a.package.replace('-', '_').lower()}_version" in finding.facts)
    return next(iter((*known, *affects)), None)


def _version_key(status: VersionStatus, after_fix: bool) -> str:
    if after_fix and status == VersionStatus.HAS_FIX:
        return "expected"
    if after_fix and status == VersionStatus.AFFECTED:
        return "early"
    return str(status)
