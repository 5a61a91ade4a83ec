// Many texts end to end, so that a literal that occurs nowhere costs one search and not one a text.

import { bisectRight } from "./text.js";

const LETTERS = /[A-Za-z]+/g;

export class Haystack {
  constructor(texts) {
    this.text = texts.join("\n");
    this.starts = [];
    let at = 0;
    for (const text of texts) {
      this.starts.push(at);
      at += text.length + 1;
    }
    // The different words of a log are a tenth of it: most literals are gone after a look at them.
    this.words = [...new Set(this.text.match(LETTERS) ?? [])].join(" ");
  }

  /** Whether the literal stands somewhere. */
  has(literal) {
    return this.words.includes(longestWord(literal)) && this.text.includes(literal);
  }

  /** The numbers of the texts in which one of the literals stands, ascending. */
  holding(literals) {
    const found = new Set();
    for (const literal of literals) {
      if (!this.words.includes(longestWord(literal))) continue;
      let at = this.text.indexOf(literal);
      while (at >= 0) {
        const number = bisectRight(this.starts, at) - 1;
        found.add(number);
        if (number + 1 === this.starts.length) break;
        at = this.text.indexOf(literal, this.starts[number + 1]);
      }
    }
    return [...found].sort((left, right) => left - right);
  }
}

const known = new Map();

function longestWord(literal) {
  let word = known.get(literal);
  if (word === undefined) {
    word = (literal.match(LETTERS) ?? []).reduce((longest, each) => (each.length > longest.length ? each : longest), "");
    known.set(literal, word);
  }
  return word;
}
