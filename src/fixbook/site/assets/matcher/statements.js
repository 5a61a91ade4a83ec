// Lines → statements: tracebacks with their frames and exceptions, one process beside the other.
//
// A small machine for each process: it knows whether a traceback is open, whether an exception's text may go on, and which plain lines
// belong together. It takes lines that are peeled and gives drafts of messages, in the order in which the log began them.

import { endOf } from "./pattern.js";
import { sameHead, starts } from "./peel.js";
import { Strand } from "./strand.js";
import { lstrip, rstrip, strip } from "./text.js";
import { tables } from "./tables.js";

const MARKUP = new Set(" \t`*");

/** What one process has begun and not ended. */
function nothingOpen() {
  return { frames: [], traceback: null, sources: 0, exception: [], owner: -1, blank: false, block: [], last: 0, indent: 0 };
}

function indentOf(text) {
  return text.length - lstrip(text).length;
}

/** Whether a text is several lines in one: they are read where they are unescaped. */
export function hasEscapedLines(text) {
  return text.includes("\\n") && tables.statements.ESCAPED_END.test(text);
}

/** Feed lines in order, then `close()`. */
export class Statements {
  constructor() {
    this.drafts = [];
    this.tracebacks = [];
    this.open = new Map();
    this.keyed = ""; // the process whose prefix was seen last
    this.tail = []; // the last plain line with a process, and the lines without one right under it
  }

  feed(line) {
    const key = this.key(line);
    if (!this.open.has(key)) this.open.set(key, nothingOpen());
    const state = this.open.get(key);
    if (state.traceback !== null && line.number - state.last > tables.statements.GAP) this.end(state);
    state.last = line.number;
    this.one(state, line);
  }

  close() {
    for (const state of this.open.values()) {
      this.end(state);
      this.endBlock(state);
    }
    return [this.drafts, this.tracebacks];
  }

  // --- which process

  /** The process of a line; a line that names none goes on with the traceback that the last named one left open. */
  key(line) {
    const key = line.prefix.process;
    if (key) {
      this.keyed = key;
      return key;
    }
    if (!this.keyed || starts(line.prefix)) return "";
    const state = this.open.get(this.keyed);
    const own = this.open.get("");
    const isOpen = state && (state.traceback !== null || state.exception.length > 0);
    const isOwn = own && own.traceback !== null;
    return isOpen && !isOwn && line.number - state.last <= 1 ? this.keyed : "";
  }

  // --- one line

