"""Hits and facts → the report: which entry is the cause, how sure that is, what follows from it, and what to look up.

A hit in a message that is only mentioned or was handled never makes a finding.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod

from . import conditions, versions
from .facts import FACTS, Lookup, kind_of, lookup_for
from .missing import missing_parts
from .model import Entry, Kind, Level, Place
from .report import Ask, BookInfo, Fact, Finding, Hit, Log, MessageStatus, Rank, Reason, Report, Skipped, Unknown, Verdict, VersionStatus
from .unknown import unexplained
from .value import Value, replace
from .vocabulary import Vocabulary

__all__ = ["judge_level", "triage", "verdict_of"]

_MOST_ASKS = 3
_OF_A_TRACEBACK = (Place.FRAME, Place.SOURCE)


def triage(
    entries: Mapping[str, Entry],
    hits: Sequence[Hit],
    facts: Sequence[Fact],
    log: Log,
    book: BookInfo,
    skipped: Sequence[Skipped],
    vocabulary: Callable[[], Vocabulary] | None = None,
) -> Report:
    """The answer to one log; `entries` by id, `facts` with those of the caller. Without a `vocabulary` it is made of the entries."""
    counted = [hit for hit in hits if hit.entry in entries and hit.status not in (MessageStatus.MENTIONED, MessageStatus.HANDLED)]
    found = _findings(entries, counted, facts, log)
    ruled_out = [finding for finding in found if finding.level is Level.RULED_OUT]
    standing = [finding for finding in found if finding.level is not Level.RULED_OUT]
    findings, consequences = _split(standing)
    unknown = unexplained(log, standing, ruled_out, vocabulary or (lambda: Vocabulary.of(entries.values())))
    verdict = verdict_of(findings, unknown)
    return Report(
        book=book,
        source=log.name,
        verdict=verdict,
        findings=_told_apart(findings, findings),
        consequences=_told_apart(findings, consequences),
        ruled_out=_told_apart(findings, ruled_out),
        ask=_asks(findings, facts),
        unknown=unknown,
        facts=tuple(facts),
        missing=missing_parts(log, verdict, (*findings, *consequences), facts),
        skipped=tuple(skipped),
    )


def judge_level(shared: bool, requires: Sequence[Reason], rules_out: Sequence[Reason]) -> Level:
    """The one rule for all entries: see `Levels` in docs/entry-format.md."""
    if any(reason.holds is True for reason in rules_out) or any(reason.holds is False for reason in requires):
        return Level.RULED_OUT
    decided = all(reason.holds for reason in requires)
    if decided and (requires or not shared):
        return Level.CONFIRMED
    return Level.POSSIBLE if shared else Level.LIKELY


# --- one entry --------------------------------------------------------------------------------------------------------------------


class _Judged(Value):
    """One hit with what the facts of its run say about it."""

    hit: Hit
    level: Level
    reasons: tuple[Reason, ...]
    look: Lookup

    @property
    def open(self) -> int:
        return sum(reason.holds is None for reason in self.reasons if not reason.rules_out)


def _findings(entries: Mapping[str, Entry], hits: Sequence[Hit], facts: Sequence[Fact], log: Log) -> list[Finding]:
    by_entry: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_entry[hit.entry].append(hit)
    last = max((hit.episode for hit in hits), default=0)
    found = [_finding(entries[id], own, facts, log, last) for id, own in by_entry.items()]
    return sorted(found, key=lambda finding: (finding.rank, finding.entry.id))


def _finding(entry: Entry, hits: Sequence[Hit], facts: Sequence[Fact], log: Log, last: int) -> Finding:
    """The best hit of the entry's last episode decides: what an earlier run was started with says nothing about the last one."""
    own_last = max(hit.episode for hit in hits)
    judged = [_judge(entry, hit, facts, log) for hit in hits]
    candidates = [each for each in judged if each.hit.episode == own_last]
    # Words prove better than the frame above them, and only they capture values.
    best = min(candidates, key=lambda each: (each.level, each.open, each.hit.place in _OF_A_TRACEBACK, each.hit.message, each.hit.column))
    kept = [each.hit for each in judged if each is not best and (each.level is not Level.RULED_OUT or best.level is Level.RULED_OUT)]
    status, stated = versions.judge(entry.affects, best.look)
    ranks = tuple(sorted({hit.rank for hit in (best.hit, *kept) if hit.rank is not None and hit.episode == own_last}))
    return Finding(
        entry=entry,
        level=best.level,
        version=status,
        rank=_rank(entry, best, status, [best.hit, *kept], log, last),
        hits=(best.hit, *kept),
        reasons=best.reasons,
        facts=_values(facts, best.look),
        affected_version=stated,
        ranks=ranks,
        world=_world(best.look, ranks),
    )


