// The tables of the Python program, made ready. Rooms name what they need as `tables.<room>.<NAME>`; the site's builder reads these names
// in the sources and takes the values from the Python rooms of the same name, so that nothing is written twice.

import { Pattern } from "./pattern.js";

export const tables = {};

/** Takes the tables of a book; values with a mark become patterns and sets. */
export function install(data) {
  for (const [room, values] of Object.entries(data)) tables[room] = ready(values);
}

function ready(value) {
  if (Array.isArray(value)) return value.map(ready);
  if (value === null || typeof value !== "object") return value;
  if ("re" in value && "words" in value) return { words: value.words, pattern: new Pattern(value.re) };
  if ("re" in value) return new Pattern(value.re);
  if ("set" in value) return new Set(value.set);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ready(each)]));
}
