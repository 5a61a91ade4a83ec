// What failed in a log, whether or not an entry knows it: exceptions and the marks of a failure, each with a fingerprint.

import { blake2b } from "./blake2b.js";
import { seen } from "./episodes.js";
import { utf8 } from "./narrow.js";
import { endOf } from "./pattern.js";
import { hasEscapedLines } from "./statements.js";
import { tables } from "./tables.js";
import { afterLast, beforeFirst, characters, lstrip, rstrip, strip } from "./text.js";
import { beat } from "./watch.js";

const MARK_ENDS = characters(" :");
const REPR_ENDS = characters(",)");

/** What failed, in the order of the log. `also` are indexes of messages that are known to tell of a failure. */
export function failures(log, also) {
  let told = [...tellings(log, also), ...cutTracebacks(log)];
  if (told.some((each) => each.exact)) told = told.filter((each) => each.exact);
  told.sort((left, right) => left.message.index - right.message.index);
  const groups = groupsOf(log, told.map((each) => each.message));
  return told.map((each) => ({ ...each, fingerprint: fingerprint(each), group: groups.get(each.message.index) }));
}

function isLive(message) {
  return message.status !== "mentioned" && message.status !== "handled";
}

function tellings(log, also) {
  const own = log.messages.filter((message) => isLive(message) && !hasEscapedLines(message.strand.text));
  return own.map((message) => telling(log, message, also)).filter((each) => each !== null);
}

function telling(log, message, also) {
  beat("failures");
  const own = tables.failures;
  const text = message.strand.text;
  if (message.place === "exception") {
    const [exception, rest] = partsOf(text);
    const kind = afterLast(exception, ".");
    return own.STOPS.has(kind) ? null : { message, exception, text: rest, frames: framesOf(log, message), exact: !own.SHELLS.has(kind) };
  }
  if (also.has(message.index)) return { message, exception: "", text, frames: framesOf(log, message), exact: true };
  if (message.place !== "message" || own.SOFT.has(message.severity)) return null;
  const found = own.MARK.search(text);
  if (found) {
    const words = found[0];
    return { message, exception: strip(words, MARK_ENDS), text, frames: [], exact: !own.EXIT.test(words) };
  }
  const low = text.toLowerCase();
  const exact = seen(tables.events.FAULT, text, low);
  const isEnd = !exact && seen(tables.events.ENDED, text, low);
  const isWeak = own.SEVERE.has(message.severity) || (own.WEAK.test(text) && !own.LEVEL_OF_NCCL.test(text));
  return exact || isEnd || isWeak ? { message, exception: message.severity, text, frames: [], exact } : null;
}

/** Tracebacks without an exception at their end. */
function cutTracebacks(log) {
  const cut = log.tracebacks.filter((traceback) => traceback.exception === null && traceback.frames.length);
  const told = cut.map(({ frames }) => {
    const texts = frames.map((index) => log.messages[index].strand.text);
    return { message: log.messages[frames.at(-1)], exception: "", text: "", frames: texts, exact: false };
  });
  return told.filter(({ message }) => isLive(message) && !tables.failures.SOFT.has(message.severity));
}

/** Class and message of an exception, also of its repr: `RuntimeError('x')`. */
function partsOf(text) {
  const found = tables.failures.CLASS.match(text);
  const mark = tables.failures.MARK.search(text);
  const thrown = tables.failures.THROWN.match(text);
  if (thrown) return [thrown.groups.class, thrown.groups.what ?? ""];
  const end = found ? found.groups.end : null;
  const isClass = found && (end || endOf(found) === text.length) && end !== " ";
  if (mark && !isClass) return [strip(mark[0], MARK_ENDS), text]; // a program's last words
  if (!found) return ["", text];
  const rest = strip(text.slice(endOf(found)));
  return [found.groups.class, end === "(" ? unquoted(rstrip(rest, REPR_ENDS)) : rest];
}

function unquoted(text) {
  return text.length > 1 && /^['"]/.test(text) && text.at(-1) === text[0] ? text.slice(1, -1) : text;
}

function framesOf(log, message) {
  if (message.traceback === null) return [];
  return log.tracebacks[message.traceback].frames.map((index) => beforeFirst(log.messages[index].strand.text, "\n"));
}

// --- what belongs together

/** Message index → number of its group: the index of the first message of the group. */
function groupsOf(log, told) {
  const group = new Map(told.map((message) => [message.index, message.index]));
  const before = new Map();
  const covered = [];
  for (const message of told) {
    const previous = before.get(message.process);
    if (previous && follows(log, previous, message)) {
      group.set(message.index, group.get(previous.index));
    } else {
      const same = covered.slice(-8).reverse().find((other) => isWithin(message, other));
      if (same) group.set(message.index, group.get(same.index));
    }
    before.set(message.process, message);
    covered.push(message);
  }
  return group;
}

/** Whether a message begins where another one stands; within one line the places tell. */
function isWithin({ line, strand }, other) {
  if (!(other.line <= line && line <= other.endLine)) return false;
  const at = strand.raw(0);
  return other.line < other.endLine || (other.strand.raw(0) <= at && at <= other.strand.raw(other.strand.length));
}

/** Whether the second failure is chained to the first, or a mark printed with it. */
function follows(log, first, second) {
  const { MOST_BETWEEN, CHAINED } = tables.failures;
  const begin = beginOf(log, second);
  const gap = begin - first.endLine;
  if ((first.place === "message" || second.place === "message") && gap >= 0 && gap <= 2) return true;
  if (gap > MOST_BETWEEN) return false;
  for (let line = first.endLine; line <= Math.min(begin, first.endLine + MOST_BETWEEN); line += 1) {
    const text = log.rawLine(line);
    if (CHAINED.some((words) => text.includes(words))) return true;
  }
  return false;
}

function beginOf(log, message) {
  return message.traceback === null ? message.line : Math.min(message.line, log.tracebacks[message.traceback].line);
}

// --- the same failure from two logs

/** The text without what differs between two reports of one failure: numbers, addresses, paths, quoted values, hosts. */
function mask(text) {
  return strip(tables.failures.MASKS.reduce((masked, [pattern, replacement]) => pattern.replace(masked, replacement), text));
}

const prints = new Map();

/** 12 hexadecimal digits: class without its package, masked first line, innermost frame of the user's code and of a library. */
function fingerprint({ exception, text, frames }) {
  const first = beforeFirst(lstrip(text), "\n").slice(0, tables.failures.MOST_TEXT);
  const whole = [afterLast(exception, "."), mask(first), ...innermost(frames)].join("\0");
  const bytes = utf8(whole);
  const key = bytes.join(" ");
  if (!prints.has(key)) prints.set(key, blake2b(bytes, 6));
  return prints.get(key);
}

function innermost(frames) {
  const own = tables.failures;
  let [user, library] = ["", ""];
  for (const frame of frames) {
    const found = own.FRAME.match(frame.replaceAll("\\", "/"));
    if (!found) continue;
    const { path, function: name = "" } = found.groups;
    if (own.LIBRARY.test(path)) {
      const last = [...own.INSTALLED.all(path)].at(-1);
      library = `${last ? path.slice(endOf(last)) : path} ${name}`;
    } else {
      user = `${afterLast(path, "/")} ${name}`;
    }
  }
  return [user, library];
}
