// The report as the published JSON has it.

import { fill, Values } from "./filling.js";
import { widen } from "./narrow.js";
import { tables } from "./tables.js";

/** The report of one log as plain values, equal to what the Python program gives. */
export function toJson(report, source, book, skipped) {
  return widened({
    schema_version: tables.json_report.SCHEMA_VERSION,
    book,
    source,
    verdict: report.verdict,
    findings: report.findings.map(findingJson),
    consequences: report.consequences.map(findingJson),
    ruled_out: report.ruledOut.map((finding) => ({ ...findingJson(finding), because: because(finding) })),
    ask: report.ask.map(({ fact, decides, command }) => ({ fact, decides_between: decides, command })),
    unknown: report.unknown.map((unknown) => ({ ...unknown, source })),
    facts: report.facts.map(({ name, value, stated, source: from, line }) => ({ name, value, stated, source: from, line })),
    missing: report.missing.map((missing) => ({ ...missing, source })),
    skipped,
  });
}

/** All texts with the characters that the log has. */
function widened(value) {
  if (typeof value === "string") return widen(value);
  if (Array.isArray(value)) return value.map(widened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, widened(each)]));
}

function findingJson(finding) {
  const { entry } = finding;
  return {
    id: entry.id,
    aliases: entry.aliases,
    kind: entry.kind,
    title: filled(finding, entry.title),
    summary: filled(finding, entry.summary),
    level: finding.level,
    version: finding.version,
    affected_version: finding.affectedVersion,
    rank: finding.rank,
    ranks: finding.ranks,
    world: finding.world,
    reasons: finding.reasons.map(reasonJson),
    tell: finding.tell,
    hits: finding.hits.map(hitJson),
  };
}

/** A text of the entry as a card shows it: Markdown, with the values of the proving hit. */
function filled({ entry, facts, hits }, texts) {
  const captures = Object.entries(hits[0].captures).filter(([, value]) => value);
  const known = { ...facts, ...Object.fromEntries(captures) };
  const inLanguage = (lang) => {
    const words = Object.entries(entry.names).map(([name, text]) => [name, text[lang]]);
    return fill(texts[lang], new Values(known, Object.fromEntries(words)));
  };
  return { en: inLanguage("en"), zh: inLanguage("zh") };
}

function hitJson(hit) {
  return {
    signature: hit.signature,
    source: hit.source,
    line: hit.line,
    column: hit.column,
    text: cut(hit.text, hit.column),
    matched: hit.matched.slice(0, tables.json_report.LONGEST_LINE),
    captures: hit.captures,
    place: hit.place,
    process: hit.process,
    rank: hit.rank,
    repairs: hit.repairs,
  };
}

/** A long line is cut round the match; `…` marks each cut. */
function cut(line, column) {
  const most = tables.json_report.LONGEST_LINE;
  if (line.length <= most) return line;
  const start = Math.max(Math.min(column - 1 - most / 2, line.length - most), 0);
  return (start ? "…" : "") + line.slice(start, start + most) + (start + most < line.length ? "…" : "");
}

function reasonJson({ condition, fact, holds, value, line, rulesOut }) {
  return { condition, fact, holds, value, line, rules_out: rulesOut, source: "" };
}

/** The reasons that decide against the entry. */
function because(finding) {
  return finding.reasons.filter((reason) => reason.holds !== null && reason.holds === reason.rulesOut).map(reasonJson);
}
