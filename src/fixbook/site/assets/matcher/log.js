// Raw text → messages: what each process said, one statement at a time, with tracebacks put together.
//
// Several readings of the same text are made where it pays: as it stands, with hard wraps undone, and with escapes undone. Their messages
// stand side by side in one log, those that needed a repair say so, and the scan takes the plainest that matches.

import { assign } from "./episodes.js";
import { learn } from "./heads.js";
import { endOf } from "./pattern.js";
import { NO_PREFIX, jsonLines, makeLine, peel, plain, splitLines } from "./peel.js";
import { entities, readings, spread, unescape, unwrap } from "./repairs.js";
import { Statements } from "./statements.js";
import { Strand } from "./strand.js";
import { bisectRight, compare, rstrip, strip } from "./text.js";
import { tables } from "./tables.js";
import { beat } from "./watch.js";

const LINE_ENDS = new Set("\r\n");

/** A log as messages; `raw` is what was read, with one unit for each character. */
export class Log {
  constructor(name, messages, tracebacks, raw) {
    this.name = name;
    this.messages = messages;
    this.tracebacks = tracebacks;
    this.raw = raw;
    this.lineStarts = lineStarts(raw);
  }

  /** 1-based line and column of a raw offset. */
  locate(offset) {
    const at = Math.max(bisectRight(this.lineStarts, offset) - 1, 0);
    return [at + 1, offset - this.lineStarts[at] + 1];
  }

  /** The raw text of a 1-based line, without its end; "" when the log does not hold it. */
  rawLine(line) {
    if (line < 1 || line > this.lineStarts.length) return "";
    return rstrip(this.raw.slice(this.lineStarts[line - 1], this.lineStarts[line]), LINE_ENDS);
  }

  get lastLine() {
    return this.lineStarts.length;
  }
}

function lineStarts(text) {
  const end = text.includes("\n") ? "\n" : "\r";
  const starts = [0];
  for (let at = text.indexOf(end) + 1; at > 0 && at < text.length; at = text.indexOf(end, at) + 1) starts.push(at);
  return starts;
}

/** The messages of one whole log. */
export function read(text, name) {
  const lines = linesOf(text);
  const [drafts, tracebacks] = parse(lines);
  const fences = lines.filter((line) => tables.log.FENCE.match(line.strand.text)).map((line) => line.number);
  const [messages, moved] = finish(drafts, tracebacks, fences);
  return new Log(name, messages, moved, text);
}

/** The lines without control sequences, not yet peeled. */
function linesOf(text) {
  return splitLines(text).map(([at, body, index]) => {
    const strand = plain(Strand.of(body, at));
    const decoded = entities(strand);
    const repairs = decoded.text === strand.text ? [] : ["entities"];
    const field = fieldOf(decoded);
    return field ? makeLine(field, field, index + 1, undefined, [...repairs, "record"]) : makeLine(decoded, decoded, index + 1, undefined, repairs);
  });
}

// --- one text, several readings

function parse(lines) {
  const heads = learn(lines);
  const [drafts, tracebacks] = statementsOf(lines, heads);
  for (const unwrapped of unwrap(lines)) addReading(drafts, tracebacks, ...only(...statementsOf(unwrapped, heads), "unwrapped"));
  return [drafts, tracebacks];
}

/** The messages that needed a repair, with the whole of their tracebacks; the rest was read before. */
function only(drafts, tracebacks, repair) {
  const needed = new Set([...drafts.keys()].filter((at) => drafts[at].repairs.includes(repair)));
  const chosen = [...tracebacks.keys()].filter((at) => [...tracebacks[at].frames, tracebacks[at].exception].some((each) => needed.has(each)));
  const number = new Map(chosen.map((old, at) => [old, at]));
  const keep = [...drafts.keys()].filter((at) => needed.has(at) || number.has(drafts[at].traceback));
  const fresh = new Map(keep.map((old, at) => [old, at]));
  const kept = keep.map((at) => ({ ...drafts[at], traceback: number.get(drafts[at].traceback) ?? null }));
  return [kept, chosen.map((at) => moveTraceback(tracebacks[at], (old) => fresh.get(old)))];
}

