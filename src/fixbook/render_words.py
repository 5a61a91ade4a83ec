"""What a report says, as Markdown sentences in one language; the formats make text, HTML or Markdown of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .escape import code_span, fence_for
from .model import Affects, Block, Entry, Lang, Level, Place
from .filling import Marked, Values, fill, fill_command, tidy
from .report import Finding, Hit, Reason, Report, VersionStatus
from .templates import label, labels

__all__ = ["Words", "values_of"]

_MOST_RANKS = 6


def values_of(entry: Entry, lang: Lang, finding: Finding | None = None) -> Values:
    """What fills the entry's placeholders: captures of the proving hit, then facts; without them the entry's own words."""
    words = {name: text.get(lang) for name, text in entry.names.items()}
    if finding is None:
        return Values(words=words)
    captures = finding.hits[0].captures if finding.hits else {}
    known = {**finding.facts, **{name: value for name, value in captures.items() if value}}
    return Values(known=known, words=words)


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language."""

    lang: Lang

    def say(self, key: str, /, **values: object) -> Marked:
        """A label with its placeholders filled; a value that is not Markdown already is escaped."""
        known = {name: value if isinstance(value, str) else str(value) for name, value in values.items()}
        return fill(label(key, self.lang), Values(known=known))

    def prose(self, markdown: str, values: Values) -> Marked:
        """A text of the book, filled."""
        return Marked(tidy(fill(markdown, values)) if self.lang == "zh" else fill(markdown, values))

    def join(self, parts: Iterable[str], key: str = "join.and") -> Marked:
        """The parts as a list in the language's own punctuation."""
        whole = Marked("")
        for part in parts:
            whole = self.say(key, a=whole, b=Marked(part)) if whole else Marked(part)
        return whole

    # --- entries -----------------------------------------------------------------------------------------------------------------

    def title(self, entry: Entry, finding: Finding | None = None) -> Marked:
        return self.prose(entry.title.get(self.lang).strip(), values_of(entry, self.lang, finding))

    def summary(self, entry: Entry, finding: Finding | None = None) -> Marked:
        return self.prose(entry.summary.get(self.lang).strip(), values_of(entry, self.lang, finding))

    def section(self, entry: Entry, name: str, finding: Finding | None = None) -> Marked:
        """A section as Markdown, "" when the entry does not have it; several steps are numbered."""
        blocks = entry.sections.get(name, ())
        values = values_of(entry, self.lang, finding)
        numbered = name == "steps" and len(blocks) > 1
        parts = (self._block(block, values, f"{n}. " if numbered else "") for n, block in enumerate(blocks, 1))
        return Marked("\n\n".join(parts))

    def _block(self, block: Block, values: Values, marker: str) -> str:
        text = self.prose(block.text.get(self.lang).strip(), values)
        if block.run:
            text = Marked(f"{text}\n\n{self.command(block.run, values)}")
        if not marker:
            return text
        inner = text.replace("\n", "\n" + " " * len(marker))
        return marker + "\n".join(line.rstrip() for line in inner.split("\n"))

    def command(self, command: str, values: Values | None = None) -> Marked:
        """A shell command as a fenced block."""
        code = fill_command(command, values) if values else command
        code = code.strip("\n")
        return Marked(f"{fence_for(code)}bash\n{code}\n{fence_for(code)}")

    def affects(self, affects: Affects) -> Marked:
        """One line of the table of versions."""
        name = self.say(f"affects.{'introduced' if affects.introduced else 'any'}", package=affects.package, introduced=affects.introduced)
        fixed = self.fixed(affects)
        return self.say("affects.fixed", package=name, fixed=fixed) if fixed else self.say("affects.unfixed", package=name)

    def fixed(self, affects: Affects) -> Marked:
        if not affects.fixed:
            return Marked("")
        key = "fixed.release" if affects.first_release and affects.first_release != affects.fixed else "fixed.in"
        return self.say(key, fixed=affects.fixed, first_release=affects.first_release)

    # --- findings ----------------------------------------------------------------------------------------------------------------

    def level(self, finding: Finding) -> Marked:
        return self.say(f"level.{finding.level}" if finding.entry.kind != "benign" else "kind.benign")

    def spread(self, finding: Finding) -> Marked:
        """On how many ranks it shows: "8/8 ranks", or the rank that failed; "" when the log does not tell."""
        ranks, world = finding.ranks, finding.world
        if not ranks:
            return Marked("")
        shown = ", ".join(map(str, ranks[:_MOST_RANKS])) + (" …" if len(ranks) > _MOST_RANKS else "")
        listed = Marked(shown)
        if world and world > 1:
            if len(ranks) == world or len(ranks) > _MOST_RANKS:
                return self.say("spread.all", n=len(ranks), world=world)
            key = "spread.only" if len(ranks) == 1 else "spread.some"
            return self.say(key, rank=ranks[0], ranks=listed, world=world)
        return self.say("spread.rank" if len(ranks) == 1 else "spread.ranks", rank=ranks[0], ranks=listed)

    def where(self, finding: Finding) -> Marked:
        """The place of the proof: file, line, process, ranks."""
        hit = finding.hits[0]
        at = Marked(code_span(f"{hit.source}:{hit.line}"))
        spread = self.spread(finding)
        if spread:
            return self.say("proof.spread", at=at, spread=spread)
        return self.say("proof.process", at=at, process=hit.process) if hit.process else self.say("proof.at", at=at)

    def why(self, finding: Finding) -> Marked:
        """The level with what it rests on."""
        clauses = [*self._of_words(finding), *self._of_reasons(finding.reasons)]
        return self.say("why.line", level=self.level(finding), clauses=self.join(clauses, "join.clause"))

    def _of_words(self, finding: Finding) -> list[Marked]:
        hit = finding.hits[0] if finding.hits else None
        if finding.level == Level.CONFIRMED:
            if any(reason.holds and not reason.rules_out for reason in finding.reasons):
                return []
            return [self.say("why.frames" if hit and hit.place in (Place.FRAME, Place.SOURCE) else "why.only")]
        return [self.say("why.points" if finding.level == Level.LIKELY else "why.shared")]

    def _of_reasons(self, reasons: Sequence[Reason]) -> list[Marked]:
        needed = [reason for reason in reasons if not reason.rules_out]
        facts = [reason for reason in needed if reason.holds and reason.fact not in ("frames", "messages")]
        logged = [self._fact(reason) for reason in facts if reason.line]
        said = [self._fact(reason) for reason in facts if not reason.line]
        out = [self.say("why.states", facts=self.join(logged))] if logged else []
        out += [self.say("why.said", facts=self.join(said))] if said else []
        out += [self.say("why.traceback") for reason in needed if reason.holds and reason.fact == "frames"]
        out += [self.say("why.messages") for reason in needed if reason.holds and reason.fact == "messages"]
        unknown = [code_span(reason.condition) for reason in needed if reason.holds is None]
        return [*out, self.say("why.open", facts=self.join(unknown))] if unknown else out

    def _fact(self, reason: Reason) -> Marked:
        key = "fact.at" if reason.line else "fact.plain"
        return self.say(key, fact=reason.fact, value=reason.value or "", line=reason.line)

    def ruled_out(self, finding: Finding) -> Marked:
        """Why the entry is not it: the conditions that decide against it."""
        against = (r for r in finding.reasons if (r.holds is True if r.rules_out else r.holds is False))
        return self.join((self._against(reason) for reason in against), "join.clause")

    def _against(self, reason: Reason) -> Marked:
        key = "reason.against" if reason.rules_out else "reason.fails"
        if reason.fact in ("frames", "messages"):
            return self.say(f"{key}-{reason.fact}")
        return self.say(key, condition=reason.condition, fact=self._fact(reason))

    # --- versions ----------------------------------------------------------------------------------------------------------------

    def version(self, finding: Finding) -> Marked:
        """What the stated version says about the finding; "" for an entry that names no versions."""
        affects = self._judged(finding)
        if affects is None:
            return Marked("")
        after_fix = bool(finding.hits) and finding.hits[0].after_fix
        key = _version_key(finding.version, after_fix)
        clauses = [self.say(key, package=affects.package, version=finding.affected_version or "?", introduced=affects.introduced or "?")]
        if affects.fixed and not (after_fix and finding.version == VersionStatus.HAS_FIX):
            clauses.append(self.fixed(affects))
        if finding.entry.fix_effect not in (None, "repairs") and affects.fixed and finding.version != VersionStatus.HAS_FIX:
            clauses.append(self.say(f"effect.{finding.entry.fix_effect}"))
        return self.say("version.line", clauses=self.join(clauses, "join.clause"))

    def _judged(self, finding: Finding) -> Affects | None:
        """The line of `affects` that the status speaks of: the package whose version the log states, else the first."""
        affects = finding.entry.affects
        stated = {f"{a.package.replace('-', '_').lower()}_version": a for a in affects}
        known = [a for name, a in stated.items() if name in finding.facts]
        return next(iter((*known, *affects)), None)

    # --- the rest ----------------------------------------------------------------------------------------------------------------

    def line(self, hits: Sequence[Hit]) -> Marked:
        if len(hits) > 1:
            return self.say("line.times", line=hits[0].line, n=len(hits) - 1)
        return self.say("line.at", line=hits[0].line)

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

    def repairs(self, finding: Finding) -> Marked:
        """What was undone to read the proving line; "" when it stood there as it is."""
        names = [name for repair in (finding.hits[0].repairs if finding.hits else ()) for name in repair.split("+")]
        if not names:
            return Marked("")
        return self.say("repair.line", repairs=self.join(self._known(f"repair.{name.replace(' ', '-')}", name) for name in dict.fromkeys(names)))

    def missing(self, what: str, line: int) -> Marked:
        """The missing part in words; a key without a label stands for itself."""
        key = f"missing.{what}"
        return self.say(key, line=line) if key in labels() else self.say("missing.plain", what=what, line=line)

    def _known(self, key: str, name: str) -> Marked:
        return self.say(key) if key in labels() else Marked(code_span(name))

    def ids(self, ids: Iterable[str]) -> Marked:
        return self.join(map(code_span, ids))

    def other_heading(self, report: Report) -> Marked:
        """Candidates for the same failure are "also possible"; what is sure of itself is another failure."""
        possible = all(finding.level == Level.POSSIBLE or finding.tell for finding in report.findings[1:])
        return self.say("section.others" if possible else "section.also")


def _version_key(status: VersionStatus, after_fix: bool) -> str:
    if after_fix and status == VersionStatus.HAS_FIX:
        return "version.expected"
    if after_fix and status == VersionStatus.AFFECTED:
        return "version.early"
    return f"version.{status}"