def _judge(entry: Entry, hit: Hit, facts: Sequence[Fact], log: Log) -> _Judged:
    look = lookup_for(hit, facts)
    requires = conditions.judge(entry.requires, False, hit, log, look)
    rules_out = conditions.judge(entry.rules_out, True, hit, log, look)
    return _Judged(hit, judge_level(hit.shared, requires, rules_out), (*requires, *rules_out), look)


def _rank(entry: Entry, best: _Judged, status: VersionStatus, hits: Iterable[Hit], log: Log, last: int) -> Rank:
    unlikely = (VersionStatus.AFFECTED, VersionStatus.PREDATES) if best.hit.after_fix else (VersionStatus.HAS_FIX, VersionStatus.PREDATES)
    in_last = [hit.line for hit in hits if hit.episode == last]
    # What failed only in an earlier episode comes after everything of the last one.
    place = min(in_last) if in_last else best.hit.line + (log.line_numbers[-1] if log.line_numbers else 0)
    return Rank(entry.kind, best.level, status in unlikely, best.open, place, entry.commonness)


def _values(facts: Iterable[Fact], look: Lookup) -> dict[str, str]:
    values = {}
    for name in dict.fromkeys(fact.name for fact in facts):
        fact = look(name)
        if fact is not None:
            values[name] = fact.value
    return values


def _world(look: Lookup, ranks: Sequence[int]) -> int | None:
    """Of how many ranks: what the log states, else the product of the parallel sizes; None without either or when it does not fit.

    The largest rank that speaks tells nothing: an excerpt seldom holds them all.
    """
    stated = look("world_size")
    sizes = [look(name) for name in ("tensor_parallel_size", "pipeline_parallel_size")]
    if stated is None and not any(sizes):
        return None
    world = prod(map(_count, sizes)) if stated is None else _count(stated)
    return world if world > max(ranks, default=-1) and world > 0 else None


def _count(fact: Fact | None) -> int:
    return int(fact.value) if fact is not None and fact.value.isdigit() else 1


# --- all entries together ---------------------------------------------------------------------------------------------------------


def _split(standing: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Findings and consequences: a shell or cascade beside a cause of its episode, and what a more special entry of it refines."""
    caused = {finding.hits[0].episode for finding in standing if finding.entry.kind is Kind.CAUSE}
    findings: list[Finding] = []
    consequences: list[Finding] = []
    for finding in standing:
        follows = finding.entry.kind in (Kind.WRAPPER, Kind.CASCADE) and finding.hits[0].episode in caused
        refined = any(_refines(other, finding) for other in standing)
        (consequences if follows or refined else findings).append(finding)
    return findings, consequences


def _refines(special: Finding, general: Finding) -> bool:
    """A special entry that is less sure than the general one does not push it aside."""
    same_episode = special.hits[0].episode == general.hits[0].episode
    return general.entry.id in special.entry.refines and same_episode and special.level <= general.level


def _told_apart(findings: Sequence[Finding], some: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings with what tells each from the first one, in that entry's words."""
    if not findings:
        return tuple(some)
    tells = {sibling.entry: {"en": sibling.tell.en, "zh": sibling.tell.zh} for sibling in findings[0].entry.siblings}
    return tuple(replace(finding, tell=tells[finding.entry.id]) if finding.entry.id in tells else finding for finding in some)


def _asks(findings: Sequence[Finding], facts: Sequence[Fact]) -> tuple[Ask, ...]:
    """Facts that would decide between the first finding and the others; none when the first is confirmed.

    What more entries require comes first; what would only rule an entry out comes last.
    """
    if not findings or findings[0].level is Level.CONFIRMED:
        return ()
    decides: dict[str, dict[str, None]] = {}
    weight: dict[str, int] = defaultdict(int)
    for finding in findings:
        if finding.level is Level.CONFIRMED or finding.entry.kind is Kind.BENIGN:
            continue
        look = lookup_for(finding.hits[0], facts)
        for part in (finding.entry.requires, finding.entry.rules_out):
            for name in conditions.unknown_facts(part, look):
                decides.setdefault(name, {})[finding.entry.id] = None
                weight[name] += 100 if part is finding.entry.requires else 1
    order = sorted(decides, key=lambda name: -weight[name])
    return tuple(Ask(name, tuple(decides[name]), _command(name)) for name in order[:_MOST_ASKS])


def _command(name: str) -> str:
    kind = FACTS.get(name) or kind_of(name)
    return kind.command if kind else ""


def verdict_of(findings: Sequence[Finding], unknown: Sequence[Unknown]) -> Verdict:
    """Of a whole log, by what was found in it and what no entry explains."""
    kinds = {finding.entry.kind for finding in findings}
    if Kind.CAUSE in kinds:
        return Verdict.KNOWN
    if unknown:
        return Verdict.UNKNOWN
    return Verdict.WRAPPER if kinds & {Kind.WRAPPER, Kind.CASCADE} else Verdict.CLEAN
