// What a log states about its system, with the line it was read from, and which statement holds for a hit.

import { kindOf, normalise } from "./fact_values.js";
import { endOf } from "./pattern.js";
import { flags, pairs } from "./settings.js";
import { characters, compare, lstrip, strip } from "./text.js";
import { tables } from "./tables.js";
import { beat } from "./watch.js";

const QUOTES = characters("'\"");

/** What the log states, in the order in which it is stated; a repetition of the same value in the same run is left out. */
export function readFacts(log, haystack) {
  const pieces = new Pieces(log, haystack);
  const found = [];
  for (const extractor of tables.facts.EXTRACTORS) {
    beat("facts");
    for (const [message, strands] of pieces.thatContain(extractor.literals)) {
      if (mayLook(extractor, message)) found.push(...plainest(extractor, message, strands, log));
    }
  }
  const key = ([at, fact]) => [fact.index, at];
  return withoutRepetitions(found.sort((left, right) => compare(key(left), key(right))).map(([, fact]) => fact));
}

/** Facts that the caller states, by name; what states nothing (`auto`) is left out. */
export function statedByCaller(facts) {
  const known = Object.entries(facts).map(([name, stated]) => [name, stated, normalise(name, stated)]);
  return known.filter((each) => each[2] !== null).map(([name, stated, value]) => makeFact(name, value, stated, "caller", 0, 0, -1));
}

function makeFact(name, value, stated, source, line, run, index) {
  return { name, value, stated, source, line, run, index };
}

/** The statement of a fact that holds for a hit: its own capture, the caller's, the last one before it in its run, the next after it. */
function valueFor(facts, name, hit) {
  const kind = kindOf(name);
  const told = Object.hasOwn(hit.captures, name) ? hit.captures[name] : "";
  const captured = kind && told ? normalise(name, told) : null;
  if (captured !== null) return makeFact(name, captured, told, "capture", hit.line, hit.run, hit.message);
  let [before, after, other] = [null, null, null];
  for (const fact of facts) {
    if (fact.name !== name) continue;
    if (fact.source === "caller") return fact;
    if (fact.run !== hit.run) other = other === null || fact.index <= hit.message ? fact : other;
    else if (fact.index <= hit.message) before = fact;
    else after ??= fact;
  }
  return before ?? after ?? (kind && kind[2] ? other : null);
}

/** A function of a fact's name: what holds for one hit, or null. */
export function lookupFor(hit, facts) {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, valueFor(facts, name, hit));
    return known.get(name);
  };
}

// --- the texts of a log

class Pieces {
  constructor(log, haystack) {
    this.parts = log.messages.flatMap((message) => textsOf(message).map((strand) => [message, strand]));
    this.haystack = haystack;
  }

  /** The messages that contain one of the literals, with those of their texts that do, the plainest first. */
  thatContain(literals) {
    const byMessage = new Map();
    for (const part of this.haystack.holding(literals)) {
      const [message, strand] = this.parts[part];
      if (!literals.some((literal) => strand.text.includes(literal))) continue; // it stood in what was cut off
      if (!byMessage.has(message.index)) byMessage.set(message.index, [message, []]);
      byMessage.get(message.index)[1].push(strand);
    }
    return byMessage.values();
  }
}

/** The message, what was peeled off in front of it, and its readings. */
function textsOf(message) {
  const text = message.strand.text;
  // A reading that only has the prefix back would be searched twice.
  const others = message.readings.map(([, strand]) => (strand.text.endsWith(text) ? strand.cut(0, strand.length - text.length) : strand));
  return [message.strand, ...others];
}

function mayLook(extractor, message) {
  return extractor.places.includes(message.place) && !(extractor.typed && message.severity);
}

// --- one extractor

/** What one extractor finds in a message: of each fact what the first text says that states it. */
function plainest(extractor, message, strands, log) {
  const named = new Set();
  const out = [];
  for (const strand of strands) {
    const facts = factsOf(extractor, message, strand, log);
    out.push(...facts.filter(([, fact]) => !named.has(fact.name)));
    for (const [, fact] of facts) named.add(fact.name);
  }
  return out;
}

/** `[offset in the text, fact]` of what one extractor finds in one text. */
function factsOf(extractor, message, strand, log) {
  const out = [];
  let count = 0;
  for (const found of extractor.pattern.all(strand.text, 0, "dgu")) {
    if (count === tables.facts.MOST_MATCHES) break;
    count += 1;
    for (const [name, stated, at] of statements(extractor, found, strand.text)) {
      const value = normalise(name, stated);
      if (value === null || kindOf(name) === null) continue;
      out.push([at, makeFact(name, value, stated, log.name, log.locate(strand.raw(at))[0], message.run, message.index)]);
    }
    if (extractor.then === "flags") break; // the flags up to the end of the message are read
  }
  return out;
}

/** `[name of the fact, what is stated, offset]` of one match. */
function statements(extractor, found, text) {
  const out = Object.entries(extractor.states).map(([name, value]) => [name, value, found.index]);
  const groups = Object.entries(found.groups ?? {}).filter(([, value]) => value);
  const start = (name) => found.indices.groups[name][0];
  const named = Object.fromEntries(groups);
  if (named.package) out.push([versionName(named.package), named.version, start("version")]);
  for (const [name, value] of groups) {
    if (!named.package || (name !== "package" && name !== "version")) out.push([name, value, start(name)]);
  }
  out.push(...following(extractor, found, text).flatMap(settingFacts));
  return out;
}

function following(extractor, found, text) {
  if (extractor.then === "pairs") {
    const settings = pairs(text, endOf(found));
    return extractor.code ? settings.filter((setting) => tables.facts.LITERAL.fullmatch(setting.value)) : settings;
  }
  return extractor.then === "flags" && !lstrip(text).startsWith("usage:") ? flags(text, found.index) : [];
}

function versionName(given) {
  const name = given.toLowerCase().replaceAll("-", "_");
  const known = tables.facts_table.PACKAGE_NAMES;
  return `${Object.hasOwn(known, name) ? known[name] : name}_version`;
}

function isSwitch(name) {
  return kindOf(name)?.[0] === "flag";
}

function settingFacts({ name, value, at, owner }) {
  const { ARGUMENTS, VALUE_FLAGS } = tables.facts_table;
  const key = owner ? `${owner}.${name}` : name;
  if (Object.hasOwn(ARGUMENTS, key)) {
    // A flag that is no switch and has no value: that stands on the next line.
    return value !== "true" || isSwitch(ARGUMENTS[key]) ? [[ARGUMENTS[key], value, at]] : [];
  }
  if (Object.hasOwn(VALUE_FLAGS, key) && normalise("enforce_eager", value) === "true") return [[...VALUE_FLAGS[key], at]];
  if (key !== "speculative_config") return [];
  // On a command line it is JSON in quotes.
  const inner = pairs(strip(value, QUOTES)).filter((setting) => setting.name === "method");
  return inner.map((setting) => ["speculative_method", setting.value, at]);
}

function withoutRepetitions(facts) {
  const last = new Map();
  const seen = new Set(); // a second reading of the same line says nothing new
  return facts.filter((fact) => {
    const place = `${fact.name} ${fact.run}`;
    const key = `${fact.name} ${fact.line} ${fact.value}`;
    if (last.get(place) === fact.value || seen.has(key)) return false;
    last.set(place, fact.value);
    seen.add(key);
    return true;
  });
}
