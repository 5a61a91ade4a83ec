// What wraps a line, and the way back: control sequences, prefixes, borders, JSON.

import { narrowMore } from "./narrow.js";
import { endOf } from "./pattern.js";
import { Strand } from "./strand.js";
import { rstrip, strip } from "./text.js";
import { tables } from "./tables.js";

/** What the prefixes of a line told. */
export const NO_PREFIX = Object.freeze({ process: "", container: "", rank: null, level: "", where: "", names: Object.freeze([]) });

/** Whether a log writer began a statement here: continuation lines carry no level and no place of their own. */
export function starts(prefix) {
  return Boolean(prefix.level || prefix.where);
}

/** Whether two lines may be lines of one record, which vLLM prints with the prefix on each line. */
export function sameHead(one, other) {
  return one.level === other.level && one.where === other.where;
}

/** One line of the log: `strand` is what is left of it, `whole` what stood there before prefixes were peeled. */
export function makeLine(strand, whole, number, prefix = NO_PREFIX, repairs = []) {
  return { strand, whole, number, prefix, repairs };
}

/** The strand without control sequences and invisible characters; exotic blanks become blanks. */
export function plain(strand) {
  const own = tables.peel;
  if (!own.ODD.test(strand.text)) return strand;
  const edits = [];
  for (const found of own.CONTROL.all(strand.text)) edits.push([found.index, endOf(found), ""]);
  const done = edits.length ? strand.splice(edits) : strand;
  const text = own.BLANK.replace(done.text, " ");
  return done.text === text ? done : new Strand(text, done.starts, done.raws);
}

/** `[raw offset, text, index of the line]` of each piece; a lone CR cuts a piece but counts as a line only in a text without LF. */
export function splitLines(text) {
  const countsCr = !text.includes("\n");
  const out = [];
  let number = 0;
  let at = 0;
  while (at < text.length) {
    const piece = tables.peel.LINE.match(text, at)[0];
    out.push([at, rstrip(piece, LINE_ENDS), number]);
    at += piece.length;
    if (piece.endsWith("\n") || (countsCr && piece.endsWith("\r"))) number += 1;
  }
  return out;
}

const LINE_ENDS = new Set("\r\n");

// --- prefixes

/** The line without its prefixes, with what they told. */
export function peel(line) {
  const own = tables.peel;
  const { pattern, rows, fields } = preparedPrefix();
  const text = line.strand.text;
  const told = {};
  const processes = [];
  const names = [];
  let at = 0;
  for (let round = 0; round < own.MOST; round += 1) {
    const found = own.MAY_BEGIN.match(text, at) ? pattern.match(text, at) : null;
    if (found === null || found[0] === "") break;
    const row = rows.findIndex((number) => found[number] !== undefined);
    const name = own.NAMES[row];
    const before = names.at(-1);
    if ((own.AGAIN.has(name) && names.includes(name)) || (name === "srun" && (before === "time" || before === "where"))) break;
    names.push(name);
    for (const [field, number] of fields[row]) tell(told, processes, field, found[number], own.CONTAINERS.has(name));
    at = endOf(found);
  }
  if (!names.length) return trim(line, line.strand);
  const level = (told.level ?? "").toUpperCase();
  const prefix = {
    process: processes.join(" "),
    container: told.container ?? "", // programs apart, each with its own course
    rank: "rank" in told ? Number(told.rank) : rankOf(processes),
    level: levelName(level),
    where: told.where ?? "",
    bullet: names.includes("bullet"),
    names,
  };
  return trim({ ...line, prefix }, line.strand.cut(at));
}

let prepared = { from: null };

/** The one pattern of all prefixes, with the number of the group of each row and of what a row tells. */
function preparedPrefix() {
  const { PREFIX, NAMES, GROUPS } = tables.peel;
  if (prepared.from !== PREFIX) {
    const [pattern, numbers] = PREFIX.numbered();
    const rows = NAMES.map((_, row) => numbers[`row_${row}`]);
    prepared = { from: PREFIX, pattern, rows, fields: NAMES.map((_, row) => GROUPS[row].map(([field, name]) => [field, numbers[name]])) };
  }
  return prepared;
}

function tell(told, processes, field, value, isContainer) {
  if (!value) return;
  if (field === "process") {
    addName(processes, strip(value));
    if (isContainer) told.container = strip(value);
  } else if (field !== "rank" || !("rank" in told)) {
    told[field] = value;
  }
}

/** How a level is called in messages. */
export function levelName(level) {
  return Object.hasOwn(tables.prefixes.LEVELS, level) ? tables.prefixes.LEVELS[level] : level;
}

