// The texts of a log by the words in them, so that a literal is looked for only where its words stand.

const LETTERS = /[A-Za-z]+/g;

export class Haystack {
  constructor(texts) {
    this.texts = texts;
    this.places = new Map(); // word → the numbers of the texts in which it stands, ascending
    texts.forEach((text, number) => {
      for (const word of text.match(LETTERS) ?? []) {
        const known = this.places.get(word);
        if (known === undefined) this.places.set(word, [number]);
        else if (known.at(-1) !== number) known.push(number);
      }
    });
    this.words = `\n${[...this.places.keys()].join("\n")}\n`;
  }

  /** The numbers of the texts in which one of the literals stands, ascending. */
  holding(literals) {
    const found = new Set();
    for (const literal of literals) {
      for (const number of this.around(literal)) if (this.texts[number].includes(literal)) found.add(number);
    }
    return [...found].sort((left, right) => left - right);
  }

  /** The numbers of texts that have the words of the literal, or something longer where it may begin or end within a word. */
  around(literal) {
    const { whole, part } = wordsOf(literal);
    if (whole.length) {
      const lists = whole.map((word) => this.places.get(word) ?? []);
      return lists.reduce((rarest, list) => (list.length < rarest.length ? list : rarest));
    }
    return part ? this.containing(part) : this.texts.keys();
  }

  *containing(part) {
    for (let at = this.words.indexOf(part); at >= 0; ) {
      const end = this.words.indexOf("\n", at);
      yield* this.places.get(this.words.slice(this.words.lastIndexOf("\n", at) + 1, end));
      at = this.words.indexOf(part, end);
    }
  }
}

const known = new Map();

/** The words of a literal that stand in it whole, and the longest of those at its ends. */
function wordsOf(literal) {
  if (!known.has(literal)) {
    const words = [...literal.matchAll(LETTERS)];
    const isWhole = (found) => found.index > 0 && found.index + found[0].length < literal.length;
    const ends = words.filter((found) => !isWhole(found)).map((found) => found[0]);
    const part = ends.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
    known.set(literal, { whole: words.filter(isWhole).map((found) => found[0]), part });
  }
  return known.get(literal);
}
