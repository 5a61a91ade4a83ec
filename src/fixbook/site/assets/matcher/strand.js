// Text that knows where each of its characters stood in the raw log.

import { bisectRight } from "./text.js";

/**
 * A piece of text made from a raw text by cutting, joining and replacing. `starts` are offsets into `text`, `raws` the offsets into the
 * raw text at which the same characters stand; between two starts both count up together.
 */
export class Strand {
  constructor(text, starts = [0], raws = [0]) {
    this.text = text;
    this.starts = starts;
    this.raws = raws;
  }

  static of(text, raw = 0) {
    return new Strand(text, [0], [raw]);
  }

  /** One strand out of several; the glue maps to the character after the piece before it. */
  static join(strands, glue = "") {
    const texts = [];
    const starts = [];
    const raws = [];
    let length = 0;
    for (const strand of strands) {
      if (texts.length && glue) {
        texts.push(glue);
        length += glue.length;
      }
      for (const start of strand.starts) starts.push(start + length);
      for (const raw of strand.raws) raws.push(raw);
      texts.push(strand.text);
      length += strand.text.length;
    }
    return new Strand(texts.join(""), starts.length ? starts : [0], raws.length ? raws : [0]);
  }

  get length() {
    return this.text.length;
  }

  /** The raw offset of the character at `offset` (0 to length, the end included). */
  raw(offset) {
    const at = Math.max(bisectRight(this.starts, offset) - 1, 0);
    let step = offset - this.starts[at];
    if (at + 1 < this.raws.length && this.raws[at + 1] >= this.raws[at]) step = Math.min(step, this.raws[at + 1] - this.raws[at]);
    return this.raws[at] + step;
  }

  /** The characters from `start` to `end`, with their way back. */
  cut(start, end = this.text.length) {
    const stop = Math.min(end, this.text.length);
    const from = Math.min(Math.max(start, 0), stop);
    const first = Math.max(bisectRight(this.starts, from) - 1, 0);
    const last = Math.max(bisectRight(this.starts, Math.max(stop - 1, from)), first + 1);
    const starts = [0];
    const raws = [this.raws[first] + from - this.starts[first]];
    for (let at = first + 1; at < last; at += 1) {
      starts.push(this.starts[at] - from);
      raws.push(this.raws[at]);
    }
    return new Strand(this.text.slice(from, stop), starts, raws);
  }

  /** The strand with each `[start, end, new]` replaced; edits in order, not overlapping. */
  splice(edits) {
    const pieces = [];
    let at = 0;
    for (const [start, end, fresh] of edits) {
      if (start > at) pieces.push(this.cut(at, start));
      if (fresh) pieces.push(new Strand(fresh, [0], [this.raw(start)]));
      at = end;
    }
    if (at < this.text.length || !pieces.length) pieces.push(this.cut(at));
    return Strand.join(pieces);
  }
}