/** One more tag of the process, unless it says the same again: `[rank0]:[Rank 0]`. */
function addName(processes, name) {
  const bare = (each) => each.toLowerCase().replaceAll(" ", "");
  if (!processes.some((known) => bare(known) === bare(name))) processes.push(name);
}

/** `Worker_TP3 pid=41` is rank 3. */
function rankOf(processes) {
  for (const process of processes) {
    const found = tables.peel.RANK_IN_NAME.search(process.replaceAll("_EP", " EP").replaceAll("_PP", " PP"));
    if (found && !process.startsWith("EngineCore")) return Number(found[1]);
  }
  return null;
}

/** Without what closes the line: a box border, Ray's repetition note, padding, the end of a JSON field. */
function trim(line, strand) {
  const own = tables.peel;
  let left = strand;
  if (line.prefix.names.includes("json-field")) left = left.cut(0, own.FIELD_END.search(left.text).index);
  const quoted = /['"][ \t,;]*$/.test(left.text) ? own.QUOTED.matchSpans(left.text) : null;
  if (quoted) left = left.cut(...quoted.indices[2]);
  for (;;) {
    const begin = Math.max(left.length - own.REACH, 0); // a closer is looked for in reach of the end: a line may be nothing but borders
    const near = left.text.slice(begin);
    if (!own.CLOSERS.has(near.at(-1)) && !near.includes("across cluster]")) break;
    const found = own.TAIL.search(near);
    if (found === null || !found[0]) break;
    left = left.cut(0, begin + found.index);
  }
  return { ...line, strand: left };
}

// --- JSON

/** The texts inside a line that is one JSON object, or null when it is not: docker's `{"log": …}`, structured loggers' records. */
export function jsonLines(line, unescape) {
  const own = tables.peel;
  const text = line.strand.text;
  const at = text.indexOf("{");
  if (at < 0 || at > 400 || !rstrip(text).endsWith("}") || !text.includes('"')) return null;
  const record = jsonObject(text.slice(at));
  if (record === null) return null;
  const said = ["level", "levelname", "severity", "lvl"].map((key) => member(record, key)).find((value) => typeof value === "string");
  const who = own.WHO.map((key) => [key, asWord(member(record, key), key, text)]).filter(([, word]) => word !== null);
  const joined = (words) => words.map(([, word]) => word).join(" ");
  const container = joined(who.filter(([key]) => own.WHERE.has(key)));
  const prefix = { ...NO_PREFIX, process: joined(who), container, level: levelName((said ?? "").toUpperCase()), names: ["json"] };
  const values = [];
  let key = "";
  const journal = Object.hasOwn(record, "MESSAGE"); // journald's: its twenty other fields are about the message
  for (const found of own.STRING.all(text, at, "dgu")) {
    if (found[2]) {
      key = found[1];
    } else if (journal && key !== "MESSAGE") {
      continue;
    } else if (found[3]) {
      const texts = spelled(line.strand.cut(...found.indices[3]));
      if (own.TEXTS.has(key) || texts.some((piece) => strip(piece.text))) values.push(texts);
    } else if (!own.META.has(key) && (strip(found[1]) || own.TEXTS.has(key))) {
      values.push(unescape(line.strand.cut(...found.indices[1])));
    }
  }
  values.sort((left, right) => left.length - right.length); // short fields first: under a traceback they would be taken for its end
  return values.flat().map((piece) => makeLine(piece, piece, line.number, prefix, line.repairs));
}

/** The lines of a text of which the bytes are listed, each where the list begins; none where it is a list of other numbers. */
function spelled(numbers) {
  const values = numbers.text.split(",").map(Number);
  if (values.some((value) => value > 255)) return [];
  const text = narrowMore(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(values)));
  return splitLines(text).map(([, body]) => plain(Strand.of(body, numbers.raw(0))));
}

function member(record, key) {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A value as Python writes it: texts, whole numbers, truth values; nothing else names a process. */
function asWord(value, key, text) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "number") return null;
  const found = new RegExp(`"${key}"\\s*:\\s*(-?\\d+)\\s*[,}]`).exec(text); // `1.0` is no whole number
  return found && Number(found[1]) === value ? found[1].replace(/^-0$/, "0") : null;
}

const NO_JSON = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

function jsonObject(text) {
  for (const source of [text, text.replace(NO_JSON, (part) => (part[0] === '"' ? part : "0.5"))]) {
    try {
      const record = JSON.parse(source);
      return record !== null && typeof record === "object" && !Array.isArray(record) ? record : null;
    } catch {
      // Python's reader takes NaN and Infinity, which metrics in logs have; the second round is without them.
    }
  }
  return null;
}
