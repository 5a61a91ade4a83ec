// Settings in running text: `name=value, …` of a configuration line, `{'name': value}` of an argument dump, `--name value` of a command.

import { endOf } from "./pattern.js";
import { characters, rstrip, strip } from "./text.js";
import { tables } from "./tables.js";

const QUOTES = characters("'\"");
const POINTS = characters(":;,.");

/** The settings in `text` from `start` on, to the end of the bracket in which `start` stands: `{name, value, at, owner}`. */
export function pairs(text, start = 0) {
  const body = text.slice(0, start + tables.settings.LIMIT);
  const out = [];
  const owners = [];
  let name = "";
  let before = "";
  let [begin, end] = [-1, -1];
  const put = () => {
    if (name && begin >= 0) out.push({ name, value: text.slice(begin, end), at: begin, owner: owners.at(-1) ?? "" });
  };
  for (const found of tables.settings.TOKEN.all(body, start)) {
    const kind = kindOfToken(found.groups);
    if (kind === "comma" || kind === "close") {
      put();
      if (kind === "close" && !owners.length) return out;
      if (kind === "close") owners.pop();
      [name, before, begin] = ["", "", -1];
    } else if (kind === "open") {
      owners.push(name || (owners.at(-1) ?? ""));
      [name, before, begin] = ["", "", -1];
    } else if (kind === "is" && !name) {
      name = strip(before, QUOTES);
    } else if (name) {
      begin = begin < 0 ? found.index : begin;
      end = endOf(found);
    } else {
      before = found[0];
    }
  }
  put();
  return out;
}

function kindOfToken(groups) {
  return ["comma", "close", "open", "is"].find((kind) => groups[kind] !== undefined) ?? "word";
}

/** The flags of a command line from `start` on, dashes in names as `_`; a flag without a value is `true`. */
export function flags(text, start = 0) {
  const body = text.slice(0, start + tables.settings.LIMIT);
  const out = [];
  let at = start;
  for (let found = next(body, at); found !== null; found = next(body, at)) {
    const { value, gap } = found.groups;
    const name = found.groups.name.replaceAll("-", "_");
    at = endOf(found);
    if (value === undefined) {
      out.push({ name, value: "true", at: found.index, owner: "" });
    } else if (gap !== "=" && strip(value, QUOTES).startsWith("-")) {
      at = found.indices.groups.value[0]; // the next word is a flag of its own: this one had no value
      out.push({ name, value: "true", at: found.index, owner: "" });
    } else if (!/^[{[]/.test(value) || gap === "=") {
      out.push({ name, value: rstrip(value, POINTS), at: found.indices.groups.value[0], owner: "" });
    }
  }
  return out;
}

function next(text, at) {
  return tables.settings.FLAG.search(text, at, "dgu");
}
