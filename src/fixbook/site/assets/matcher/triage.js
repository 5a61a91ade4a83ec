// Hits and facts → the report: which entry is the cause, how sure that is, what follows from it, and what to look up.

import { judge, unknownFacts } from "./conditions.js";
import { kindOf } from "./fact_values.js";
import { lookupFor } from "./facts.js";
import { missingParts } from "./missing.js";
import { tables } from "./tables.js";
import { compare, isDigits } from "./text.js";
import { unexplained } from "./unknown.js";
import { judgeVersion } from "./versions.js";

const KINDS = ["cause", "wrapper", "cascade", "benign"];
const LEVELS = ["confirmed", "likely", "possible", "ruled_out"];
const COMMONNESS = ["common", "usual", "rare"];

/** The answer to one log; `facts` with those of the caller. */
export function triage(entries, hits, facts, log) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const found = makeFindings(byId, hits.filter((hit) => hit.status !== "mentioned" && hit.status !== "handled"), facts, log);
  const ruledOut = found.filter((finding) => finding.level === "ruled_out");
  const standing = found.filter((finding) => finding.level !== "ruled_out");
  const [findings, consequences] = split(standing);
  const unknown = unexplained(log, standing, ruledOut, entries);
  const verdict = verdictOf(findings, unknown);
  return {
    verdict,
    findings: toldApart(findings, findings),
    consequences: toldApart(findings, consequences),
    ruledOut: toldApart(findings, ruledOut),
    ask: asks(findings, facts),
    unknown,
    facts,
    missing: missingParts(log, verdict, [...findings, ...consequences], facts),
  };
}

/** The one rule for all entries. */
function judgeLevel(isShared, requires, rulesOut) {
  if (rulesOut.some((reason) => reason.holds === true) || requires.some((reason) => reason.holds === false)) return "ruled_out";
  if (requires.every((reason) => reason.holds) && (requires.length || !isShared)) return "confirmed";
  return isShared ? "possible" : "likely";
}

// --- one entry

function makeFindings(byId, hits, facts, log) {
  const byEntry = new Map();
  for (const hit of hits) {
    if (!byEntry.has(hit.entry)) byEntry.set(hit.entry, []);
    byEntry.get(hit.entry).push(hit);
  }
  const last = Math.max(0, ...hits.map((hit) => hit.episode));
  const found = [...byEntry].map(([id, own]) => makeFinding(byId.get(id), own, facts, log, last));
  const key = ({ rank, entry }) => [
    KINDS.indexOf(rank.kind), LEVELS.indexOf(rank.level), rank.version_surprise, rank.unknown_requires, rank.place,
    COMMONNESS.indexOf(rank.commonness), entry.id,
  ];
  return found.sort((left, right) => compare(key(left), key(right)));
}

/** The best hit of the entry's last episode decides: what an earlier run was started with says nothing about the last one. */
function makeFinding(entry, hits, facts, log, last) {
  const ownLast = Math.max(...hits.map((hit) => hit.episode));
  const judged = hits.map((hit) => judgeHit(entry, hit, facts, log));
  // Words prove better than the frame above them, and only they capture values.
  const ofTraceback = (hit) => Number(hit.place === "frame" || hit.place === "source");
  const key = ({ level, open, hit }) => [LEVELS.indexOf(level), open, ofTraceback(hit), hit.message, hit.column];
  const candidates = judged.filter((each) => each.hit.episode === ownLast);
  const best = candidates.reduce((first, each) => (compare(key(each), key(first)) < 0 ? each : first));
  const kept = judged.filter((each) => each !== best && (each.level !== "ruled_out" || best.level === "ruled_out"));
  const all = [best.hit, ...kept.map((each) => each.hit)];
  const [version, stated] = judgeVersion(entry.affects, best.look);
  const spoke = all.filter((hit) => hit.rank !== null && hit.episode === ownLast).map((hit) => hit.rank);
  const ranks = [...new Set(spoke)].sort((left, right) => left - right);
  return {
    entry,
    level: best.level,
    version,
    rank: rankOf(entry, best, version, all, log, last),
    hits: all,
    reasons: best.reasons,
    facts: valuesOf(facts, best.look),
    affectedVersion: stated,
    ranks,
    world: worldOf(best.look, ranks),
    tell: {},
  };
}