  one(state, line) {
    const own = tables.statements;
    const text = line.strand.text;
    if (!strip(text) || own.BOX.match(text)) {
      state.blank = true;
      this.endBlock(state);
      return;
    }
    const header = text.includes("Traceback") || text === "Stack trace:" ? own.HEADER.search(text) : null;
    if (hasEscapedLines(text)) {
      this.plain(state, line); // several lines in one: they are read where they are unescaped
    } else if (header && !/['"`]$/.test(rstrip(text.slice(0, header.index)))) {
      this.header(state, line, header);
    } else if (own.CHAIN.match(text)) {
      this.end(state);
    } else if (!(this.frame(state, line) || this.inside(state, line) || this.raised(state, line) || this.grow(state, line))) {
      this.plain(state, line);
    }
  }

  header(state, line, header) {
    this.end(state);
    this.endBlock(state);
    const before = line.strand.cut(0, header.index);
    const said = strip(before.text);
    if (tables.statements.WORD.test(before.text) && !tables.statements.EXCEPTION.match(said)) {
      this.plain(state, { ...line, strand: before, whole: before });
      this.endBlock(state);
    }
    this.begin(state, line);
    const rest = line.strand.cut(endOf(header));
    if (tables.statements.WORD.test(rest.text)) this.one(state, { ...line, strand: rest, whole: rest });
  }

  begin(state, line) {
    state.traceback = this.tracebacks.length;
    state.frames = [];
    state.sources = 0;
    this.tracebacks.push({ frames: [], exception: null, line: line.number, process: line.prefix.process });
  }

  frame(state, line) {
    const own = tables.statements;
    const text = line.strand.text;
    if (!text.includes("line ") && !text.includes(".py") && !text.includes("ipython")) return false;
    const found = own.FRAME.matchSpans(text) ?? own.FRAME_IPY.matchSpans(text) ?? own.CELL.matchSpans(text);
    if (found === null) return false;
    if (state.owner >= 0) this.end(state);
    if (state.traceback === null) {
      this.endBlock(state);
      this.begin(state, line);
    }
    state.frames.push(this.add(line, canonical(line.strand, found), "frame", state.traceback));
    state.sources = 0;
    state.indent = indentOf(text);
    if (strip(found.groups.rest ?? "")) {
      const piece = line.strand.cut(found.indices.groups.rest[0]);
      this.one(state, { ...line, strand: piece, whole: piece });
    }
    return true;
  }

  /** A line between the frames of an open traceback, or its exception. */
  inside(state, line) {
    if (state.traceback === null || state.owner >= 0) return false;
    const own = tables.statements;
    const text = line.strand.text;
    if (own.CARET.match(text) || own.REPEATED.match(text)) return true;
    const indent = indentOf(text);
    const some = state.frames.length > 0;
    const fresh = starts(line.prefix) && !some;
    const named = own.EXCEPTION.match(text) || (own.ANY_CLASS.match(text) && some && !own.CODE.match(text));
    if (indent === 0 && !fresh && named) {
      if (own.NOT_ERROR.match(text) && state.sources === 0) return false;
      this.raise(state, line);
      return true;
    }
    if (own.FATAL.match(text)) return false;
    if (own.ARROW.match(text) && some) {
      this.source(state, line);
      return true;
    }
    return this.quoted(state, line, indent);
  }

  /** The quoted source line of a frame. */
  quoted(state, line, indent) {
    const own = tables.statements;
    const text = line.strand.text;
    if (!state.frames.length || state.sources >= 12) return false;
    if (indent <= state.indent && (state.sources !== 0 || own.EXCEPTION.match(text))) return false;
    if (indent <= state.indent && starts(line.prefix) && !text.startsWith(" ") && own.SPEECH.match(text)) return false;
    this.source(state, line);
    return true;
  }

  source(state, line) {
    const text = line.strand.text;
    const arrow = tables.statements.ARROW_HEAD.match(text);
    const from = arrow ? endOf(arrow) : 0;
    const start = from + indentOf(text.slice(from));
    this.add(line, line.strand.cut(start, rstrip(text).length), "source", state.traceback);
    state.sources += 1;
  }

  raised(state, line) {
    const own = tables.statements;
    const text = line.strand.text;
    if (!own.FATAL.match(text) && !(own.EXCEPTION.match(text) && !own.NOT_ERROR.match(text))) return false;
    const some = state.exception.length > 0;
    if (some && lstrip(text).startsWith("what():") && !state.blank) return false;
    if (some && indentOf(text) >= 4 && !starts(line.prefix)) return false;
    this.raise(state, line);
    return true;
  }

  raise(state, line) {
    if (state.exception.length) this.end(state);
    this.endBlock(state);
    const text = line.strand.text;
    const strand = line.strand.cut(text.length - lstrip(text, MARKUP).length);
    state.owner = this.add(line, strand, "exception", state.traceback);
    state.exception = [{ ...line, strand }];
    state.blank = false;
    if (state.traceback !== null) {
      this.tracebacks[state.traceback] = { ...this.tracebacks[state.traceback], frames: [...state.frames], exception: state.owner };
    }
    this.nested(line, strand);
  }

  goesOn(state, line) {
    const first = state.exception[0];
    const last = state.exception.at(-1);
    if (state.exception.length >= tables.statements.MOST_LINES || line.number - last.number > 3) return false;
    if (starts(line.prefix)) return sameHead(line.prefix, first.prefix) && line.prefix.process === first.prefix.process;
    // The second half of a wrapped line lost its prefix.
    if (first.prefix.process && !line.prefix.process) return !state.blank && line.number === last.number + 1;
    if (!line.prefix.process && this.isRightUnder(line)) return false; // it stands right under a line of another process
    return !state.blank || /^[ \t]/.test(line.strand.text);
  }

  /** Add the line to the open exception where it is more of its text. */
  grow(state, line) {
    if (!state.exception.length || !this.goesOn(state, line)) return false;
    state.exception.push(line);
    const pieces = state.exception.map((each) => each.strand);
    const draft = this.drafts[state.owner];
    const repairs = [...draft.repairs, ...line.repairs.filter((name) => !draft.repairs.includes(name))];
    this.drafts[state.owner] = { ...draft, strand: Strand.join(pieces, "\n"), pieces, endLine: line.number, repairs };
    this.nested(line, line.strand);
    return true;
  }

  plain(state, line) {
    if (state.exception.length) this.end(state);
    if (starts(line.prefix) || state.blank || state.block.length >= tables.statements.MOST_BLOCK) this.endBlock(state);
    state.blank = false;
    const at = this.add(line, line.strand, "message", null);
    state.block.push(at);
    this.hang(line, at);
    this.nested(line, line.strand);
  }

  /** Whether the line before this one was a plain line of some process. */
  isRightUnder(line) {
    const { tail, drafts } = this;
    return tail.length > 0 && drafts[tail.at(-1)].line === line.number - 1 && drafts[tail[0]].process !== "";
  }

  /** A wrapped line lost its prefix on the second half: what stands right under a line of a process may be more of it. */
  hang(line, at) {
    if (line.prefix.process || starts(line.prefix)) {
      this.tail = [at];
      return;
    }
    if (!this.tail.length || this.drafts[this.tail.at(-1)].line !== line.number - 1 || this.tail.length > 6) {
      this.tail = [];
      return;
    }
    this.tail.push(at);
    const head = this.drafts[this.tail[0]];
    if (head.process && !head.blocks.length) {
      this.drafts[this.tail[0]] = { ...head, pieces: this.tail.map((each) => this.drafts[each].strand) };
    }
  }

  /** An exception told in the middle of a line: after a colon, or as the repr of the object. */
  nested(line, strand) {
    if (!strand.text.includes("Error") && !strand.text.includes("Exception")) return;
    const all = [...tables.statements.MID.all(strand.text)];
    for (const [at, found] of all.entries()) {
      const quote = found.groups.quote;
      if (found.index === 0 && !quote) continue; // the line itself
      const end = all[at + tables.statements.MOST_TOLD]?.index ?? strand.length;
      const told = quote ? fromRepr(strand, found, end) : strand.cut(found.index, end);
      const repairs = quote ? [...line.repairs, "repr"] : line.repairs;
      this.add({ ...line, repairs }, told, "exception", null, "reported");
    }
  }

  // --- bookkeeping

  add(line, strand, place, traceback, status = "raised") {
    const prefix = line.prefix;
    const isLine = (place === "message" || place === "exception") && strand === line.strand && prefix.names.length > 0;
    this.drafts.push({
      strand,
      whole: isLine ? line.whole : null,
      context: line.whole,
      place,
      status,
      line: line.number,
      endLine: line.number,
      process: prefix.process,
      container: prefix.container,
      rank: prefix.rank,
      severity: prefix.level,
      traceback,
      repairs: line.repairs,
      pieces: [strand],
      blocks: [],
    });
    return this.drafts.length - 1;
  }

  /** Close the traceback and the exception. */
  end(state) {
    if (state.traceback !== null && state.frames.length) {
      this.tracebacks[state.traceback] = { ...this.tracebacks[state.traceback], frames: [...state.frames] };
    }
    state.traceback = null;
    state.frames = [];
    state.exception = [];
    state.owner = -1;
  }

  /** Lines that stand together may be one statement: the first of them is also read with the others. */
  endBlock(state) {
    if (state.block.length > 1) {
      const pieces = state.block.map((at) => this.drafts[at].strand);
      this.drafts[state.block[0]] = { ...this.drafts[state.block[0]], blocks: [Strand.join(pieces, "\n")], pieces };
    }
    state.block = [];
  }
}

/** `/path/to/file.py:123 in function`, whichever way the frame was printed. */
function canonical(strand, found) {
  const spans = found.indices.groups;
  const whole = strand.cut(...spans.path);
  const text = tables.statements.BACKSLASHES.replace(whole.text, "/");
  const same = text.length === whole.length;
  const pieces = [same ? new Strand(text, whole.starts, whole.raws) : new Strand(text, [0], [whole.raws[0]])];
  if (found.groups.line) {
    const number = strand.cut(...spans.line);
    pieces.push(new Strand(":", [0], [number.raws[0]]), number);
  }
  if (found.groups.func) {
    const name = strand.cut(...spans.func);
    pieces.push(new Strand(" in ", [0], [name.raws[0]]), name);
  }
  return Strand.join(pieces);
}

/** `ValueError('text')` as `ValueError: text`. */
function fromRepr(strand, found, most) {
  const { quote } = found.groups;
  const start = endOf(found);
  const text = strand.text.slice(0, most);
  let end = text.indexOf(`${quote})`, start);
  if (end < 0) end = text.indexOf(`${quote},`, start);
  if (end < 0) end = most;
  const name = strand.cut(found.index, found.index + found.groups.class.length);
  return Strand.join([name, new Strand(": ", [0], [name.raw(name.length)]), strand.cut(start, end)]);
}
