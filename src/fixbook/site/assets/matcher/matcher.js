// The matcher's door: a book and a log → the report, as the Python program gives it.

import { decode } from "./decoding.js";
import { readFacts, statedByCaller } from "./facts.js";
import { read } from "./log.js";
import { narrow } from "./narrow.js";
import { toJson } from "./report.js";
import { haystackOf, scan } from "./scan.js";
import { install } from "./tables.js";
import { triage } from "./triage.js";
import { watch } from "./watch.js";

let installed = null;

function use(book) {
  if (installed === book) return;
  install(book.tables);
  installed = book;
}

/** The text of a log that comes as bytes, in whatever encoding. */
export function textOf(book, bytes) {
  use(book);
  return decode(bytes);
}

/**
 * The report of a log, in the form of `Report.to_json()`. `book` is what the site's builder wrote; `skip` are names of patterns that are
 * not to be run; `busy` is told the name of each pattern before it runs, and of other work now and then; `facts` are stated by the
 * caller; `name` is how the report calls the log.
 */
export function diagnose(book, text, { skip = [], busy, facts = {}, name = "paste" } = {}) {
  use(book);
  watch(skip, busy);
  const log = read(narrow(text), name);
  const haystack = haystackOf(log);
  const { hits, skipped } = scan(log, book.entries, haystack);
  const report = triage(book.entries, hits, [...statedByCaller(facts), ...readFacts(log, haystack)], log);
  return toJson(report, name, book.book, skipped);
}
