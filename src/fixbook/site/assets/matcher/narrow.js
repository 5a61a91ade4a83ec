// One unit for each character. JavaScript counts a character beyond U+FFFF as two, Python as one: columns, widths and limits would differ.
// So a text is read with such characters replaced, each by one of its kind that the text does not hold, and put back in what is said.

const FIRST_PRIVATE = 0xe000;
const LAST_PRIVATE = 0xf8ff;
// Letters of the Yi script and digits of the Vai script stand for letters and digits, so that `\w` and `\d` see what is there.
const FIRST_LETTER = 0xa000;
const LAST_LETTER = 0xa48c;
const FIRST_DIGIT = 0xa620;
const LAST_DIGIT = 0xa629;
const BEYOND = /[\ud800-\udbff][\udc00-\udfff]/g;
const STAND_INS = /[\ua000-\ua48c\ua620-\ua629\ue000-\uf8ff]/g;

let used = new Map(); // character → what stands for it
let back = new Map();
let taken = new Set();
let next = {};

/** The text with one unit for each character; begins anew, so that `widen` belongs to this text. */
export function narrow(text) {
  used = new Map();
  back = new Map();
  taken = new Set(text.match(STAND_INS) ?? []);
  next = { other: FIRST_PRIVATE, letter: FIRST_LETTER, digit: FIRST_DIGIT };
  return narrowMore(text);
}

/** Text that came in later, out of an entity or an escape. */
export function narrowMore(text) {
  return text.replace(BEYOND, standIn);
}

export function widen(text) {
  return back.size ? text.replace(STAND_INS, (unit) => back.get(unit) ?? unit) : text;
}

/** A character of a pattern as it stands in the narrowed text, or itself where the text does not hold it. */
export function asNarrowed(character) {
  return used.get(character) ?? character;
}

function standIn(character) {
  const known = used.get(character);
  if (known) return known;
  const unit = free(/\p{Nd}/u.test(character) ? "digit" : /[\p{L}\p{N}]/u.test(character) ? "letter" : "other");
  used.set(character, unit);
  if (unit !== "\ufffd") back.set(unit, character);
  return unit;
}

function free(kind) {
  const last = { other: LAST_PRIVATE, letter: LAST_LETTER, digit: LAST_DIGIT }[kind];
  while (next[kind] <= last) {
    const unit = String.fromCharCode(next[kind]);
    next[kind] += 1;
    if (!taken.has(unit)) return unit;
  }
  return "\ufffd";
}

/** The bytes of a narrowed text in UTF-8. A half of a pair that stands alone has three bytes, as Python writes it. */
export function utf8(text) {
  const out = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = (back.get(text[at]) ?? text[at]).codePointAt(0);
    if (code < 0x80) out.push(code);
    else if (code < 0x800) out.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) out.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else out.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return Uint8Array.from(out);
}
