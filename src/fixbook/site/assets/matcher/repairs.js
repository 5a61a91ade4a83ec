// Repairs of text that was escaped, translated or wrapped on its way into the log.

import { decodeEntity } from "./entities.js";
import { narrowMore } from "./narrow.js";
import { endOf } from "./pattern.js";
import { makeLine, peel, plain } from "./peel.js";
import { Strand } from "./strand.js";
import { count, firstWord, lstrip, rstrip, strip } from "./text.js";
import { tables } from "./tables.js";

// --- within one message

// What each repair puts in the place of its pattern, by its name in the table.
const REPAIR = {
  entities: (found) => decodeEntity(found[0]),
  marks: (found) => {
    const { MARKS, BLANK_BEHIND } = tables.repairs;
    const after = found.input.charAt(found.index + found[0].length);
    return MARKS[found[0]] + (BLANK_BEHIND.includes(found[0]) && strip(after) ? " " : "");
  },
  percent: (found) => String.fromCharCode(parseInt(found[0].slice(1), 16)),
  dunder: (found) => `__${found[1] || found[2] || found[3]}__`,
  address: () => "",
  markup: () => "",
  padding: () => " ",
};

/** The blank that English sets beside a mark: `error：no space`, `too old（found`. */
const gap = (found) => (found[0] === "（" ? " （" : `${found[0]} `);

function substitute(pattern, make, strand) {
  const edits = [];
  for (const found of pattern.all(strand.text)) edits.push([found.index, endOf(found), make(found)]);
  return edits.length ? strand.splice(edits) : strand;
}

/** The text with its HTML entities decoded; the same strand where it has none. */
export function entities(strand) {
  return strand.text.includes("&") ? plain(substitute(tables.repairs.ENTITY, REPAIR.entities, strand)) : strand; // `&nbsp;` is a blank
}

/** The text with its repairs done, one after the other: `[names joined by +, text]`. */
export function readings(strand) {
  const own = tables.repairs;
  if (!own.SUSPECT.test(strand.text)) return [];
  const out = [];
  const names = [];
  let text = strand;
  for (const [name, pattern] of own.REPAIRS) {
    const done = substitute(pattern, REPAIR[name], text);
    if (done !== text && done.text !== text.text) {
      const apart = name === "marks" && own.GAP.test(text.text) ? substitute(pattern, REPAIR.marks, substitute(own.GAP, gap, text)) : null;
      names.push(name);
      text = done;
      out.push([names.join("+"), text]);
      if (apart !== null) out.push([names.join("+"), apart]);
    }
  }
  const tight = substitute(own.PADDING, () => "", text);
  if (tight !== text) out.push([[...names, "padding"].join("+"), tight]);
  return out;
}

/** Readings of a statement that stands on several lines: wrapped between words, and inside a word. */
export function spread(pieces) {
  const full = pieces.filter((piece) => strip(piece.text));
  if (full.length < 2) return [];
  const stripped = full.map(stripStrand);
  return [
    ["joined", Strand.join(stripped, " ")],
    ["joined", Strand.join(full.map((piece) => piece.cut(0, rstrip(piece.text, LINE_ENDS).length)))],
    ["joined", Strand.join(stripped)],
  ];
}

const LINE_ENDS = new Set("\r\n");

function stripStrand(strand) {
  const text = strand.text;
  return strand.cut(text.length - lstrip(text).length, rstrip(text).length);
}

// --- escapes

function escaped(found) {
  if (found[1]) return narrowMore(String.fromCharCode(parseInt(found[1], 16), parseInt(found[2], 16)));
  const code = found[3] || found[4];
  return code ? String.fromCharCode(parseInt(code, 16)) : tables.repairs.SIMPLE[found[5]];
}

/** The lines inside an escaped text, one layer of escapes undone: a JSON string, Python's repr, `\n` as text. */
export function unescape(strand) {
  return cutLines(substitute(tables.repairs.ESCAPE, escaped, strand));
}

function cutLines(strand) {
  const out = [];
  let at = 0;
  for (const found of tables.repairs.LINE_END.all(strand.text)) {
    out.push(strand.cut(at, found.index));
    at = endOf(found);
  }
  if (at < strand.length || !out.length) out.push(strand.cut(at));
  return out;
}

// --- hard wraps of a terminal