function judgeHit(entry, hit, facts, log) {
  const look = lookupFor(hit, facts);
  const requires = judge(entry.requires, false, hit, log, look);
  const rulesOut = judge(entry.rulesOut, true, hit, log, look);
  const open = requires.filter((reason) => reason.holds === null).length;
  return { hit, level: judgeLevel(hit.shared, requires, rulesOut), reasons: [...requires, ...rulesOut], look, open };
}

function rankOf(entry, best, version, hits, log, last) {
  const unlikely = best.hit.afterFix ? ["affected", "predates"] : ["has_fix", "predates"];
  const lines = hits.filter((hit) => hit.episode === last).map((hit) => hit.line);
  return {
    kind: entry.kind,
    level: best.level,
    version_surprise: unlikely.includes(version),
    unknown_requires: best.open,
    // What failed only in an earlier episode comes after everything of the last one.
    place: lines.length ? Math.min(...lines) : best.hit.line + log.lastLine,
    commonness: entry.commonness,
  };
}

function valuesOf(facts, look) {
  const names = [...new Set(facts.map((fact) => fact.name))];
  return Object.fromEntries(names.map((name) => [name, look(name)]).filter(([, fact]) => fact !== null).map(([name, fact]) => [name, fact.value]));
}

/** Of how many ranks: what the log states, else the product of the parallel sizes; null without either or when it does not fit. */
function worldOf(look, ranks) {
  const stated = look("world_size");
  const sizes = [look("tensor_parallel_size"), look("pipeline_parallel_size")];
  if (stated === null && sizes.every((size) => size === null)) return null;
  const world = stated === null ? countOf(sizes[0]) * countOf(sizes[1]) : countOf(stated);
  return world > Math.max(-1, ...ranks) && world > 0 ? world : null;
}

function countOf(fact) {
  return fact !== null && isDigits(fact.value) ? Number(fact.value) : 1;
}

// --- all entries together

/** Findings and consequences: a shell or cascade beside a cause of its episode, and what a more special entry of it refines. */
function split(standing) {
  const caused = new Set(standing.filter((finding) => finding.entry.kind === "cause").map((finding) => finding.hits[0].episode));
  const isConsequence = (finding) => {
    const isShell = finding.entry.kind === "wrapper" || finding.entry.kind === "cascade";
    return (isShell && caused.has(finding.hits[0].episode)) || standing.some((other) => refines(other, finding));
  };
  return [standing.filter((finding) => !isConsequence(finding)), standing.filter(isConsequence)];
}

/** A special entry that is less sure than the general one does not push it aside. */
function refines(special, general) {
  const isSurer = LEVELS.indexOf(special.level) <= LEVELS.indexOf(general.level);
  return special.entry.refines.includes(general.entry.id) && special.hits[0].episode === general.hits[0].episode && isSurer;
}

/** The findings with what tells each from the first one, in that entry's words. */
function toldApart(findings, some) {
  const tells = findings.length ? findings[0].entry.tells : {};
  return some.map((finding) => (Object.hasOwn(tells, finding.entry.id) ? { ...finding, tell: tells[finding.entry.id] } : finding));
}

/** Facts that would decide between the first finding and the others; none when the first is confirmed. */
function asks(findings, facts) {
  if (!findings.length || findings[0].level === "confirmed") return [];
  const decides = new Map();
  const weight = new Map();
  for (const { entry, level, hits } of findings) {
    if (level === "confirmed" || entry.kind === "benign") continue;
    const look = lookupFor(hits[0], facts);
    for (const [part, worth] of [[entry.requires, 100], [entry.rulesOut, 1]]) {
      for (const name of unknownFacts(part, look)) {
        if (!decides.has(name)) decides.set(name, new Set());
        decides.get(name).add(entry.id);
        weight.set(name, (weight.get(name) ?? 0) + worth);
      }
    }
  }
  const order = [...decides.keys()].sort((left, right) => weight.get(right) - weight.get(left));
  return order.slice(0, tables.triage.MOST_ASKS).map((name) => ({ fact: name, decides: [...decides.get(name)], command: commandOf(name) }));
}

function commandOf(name) {
  const kind = kindOf(name);
  return kind ? kind[1] : "";
}

function verdictOf(findings, unknown) {
  const kinds = new Set(findings.map((finding) => finding.entry.kind));
  if (kinds.has("cause")) return "known";
  if (unknown.length) return "unknown";
  return kinds.has("wrapper") || kinds.has("cascade") ? "wrapper" : "clean";
}
