// Messages → hits: every signature whose literals stand in the log is looked for in the messages of its place.

import { Haystack } from "./haystack.js";
import { bookPattern } from "./pattern.js";
import { compare } from "./text.js";
import { tables } from "./tables.js";
import { begins, isOver, isSkipped } from "./watch.js";

/** The message's text, then its readings, each with the repairs it took. */
export function textsOf(message) {
  const out = [[message.repairs, message.strand]];
  for (const [name, strand] of message.readings) {
    out.push([[...message.repairs, ...name.split("+").filter((part) => part && !message.repairs.includes(part))], strand]);
  }
  return out;
}

/** The texts of all messages, in the order in which `textsOf` gives them, made ready for a search. */
export function haystackOf(log) {
  return new Haystack(log.messages.flatMap((message) => [message.strand.text, ...message.readings.map(([, strand]) => strand.text)]));
}

/** All hits of the entries' signatures, in the order of the log, and what was given up. */
export function scan(log, entries, haystack) {
  const finder = new Finder(log, haystack);
  const wanted = entries.flatMap((entry) => entry.signatures.map((signature) => [entry, signature]));
  wanted.sort(([entry, signature], [other, its]) => compare([entry.id, signature.id], [other.id, its.id]));
  for (const [entry, signature] of wanted) finder.look(entry, signature, `${entry.id}#${signature.id}`);
  for (const { id, leftOut } of entries) {
    for (const name of leftOut) finder.skipped.push({ what: `${id}#${name}`, reason: "not in a browser", line: 0 });
  }
  const key = (hit) => [hit.line, hit.column, hit.entry, hit.signature, hit.message];
  return { hits: finder.hits.sort((left, right) => compare(key(left), key(right))), skipped: finder.skipped };
}

class Finder {
  constructor(log, haystack) {
    this.log = log;
    this.haystack = haystack;
    this.hits = [];
    this.skipped = [];
    this.texts = log.messages.flatMap((message) => textsOf(message).map(([repairs, strand]) => ({ message, repairs, strand })));
    this.atLine = new Map();
    for (const message of log.messages) {
      if (message.place !== "message") continue;
      for (const place of [`${message.line} ${message.process}`, message.line]) {
        if (!this.atLine.has(place)) this.atLine.set(place, message);
      }
    }
  }

  /** Find the signature: in each message the plainest text that matches counts. */
  look(entry, signature, key) {
    const where = isSkipped(key) ? [] : this.where(signature);
    if (!where.length) return;
    begins(key);
    this.lookIn(where, entry, signature, key);
  }

  lookIn(where, entry, signature, key) {
    const { MOST_HITS, MOST_TRIES } = tables.scan;
    const pattern = bookPattern(signature.pattern);
    const within = signature.with ? bookPattern(signature.with) : null;
    const found = new Set();
    for (const [tried, at] of this.inTurn(where).entries()) {
      const text = this.texts[at];
      if (found.has(text.message.index) || !this.isPlace(text.message, signature)) continue;
      if (within !== null && !this.endsIn(text.message, within)) continue;
      if (found.size >= MOST_HITS || tried >= MOST_TRIES) {
        const reason = found.size >= MOST_HITS ? `more than ${MOST_HITS} hits` : `more than ${MOST_TRIES} texts`;
        this.skipped.push({ what: key, reason, line: text.message.line });
        return;
      }
      const hit = this.search(entry, signature, pattern, text);
      if (hit !== null) {
        found.add(text.message.index);
        this.hits.push(hit);
      }
      if (isOver()) {
        this.skipped.push({ what: key, reason: "time limit", line: text.message.line });
        return;
      }
    }
  }

  /** The texts in which a literal of the pattern stands, in order; all of them where none is known. */
  where(signature) {
    const { literals, fold } = signature;
    if (!literals.length) return [...this.texts.keys()];
    if (!fold) return this.haystack.holding(literals);
    this.folded ??= new Haystack(this.texts.map((text) => text.strand.text.toLowerCase()));
    return this.folded.holding(literals);
  }

  /** Where there may be more than is read: the first message, the last, the second, the last but one … */
  inTurn(where) {
    if (where.length <= tables.scan.MOST_HITS) return where;
    const messages = [];
    let last = null;
    for (const at of where) {
      const { message } = this.texts[at];
      if (message !== last) messages.push([]);
      last = message;
      messages.at(-1).push(at);
    }
    const half = Math.ceil(messages.length / 2);
    const behind = messages.slice(half).reverse();
    return messages.slice(0, half).flatMap((texts, at) => [...texts, ...(behind[at] ?? [])]);
  }

  isPlace(message, signature) {
    if (signature.place) return message.place === signature.place;
    return message.place === "message" || message.place === "exception" || (message.place === "source" && this.isUntold(message));
  }

  /** A source line that alone tells of the failure: the traceback is cut before its exception. */
  isUntold(message) {
    return message.traceback !== null && message.innermost && this.log.tracebacks[message.traceback].exception === null;
  }

  /** `with`: the message is the innermost frame of a traceback whose exception matches. */
  endsIn(message, within) {
    if (message.traceback === null || !message.innermost) return false;
    const at = this.log.tracebacks[message.traceback].exception;
    return at !== null && textsOf(this.log.messages[at]).some(([, strand]) => within.test(strand.text));
  }

  search(entry, signature, pattern, text) {
    for (const [start, part] of windows(text.strand.text)) {
      const found = pattern.search(part);
      if (found !== null) return this.hit(entry, signature, text, start, found);
    }
    return null;
  }

  hit(entry, signature, { message, strand, repairs }, start, found) {
    const [line, column] = this.log.locate(strand.raw(start + found.index));
    const moved = message.place === "message" && line !== message.line;
    const at = (moved && (this.atLine.get(`${line} ${message.process}`) ?? this.atLine.get(line))) || message;
    const teller = at.process || at.rank !== null ? at : message; // the second half of a wrapped line lost its prefix
    const isRetold = message.place === "source" && !signature.place && at.status === "raised";
    return {
      entry: entry.id,
      signature: signature.id,
      message: at.index,
      source: this.log.name,
      line,
      column,
      text: this.log.rawLine(line),
      matched: found[0],
      captures: Object.fromEntries(Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined)),
      place: message.place,
      status: isRetold ? "reported" : at.status,
      process: teller.process,
      rank: teller.rank,
      run: at.run,
      episode: at.episode,
      repairs,
      afterFix: signature.afterFix,
      shared: signature.shared,
    };
  }
}

/** The text in pieces that a pattern may see at once. */
function windows(text) {
  const size = tables.scan.WINDOW;
  if (text.length <= size) return [[0, text]];
  const out = [];
  for (let start = 0; start < text.length; start += size / 2) out.push([start, text.slice(start, start + size)]);
  return out;
}
