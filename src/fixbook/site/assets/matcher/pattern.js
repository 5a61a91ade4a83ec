// A pattern of Python, run by JavaScript. The source comes from the parse tree of the original; the flag is `u` alone.

import { asNarrowed } from "./narrow.js";

const BEYOND = /\\u\{([0-9a-f]+)\}/g;

const GROUP = /\\[^]|\[(?:\\[^]|[^\]])*\]|\((?!\?)|\(\?<([a-z_0-9]+)>/gi;

/** What `re.Pattern` does, with what it takes and gives: places count from the beginning of the whole text. */
export class Pattern {
  constructor(source) {
    this.source = source;
    this._made = {};
  }

  _flags(flags) {
    const known = this._made[flags];
    if (known) return known;
    const made = new RegExp(this.source, flags);
    this._made[flags] = made;
    return made;
  }

  /** The match that begins exactly at `at`, or null. */
  match(text, at = 0) {
    const made = this._flags("uy");
    made.lastIndex = at;
    return made.exec(text);
  }

  /** The same, with `indices`: the spans of its groups. */
  matchSpans(text, at = 0) {
    const made = this._flags("duy");
    made.lastIndex = at;
    return made.exec(text);
  }

  /** The first match from `at` on, or null; with the flags "dgu" it has `indices`. */
  search(text, at = 0, flags = "gu") {
    const made = this._flags(flags);
    made.lastIndex = at;
    return made.exec(text);
  }

  test(text) {
    return this.search(text) !== null;
  }

  /** All matches from `at` on, not overlapping; with the flags "dgu" they have `indices`. */
  *all(text, at = 0, flags = "gu") {
    for (let next = at; next <= text.length; ) {
      const found = this.search(text, next, flags);
      if (found === null) return;
      yield found;
      next = endOf(found) + (found[0] === "" ? 1 : 0);
    }
  }

  /** The match of the whole text, or null. */
  fullmatch(text) {
    this._whole ??= new RegExp(`^(?:${this.source})$`, "u");
    return this._whole.exec(text);
  }

  /** The same pattern with groups by number only, and the number of each name: many names make a match dear. */
  numbered() {
    const numbers = {};
    let number = 0;
    const source = this.source.replace(GROUP, (part, name) => {
      if (part[0] !== "(") return part;
      number += 1;
      if (name) numbers[name] = number;
      return "(";
    });
    return [new Pattern(source), numbers];
  }

  /** The text with every match replaced by what `make` gives for it. */
  replace(text, make) {
    const made = this._flags("gu");
    made.lastIndex = 0;
    return text.replace(made, typeof make === "function" ? (...given) => make(given) : () => make);
  }
}

/** Where a match ends. */
export function endOf(match) {
  return match.index + match[0].length;
}

/** A pattern of the book, ready for the text at hand: characters beyond U+FFFF stand in it as they stand in the text. */
export function bookPattern(source) {
  return new Pattern(source.replace(BEYOND, (whole, code) => (code === "10ffff" ? whole : asNarrowed(String.fromCodePoint(parseInt(code, 16))))));
}