/** The lines with a terminal's hard wraps undone, in as many ways as there are answers; nothing where nothing looks wrapped. */
export function unwrap(lines) {
  const cuts = findCuts(lines);
  if (!cuts.size) return [];
  const ways = [cuts];
  for (const glue of [" ", ""]) {
    const other = new Map([...cuts].map(([at, between]) => [at, wordToWord(lines[at], lines[at + 1]) ? glue : between]));
    if (!ways.some((way) => [...way].every(([at, between]) => other.get(at) === between))) ways.push(other);
  }
  return ways.map((way) => joined(lines, way));
}

/** Index of each line that was cut from the next, with what stood between. */
function findCuts(lines) {
  const lengths = lines.map((line) => line.whole.length);
  const cuts = new Map();
  for (let at = 0; at < lines.length - 1; at += 1) {
    const between = whatWasBetween(lines, lengths, at);
    if (between !== null) cuts.set(at, between);
  }
  return cuts;
}

function wordToWord(here, after) {
  return strip(here.whole.text.slice(-1)) !== "" && strip(after.whole.text.slice(0, 1)) !== "";
}

/** The lines around the cuts, joined; what is far from any cut reads as before and is left out. */
function joined(lines, cuts) {
  const { AROUND, MOST_PIECES } = tables.repairs;
  const near = new Uint8Array(lines.length);
  for (const at of cuts.keys()) near.fill(1, Math.max(0, at - AROUND), at + AROUND);
  const out = [];
  let at = 0;
  while (at < lines.length) {
    let last = at;
    while (cuts.has(last) && last - at < MOST_PIECES) last += 1;
    if (last > at) out.push(joinRun(lines.slice(at, last + 1), at, cuts));
    else if (near[at]) out.push(lines[at]);
    at = last + 1;
  }
  return out;
}

/** "" inside a word, " " between words, null when the line was not cut from the next. */
function whatWasBetween(lines, lengths, at) {
  const own = tables.repairs;
  const [line, next] = [lines[at], lines[at + 1]];
  const [here, after] = [line.whole.text, next.whole.text];
  const cut = own.CUT_FRAME.match(here);
  if (cut && line.number !== next.number) return cut.groups.word && !after.startsWith(" ") ? " " : "";
  if (own.HALF_FRAME.match(here) && own.FRAME_TAIL.match(after)) return "";
  const length = lengths[at];
  if (length < own.NARROWEST || length > own.WIDEST || !strip(after) || line.number === next.number || own.WHOLE.match(here)) return null;
  if (own.FRAME.match(here) && after.startsWith(" ")) return null;
  if (isFresh(line, next)) return null;
  return byWidth(lengths, at, after);
}

function byWidth(lengths, at, after) {
  const length = lengths[at];
  const around = lengths.slice(Math.max(0, at - 40), at + 41);
  const width = Math.max(...around);
  const local = Math.max(...lengths.slice(Math.max(0, at - 3), at + 4));
  if (length === local && (tables.repairs.USUAL.has(length) || around.filter((other) => other === length).length > 1)) return "";
  const near = around.filter((other) => width - 24 <= other && other <= width).length;
  const full = length + 1 + firstWord(after).length > width;
  return width >= 60 && width <= 200 && near > 1 && full && !/^[ \t^]/.test(after) ? " " : null;
}

/** Whether a line begins something of its own. */
function isFresh(here, after) {
  const own = tables.repairs;
  if (peel(after).prefix.names.some((name) => !own.WEAK.has(name))) return true;
  return own.FRESH.match(after.whole.text) !== null && !cutInside(here.whole.text);
}

/** Whether a line ends within a bracket or quote that it opened. */
function cutInside(text) {
  return count(text, "(") > count(text, ")") || count(text, "[") > count(text, "]") || count(text, '"') % 2 === 1;
}

function joinRun(run, at, cuts) {
  const pieces = [run[0].whole];
  for (let number = 1; number < run.length; number += 1) {
    const between = cuts.get(at + number - 1);
    const piece = run[number].whole;
    if (between) pieces.push(new Strand(between, [0], [piece.raws[0]]));
    pieces.push(between ? stripStrand(piece) : piece);
  }
  const whole = Strand.join(pieces);
  return makeLine(whole, whole, run[0].number, undefined, [...run[0].repairs, "unwrapped"]);
}
