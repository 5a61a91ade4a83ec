// The matcher's door: a book and a log → the report, as the Python program gives it.

import { read } from "./log.js";
import { narrow } from "./narrow.js";
import { scan, Watch } from "./scan.js";
import { install } from "./tables.js";

let installed = null;

/**
 * What is known about a log. `book` is what the site's builder wrote; `skip` are names of patterns that are not to be run; `busy` is told
 * the name of each pattern before it runs.
 */
export function diagnose(book, text, { skip = [], busy, name = "paste" } = {}) {
  if (installed !== book) {
    install(book.tables);
    installed = book;
  }
  const log = read(narrow(text), name);
  const hits = scan(log, book.entries, new Watch(skip, busy));
  return { hits, log };
}
