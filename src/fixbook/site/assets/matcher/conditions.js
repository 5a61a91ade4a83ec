// What an entry requires and what rules it out, judged by a log: holds, fails or unknown. What is not stated is unknown, never false.

import { atLeast, globMatches } from "./fact_values.js";
import { bookPattern } from "./pattern.js";
import { beforeFirst, casefold } from "./text.js";
import { tables } from "./tables.js";
import { begins, isSkipped } from "./watch.js";

/** One reason for each condition, in the order of the entry; `holds` null: unknown. */
export function judge(conditions, rulesOut, hit, log, look) {
  const reasons = conditions.facts.map((condition) => {
    const fact = look(condition.fact);
    const [value, line] = fact ? [fact.value, fact.line || null] : [null, null];
    return { condition: condition.says, fact: condition.fact, holds: holds(condition, fact, look), value, line, rulesOut };
  });
  if (conditions.frames) reasons.push(seen(conditions.frames, "frames", ...inFrames(conditions.frames, hit, log), rulesOut));
  if (conditions.messages) {
    const message = inMessages(conditions.messages, hit, log);
    reasons.push(seen(conditions.messages, "messages", message ? true : null, message, rulesOut));
  }
  return reasons;
}

/** The facts that conditions need and the log does not state. */
export function unknownFacts(conditions, look) {
  const names = conditions.facts.flatMap((condition) => [condition.fact, condition.sameAs, condition.notSameAs]);
  return [...new Set(names.filter((name) => name && look(name) === null))];
}

/** The traceback in which a message stands, or those printed with it, in every reading: vLLM logs `RuntimeError('…')`, then the frames. */
function tracebacksOf(message, log) {
  if (message.traceback !== null) return [log.tracebacks[message.traceback]];
  return log.tracebacks.filter((traceback) => {
    if (traceback.process !== message.process || !traceback.frames.length) return false;
    const last = log.messages[traceback.frames.at(-1)].endLine;
    const isBefore = traceback.line - message.endLine >= 0 && traceback.line - message.endLine <= tables.conditions.NEAR;
    return isBefore || (message.line - last >= 0 && message.line - last <= 1);
  });
}

function holds(condition, fact, look) {
  if (fact === null) return null;
  const { fact: name, anyOf, noneOf } = condition;
  const is = (glob) => globMatches(name, fact.value, glob);
  const tests = [];
  if (anyOf.length) tests.push(anyOf.some(is));
  if (noneOf.length) tests.push(!noneOf.some(is));
  if (condition.sameAs) tests.push(isSame(fact, look(condition.sameAs)));
  if (condition.notSameAs) tests.push(not(isSame(fact, look(condition.notSameAs))));
  if (condition.atLeast) tests.push(atLeast(name, fact.value, condition.atLeast));
  if (condition.below) tests.push(not(atLeast(name, fact.value, condition.below)));
  if (tests.includes(false)) return false;
  return tests.includes(null) ? null : true;
}

function not(known) {
  return known === null ? null : !known;
}

function isSame(fact, other) {
  return other === null ? null : casefold(fact.value) === casefold(other.value);
}

function inFrames({ pattern, says }, hit, log) {
  if (pattern === null || isSkipped(says)) return [null, null];
  const told = log.messages[hit.message];
  const tracebacks = tracebacksOf(told, log).filter((traceback) => traceback.frames.length);
  const made = bookPattern(pattern);
  begins(says);
  for (const traceback of tracebacks) {
    for (const index of traceback.frames) if (made.test(log.messages[index].strand.text)) return [true, log.messages[index]];
  }
  const isWhole = told.traceback !== null && tracebacks.length > 0 && tracebacks[0].exception !== null;
  return [isWhole ? false : null, null];
}

function inMessages({ pattern, says }, hit, log) {
  if (pattern === null || isSkipped(says)) return null;
  const made = bookPattern(pattern);
  begins(says);
  const tells = (message) => made.test(message.strand.text) || message.readings.some(([, strand]) => made.test(strand.text));
  return log.messages.find((message) => message.run === hit.run && tells(message)) ?? null;
}

function seen({ says }, kind, isHeld, message, rulesOut) {
  const value = message ? beforeFirst(message.strand.text, "\n").slice(0, 200) : null;
  return { condition: says, fact: kind, holds: isHeld, value, line: message ? message.line : null, rulesOut };
}