function moveTraceback(traceback, where) {
  const exception = traceback.exception === null ? null : where(traceback.exception);
  return { ...traceback, frames: traceback.frames.map(where), exception };
}

/** Put a second reading beside the first. */
function addReading(drafts, tracebacks, more, others) {
  const shift = drafts.length;
  const known = tracebacks.length;
  for (const draft of more) drafts.push({ ...draft, traceback: draft.traceback === null ? null : draft.traceback + known });
  for (const traceback of others) tracebacks.push(moveTraceback(traceback, (at) => at + shift));
}

function statementsOf(lines, heads) {
  const reader = new Statements();
  for (const line of lines) {
    beat("log");
    const [rest, outer] = heads.take(line);
    for (const piece of expand(rest)) reader.feed(outer ? under(piece, outer) : piece);
  }
  const [drafts, tracebacks] = reader.close();
  // Grows: what an escaped text says may be escaped once more.
  for (let at = 0; at < drafts.length; at += 1) if (mayUnescape(drafts[at])) addReading(drafts, tracebacks, ...inner(drafts[at]));
  return [drafts, tracebacks];
}

function mayUnescape(draft) {
  if (draft.place !== "message" && draft.place !== "exception") return false;
  const depth = draft.repairs.filter((repair) => repair === "unescaped").length;
  const text = draft.strand.text;
  return depth < tables.log.DEEPEST && text.includes("\\") && tables.log.ESCAPES.test(text);
}

/** What an escaped text says when it is read as a log of its own. */
function inner(draft) {
  const reader = new Statements();
  for (const piece of unescape(draft.strand)) {
    const line = makeLine(piece, piece, draft.line, undefined, [...draft.repairs, "unescaped"]);
    for (const part of expand(line, false)) {
      const outer = { ...NO_PREFIX, process: draft.process, container: draft.container, rank: draft.rank, level: draft.severity };
      reader.feed(part.prefix.process ? part : under(part, outer));
    }
  }
  return reader.close();
}

/** The peeled lines inside one line: JSON values, two writers' texts, a traceback without its line ends. */
function expand(line, json = true) {
  const values = json ? valuesOf(line) : null;
  if (values !== null) return values;
  const peeled = peel(line);
  const text = peeled.strand.text;
  if (text.includes("\\n")) return [peeled]; // its line ends are escaped: it is cut where it is unescaped
  const pieces = tables.log.MIDLINE_MARKS.some((mark) => text.includes(mark)) ? cut(peeled, tables.log.MIDLINE) : [peeled];
  if (pieces.length > 1) {
    return [pieces[0], ...pieces.slice(1).flatMap((piece) => expand({ ...piece, prefix: line.prefix }, json))];
  }
  return (text.includes('File "') || text.includes("Traceback")) && tables.log.ONE_LINE.search(text, 1) ? oneLine(peeled) : [peeled];
}

/** The texts inside a line that, prefixes apart, is a JSON object. */
function valuesOf(line) {
  const text = line.strand.text;
  const at = text.indexOf("{");
  if (at < 0 || !(text.endsWith("}") || text.endsWith("} "))) return null;
  const outer = peel({ ...line, strand: line.strand.cut(0, at) });
  if (strip(outer.strand.text)) return null;
  const values = jsonLines({ ...line, strand: line.strand.cut(at) }, unescape);
  if (values === null) return null;
  return values.flatMap((value) => {
    const parts = expand(value, value.strand.text.startsWith("{"));
    return parts.map((part) => under(under(part, value.prefix), outer.prefix));
  });
}

