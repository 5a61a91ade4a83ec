// The book's prose is Markdown with `{name}` placeholders: each value is put in as the place where it lands needs it.

import { codeSpan, fenceFor, oneLine, proseWord, shellWord } from "./escape.js";
import { endOf } from "./pattern.js";
import { tables } from "./tables.js";
import { strip } from "./text.js";

/** What stands for the placeholders: `known` from the log, raw and hostile; `words` of the book where nothing was captured. */
export class Values {
  constructor(known, words) {
    this.known = new Map(Object.entries(known));
    this.words = new Map(Object.entries(words));
  }

  inText(name) {
    if (this.known.has(name)) return proseWord(this.known.get(name));
    return this.words.get(name) || codeSpan(this.standIn(name));
  }

  inCode(name) {
    return this.known.has(name) ? oneLine(this.known.get(name)) : this.standIn(name);
  }

  inCommand(name, isQuoted) {
    const word = this.known.has(name) ? shellWord(strip(this.known.get(name)), isQuoted) : null;
    return word ?? this.standInCommand(name);
  }

  inUrl(name) {
    const value = (this.known.get(name) ?? name).replace(/[\ud800-\udfff]/g, "?");
    return encodeURIComponent(value).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  }

  standIn(name) {
    const word = this.words.get(name) ?? name.toUpperCase();
    return tables.filling.ONE_WORD.fullmatch(word) ? word : `<${word}>`;
  }

  /** The same for a shell, to which an angle bracket is a redirection. */
  standInCommand(name) {
    const word = this.standIn(name);
    return /[<>]/.test(word) ? name.toUpperCase() : word;
  }
}

/** The Markdown with its placeholders replaced, so that no value can end a code span, open a block or become markup. */
export function fill(markdown, values) {
  const out = [];
  const text = [];
  const put = () => text.length && out.push(fillInline(text.splice(0).join("\n"), values));
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const fence = tables.filling.FENCE.match(lines[at]);
    if (!fence) {
      text.push(lines[at]);
      continue;
    }
    put();
    const end = closing(lines, at + 1, fence.groups.ticks);
    out.push(fillFence(fence.groups, lines.slice(at + 1, end).join("\n"), values));
    at = end;
  }
  put();
  return out.join("\n");
}

function closing(lines, from, ticks) {
  for (let at = from; at < lines.length; at += 1) {
    const line = strip(lines[at]);
    if (line.startsWith(ticks) && !strip(line, new Set(ticks[0]))) return at;
  }
  return lines.length;
}

function fillFence({ indent, info }, code, values) {
  const filled = tables.filling.SHELLS.has(info) ? fillCommand(code, values) : fillHoles(code, (name) => values.inCode(name));
  const fence = fenceFor(filled);
  return `${indent}${fence}${info}\n${filled}\n${indent}${fence}`;
}

function fillInline(text, values) {
  const inText = (name) => values.inText(name);
  let out = "";
  let at = 0;
  for (const found of tables.filling.INLINE.all(text)) {
    out += fillHoles(text.slice(at, found.index), inText) + fillToken(found, values);
    at = endOf(found);
  }
  return out + fillHoles(text.slice(at), inText);
}

function fillToken(found, values) {
  const { escape, code, auto, words, url, strong, em } = found.groups;
  if (escape) return found[0];
  if (code) return tables.filling.HOLE.test(code) ? codeSpan(fillHoles(strip(code), (name) => values.inCode(name))) : found[0];
  if (auto) return `<${fillHoles(auto, (name) => values.inUrl(name))}>`;
  if (words) return `[${fillInline(words, values)}](${fillHoles(url, (name) => values.inUrl(name))})`;
  const stars = strong ? "**" : "*";
  return `${stars}${fillInline(strong || em, values)}${stars}`;
}

/** A shell command with its placeholders replaced by words that the shell takes as one argument each. */
function fillCommand(code, values) {
  let out = "";
  let at = 0;
  let state = "";
  for (const [start, end, name] of holes(code)) {
    state = openQuote(code.slice(at, start), state);
    out += code.slice(at, start) + (name ? values.inCommand(name, Boolean(state)) : code[start]);
    at = end;
  }
  return out + code.slice(at);
}

/** The quote that is open after `text` when `state` was open before it; "#" in a comment, where an apostrophe opens nothing. */
function openQuote(text, state) {
  let open = state;
  let before = "\n";
  for (const char of tables.filling.ESCAPED.replace(text, "  ")) {
    if (open === "#") open = char === "\n" ? "" : "#";
    else if ((char === "'" || char === '"') && (open === "" || open === char)) open = open ? "" : char;
    else if (char === "#" && !open && !strip(before)) open = "#";
    before = char;
  }
  return open;
}

function fillHoles(text, value) {
  let out = "";
  let at = 0;
  for (const [start, end, name] of holes(text)) {
    out += text.slice(at, start) + (name ? value(name) : text[start]);
    at = end;
  }
  return out + text.slice(at);
}

/** Start, end and name of each placeholder; the name is "" for a doubled brace. `}}` is one only after `{{`. */
function holes(text) {
  const out = [];
  let open = 0;
  for (const found of tables.filling.HOLE.all(text)) {
    if (found[0] === "}}" && !open) continue;
    if (found[0] === "{{") open += 1;
    if (found[0] === "}}") open -= 1;
    out.push([found.index, endOf(found), found[1] ?? ""]);
  }
  return out;
}
