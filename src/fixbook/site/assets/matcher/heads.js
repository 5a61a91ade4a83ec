// What a tool put before every line, and no row of the table knows: it is learned from the tracebacks of the log itself.
//
// A line of a traceback tells where text begins: what stands before an indented frame and, the same but for its digits, before other
// lines is no text of the program.

import { endOf } from "./pattern.js";
import { NO_PREFIX, levelName, makeLine, peel } from "./peel.js";
import { Strand } from "./strand.js";
import { characters, compare, rstrip, strip } from "./text.js";
import { tables } from "./tables.js";

/** The heads of one log: for each form the pattern, and the names of those that wrote under it. */
export class Heads {
  constructor(patterns) {
    this.patterns = patterns;
  }

  /** The line without its head and what stood before that, and what they told; the line itself and null where it has none. */
  take(line) {
    if (!this.patterns.length || !line.strand.text) return [line, null];
    const peeled = peel(line);
    for (const [pattern, names] of this.patterns) {
      pattern.lastIndex = 0;
      const found = pattern.exec(peeled.strand.text);
      if (found) return [{ ...line, strand: peeled.strand.cut(endOf(found)), prefix: NO_PREFIX }, told(peeled.prefix, found[0], names)];
    }
    return [line, null];
  }
}

/** The heads of a log: each stands before a frame and before at least one more line. */
export function learn(lines) {
  const own = tables.heads;
  const forms = new Set();
  for (const line of lines) {
    if (!line.strand.text.includes(own.FRAME) || forms.size >= own.MOST) continue;
    const head = headOf(line);
    if (head) forms.add(formOf(head));
  }
  if (!forms.size) return new Heads([]);
  const texts = lines.map((line) => peel(line).strand.text);
  const sorted = [...forms].sort((left, right) => compare([-left.length, left], [-right.length, right]));
  return new Heads(sorted.map((form) => known(form, texts)).filter(Boolean));
}

/** What stands between the known prefixes of a line and the frame that begins there; "" for nothing, or for a text. */
function headOf(line) {
  const own = tables.heads;
  const text = peel(line).strand.text;
  const at = text.indexOf(own.FRAME);
  const head = text.slice(0, Math.max(at, 0));
  if (at > own.LONGEST || !strip(head) || own.TEXT.test(rstrip(head))) return "";
  for (let end = 1; end < head.length; end += 1) {
    if (own.BORDERS.includes(head[end - 1]) && !" \t".includes(head[end]) && isKnown(head.slice(end))) return head.slice(0, end);
  }
  return head;
}

/** Whether a text is nothing but prefixes of the table. */
function isKnown(text) {
  const strand = Strand.of(text + tables.heads.HEADER);
  return peel(makeLine(strand, strand, 0)).strand.text === tables.heads.HEADER;
}

/** A head whose numbers are 0: they may differ. */
function formOf(head) {
  return tables.heads.NUMBER.replace(head, () => "0");
}

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/** The pattern of a form, with its heads that are names; null where it has no second line. */
function known(form, texts) {
  const pattern = new RegExp(form.split("0").map((part) => part.replace(SPECIAL, "\\$&")).join("[0-9]+"), "uy");
  const heads = new Set();
  let lines = 0;
  for (const text of texts) {
    pattern.lastIndex = 0;
    const found = pattern.exec(text);
    if (found) {
      heads.add(found[0]);
      lines += 1;
    }
  }
  if (lines < 2) return null;
  const named = 2 * heads.size <= lines && !tables.heads.WHEN.test([...heads][0]);
  return [pattern, named ? heads : new Set()];
}

/** What the prefixes before a head told, with what the head tells. */
function told(prefix, head, names) {
  const own = tables.heads;
  const level = own.LEVEL.search(head);
  const process = names.has(head) && !level ? strip(head, characters(own.EDGES)) : "";
  return {
    ...prefix,
    process: [prefix.process, process].filter(Boolean).join(" "),
    level: prefix.level || levelName(level ? level[0].toUpperCase() : ""),
    names: [...prefix.names, "head"],
  };
}