/** The text in quotes of a line that is a record of several fields: the longest that is no time, rather no labels in JSON; or null. */
function fieldOf(strand) {
  const own = tables.log;
  const { text } = strand;
  if ((!text.includes('",') && !text.includes(',"')) || text.length > own.LONGEST_RECORD || !own.RECORD.match(text)) return null;
  const rank = ([, field]) => [own.WHEN.match(field) ? 0 : 1, field.startsWith("{") ? 0 : 1, field.length];
  const fields = [...own.FIELD.all(text, 0, "dgu")];
  const best = fields.reduce((most, each) => (compare(rank(each), rank(most)) > 0 ? each : most));
  const field = strand.cut(...best.indices[1]);
  return field.splice([...own.DOUBLED.all(field.text)].map((found) => [found.index, endOf(found), '"']));
}

/** The line with what the prefix around it tells besides its own. */
function under(line, outer) {
  const own = line.prefix;
  const prefix = {
    ...own,
    process: own.process || outer.process,
    container: own.container || outer.container,
    level: own.level || outer.level,
    rank: own.rank ?? outer.rank,
    names: own.names.length ? own.names : outer.names,
  };
  return { ...line, prefix };
}

/** The line cut at each match of a pattern of blanks. */
function cut(line, pattern) {
  const out = [];
  let at = 0;
  const put = (piece) => out.push({ ...line, strand: piece, whole: piece });
  for (const found of pattern.all(line.strand.text)) {
    if (found.index > at) put(line.strand.cut(at, found.index));
    at = endOf(found);
  }
  if (!out.length) return [line];
  put(line.strand.cut(at));
  return out;
}

function oneLine(line) {
  const own = tables.log;
  const pieces = cut(line, own.ONE_LINE).flatMap((piece) => (own.FRAME_AT.match(piece.strand.text) ? cut(piece, own.ENDS) : [piece]));
  return pieces.map((part) => ({ ...part, repairs: [...part.repairs, "one line"] }));
}

// --- messages

/** Drafts in the order of the log, with their status, run, episode and readings. */
function finish(drafts, tracebacks, fences) {
  const keys = drafts.map((draft, at) => [draft.strand.raws[0], draft.repairs.length, at]);
  const order = [...drafts.keys()].sort((left, right) => compare(keys[left], keys[right]));
  const placeOf = new Map(order.map((old, at) => [old, at]));
  const ordered = order.map((old) => drafts[old]);
  const innermost = new Set(tracebacks.flatMap((traceback) => innermostOf(drafts, traceback)).map((at) => placeOf.get(at)));
  const states = assign(ordered, fences);
  const messages = ordered.map((draft, at) => makeMessage(draft, at, innermost.has(at), states[at]));
  return [messages, tracebacks.map((traceback) => moveTraceback(traceback, (at) => placeOf.get(at)))];
}

/** The last frame of a traceback and the source lines quoted under it. */
function innermostOf(drafts, traceback) {
  if (!traceback.frames.length) return [];
  const last = traceback.frames.at(-1);
  const out = [last];
  for (let at = last + 1; at < Math.min(last + 60, drafts.length); at += 1) {
    if (drafts[at].traceback !== drafts[last].traceback) continue; // other processes' lines may stand between
    if (drafts[at].place !== "source") break;
    out.push(at);
  }
  return out;
}

function makeMessage(draft, index, innermost, [status, run, episode]) {
  const { whole, context, blocks, pieces, ...told } = draft;
  return { ...told, status, index, run, episode, innermost, repairs: [...new Set(draft.repairs)], readings: readingsOf(draft) };
}

/** `[repair, text]` to try where the text itself does not match. */
function readingsOf(draft) {
  const out = [...readings(draft.strand)];
  for (const block of draft.blocks) out.push(["", block], ...readings(block));
  if (draft.pieces.length > 1) {
    if (draft.place === "exception") out.push(["", draft.pieces[0]]);
    for (const [name, strand] of spread(draft.pieces)) {
      out.push([name, strand], ...readings(strand).map(([more, repaired]) => [`${name}+${more}`, repaired]));
    }
  }
  if (draft.whole !== null && strip(draft.whole.text) !== strip(draft.strand.text)) out.push(["", draft.whole]);
  return out;
}
