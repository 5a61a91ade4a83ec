// Failures that no entry explains, each with a fingerprint and the entries that come nearest.

import { failures } from "./failures.js";
import { hasEscapedLines } from "./statements.js";
import { tables } from "./tables.js";
import { beforeFirst } from "./text.js";

/** The failures that no finding explains, in the order of the log, each once. */
export function unexplained(log, standing, ruledOut, entries) {
  const causes = ruledOut.filter((finding) => finding.entry.kind === "cause");
  const told = failures(log, new Set(causes.flatMap((finding) => finding.hits.map((hit) => hit.message))));
  if (!told.length) return [];
  const caused = findCaused(standing, log.messages.length);
  const touched = findTouched(log, standing);
  const explained = told.filter((failure) => isTouched(log, failure.message, touched));
  const groups = new Set(explained.map((failure) => failure.group));
  const prints = new Set(explained.map((failure) => failure.fingerprint));
  const left = new Map();
  for (const failure of told) {
    if (groups.has(failure.group) || prints.has(failure.fingerprint) || isConsequence(failure, caused)) continue;
    if (!failure.exact && standing.length) continue;
    left.set(failure.group, failure); // the last of a chain is what the program ended with
  }
  const once = new Map();
  for (const failure of left.values()) if (!once.has(failure.fingerprint)) once.set(failure.fingerprint, failure);
  return [...once.values()].slice(0, tables.unknown.MOST_UNKNOWN).map((failure) => makeUnknown(failure, ruledOut, entries));
}

/** Messages, tracebacks and ranges of the log in which a finding was hit: lines, and the columns in them where it is one line. */
function findTouched(log, standing) {
  const touched = { messages: new Set(), tracebacks: new Set(), ranges: [] };
  for (const hit of standing.flatMap((finding) => finding.hits)) {
    const message = log.messages[hit.message];
    touched.messages.add(message.index);
    const columns = hasEscapedLines(message.strand.text) ? [hit.column, hit.column] : columnsOf(log, message);
    touched.ranges.push([Math.min(message.line, hit.line), Math.max(message.endLine, hit.line), ...columns]);
    if (message.traceback !== null) touched.tracebacks.add(message.traceback);
  }
  return touched;
}

function columnsOf(log, { strand }) {
  return [log.locate(strand.raw(0))[1], log.locate(strand.raw(strand.length))[1]];
}

function isTouched(log, message, { messages, tracebacks, ranges }) {
  if (messages.has(message.index) || tracebacks.has(message.traceback)) return true;
  const [left, right] = columnsOf(log, message);
  // Of a log in one line, as JSON has it, only the columns tell what stands together.
  return ranges.some(
    ([first, last, begin, end]) => first <= message.endLine && message.line <= last && (first < last || (begin <= right && left <= end)),
  );
}

function makeUnknown(failure, ruledOut, entries) {
  return {
    fingerprint: failure.fingerprint,
    exception: failure.exception,
    message: withoutAdvice(beforeFirst(failure.text, "\n\n")),
    line: failure.message.line,
    frames: failure.frames.slice(-tables.unknown.FRAMES),
    nearest: nearest(failure, ruledOut, entries),
  };
}

// --- what comes near

/** `[episode, from, to]` of the messages whose failures a cause brought about; one that is only possible explains what stands right after it. */
function findCaused(standing, end) {
  const near = tables.unknown.NEAR;
  const causes = standing.filter((finding) => finding.entry.kind === "cause");
  return causes.flatMap(({ hits, level }) =>
    hits.map((hit) => (level === "possible" ? [hit.episode, hit.message, hit.message + near] : [hit.episode, hit.message - near, end])),
  );
}

function isConsequence({ message }, caused) {
  return caused.some(([episode, begin, end]) => episode === message.episode && begin <= message.index && message.index <= end);
}

/** The entries that come nearest, best first, each with the reason why it is not the one. */
function nearest(failure, ruledOut, entries) {
  const { MOST_TEXT, ENOUGH, MOST_NEAREST } = tables.unknown;
  const here = ruledOut.filter((finding) => finding.hits[0].message === failure.message.index);
  const found = here.map((finding) => ({ id: finding.entry.id, because: speaksAgainst(finding) }));
  const have = wordsOf(`${failure.exception} ${failure.text.slice(0, MOST_TEXT)}`);
  const counts = countsOf(entries);
  const weigh = (word) => Math.round(1000 * Math.log((1 + entries.length) / (1 + (counts.get(word) ?? 0))));
  const weight = new Map([...have].map((word) => [word, weigh(word)]));
  const enough = ENOUGH * sum(weight.values());
  const scored = [];
  for (const { id, signatures } of entries) {
    const [score, shared, lacking] = bestOf(signatures, weight);
    if (shared.length >= 2 && score > 0 && score >= enough && !found.some((each) => each.id === id)) scored.push({ score, id, shared, lacking });
  }
  scored.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  found.push(...scored.slice(0, MOST_NEAREST).map(({ id, shared, lacking }) => ({ id, because: compared(shared, lacking) })));
  return found.slice(0, MOST_NEAREST);
}

/** Of the signature that has most of the failure's words: their weight, these words, and those that the failure lacks. */
function bestOf(signatures, weight) {
  let best = [-1, [], []];
  for (const { words } of signatures) {
    const shared = words.filter((word) => weight.has(word));
    const score = sum(shared.map((word) => weight.get(word)));
    if (score > best[0]) best = [score, shared, words.filter((word) => !weight.has(word))];
  }
  return best;
}

function sum(numbers) {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

const counted = new WeakMap();

/** In how many entries each word of their patterns is. */
function countsOf(entries) {
  if (!counted.has(entries)) {
    const counts = new Map();
    for (const { signatures } of entries) {
      for (const word of new Set(signatures.flatMap((signature) => signature.words))) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    counted.set(entries, counts);
  }
  return counted.get(entries);
}

function wordsOf(text) {
  const words = [...tables.vocabulary.WORD.all(text)].map((found) => found[0].toLowerCase());
  return new Set(words.filter((word) => !tables.vocabulary.COMMON.has(word)));
}

function speaksAgainst(finding) {
  const reason = finding.reasons.find((each) => each.holds === each.rulesOut);
  if (!reason) return "";
  return `${reason.rulesOut ? "✓" : "✗"} ${reason.condition}${reason.value ? ` (${reason.value})` : ""}`;
}

/** `✓ query, key, dtype · ✗ flash_api`: what the failure has of the entry's signature, and what it has not. */
function compared(shared, lacking) {
  const listed = (words) => words.slice(0, 6).join(", ");
  return lacking.length ? `✓ ${listed(shared)} · ✗ ${listed(lacking)}` : `✓ ${listed(shared)}`;
}

/** What torch prints under each asynchronous error tells nothing of this one. */
function withoutAdvice(text) {
  const found = tables.unknown.ADVICE.search(text);
  return found ? text.slice(0, found.index) : text;
}
