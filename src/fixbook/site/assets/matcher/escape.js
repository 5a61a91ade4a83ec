// Log text is hostile: what it has to become before it stands in Markdown or in a shell command.

import { narrowMore, widen } from "./narrow.js";
import { tables } from "./tables.js";
import { strip } from "./text.js";

/** The text with every character that acts instead of showing written as an escape (`\x1b`, `\u202e`); newline and tab stay. */
export function visible(text) {
  return narrowMore(tables.escape.ACTS.replace(widen(text.replaceAll("\r\n", "\n")), named));
}

function named(character) {
  const code = character.codePointAt(0);
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** The text made visible on one line, at most `limit` characters with `…` for the rest. */
export function oneLine(text, limit = tables.escape.LONGEST_VALUE) {
  const line = strip(visible(tables.escape.SPACES.replace(text.slice(0, limit * 4), " ")));
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** A Markdown code span that shows the value, whatever backticks it holds. */
export function codeSpan(value) {
  const inner = oneLine(value);
  if (!inner) return "` `";
  const ticks = "`".repeat(longestRun(inner) + 1);
  const pad = inner.startsWith("`") || inner.endsWith("`") ? " " : "";
  return `${ticks}${pad}${inner}${pad}${ticks}`;
}

/** The value for running Markdown text: as it is where it is a plain word or number, else as a code span. */
export function proseWord(value) {
  const own = tables.escape;
  const word = oneLine(value);
  return own.PLAIN_WORD.fullmatch(word) && !own.WWW.test(word) ? word : codeSpan(word);
}

/** The backtick fence that no run of backticks in the code can close. */
export function fenceFor(code) {
  return "`".repeat(Math.max(3, longestRun(code) + 1));
}

function longestRun(text) {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** The value as one word of a shell command, or null where it cannot be made one; `isQuoted`: it lands inside the author's quotes. */
export function shellWord(value, isQuoted) {
  if (/^-(?!\p{Nd})/u.test(value)) return null; // it would be read as an option
  if (tables.escape.SHELL_SAFE.fullmatch(value)) return value;
  if (isQuoted || !value || value.length > tables.escape.LONGEST_VALUE || visible(value) !== value || /[\n\t]/.test(value)) return null;
  return `'${value.replaceAll("'", "'\"'\"'")}'`;
}
