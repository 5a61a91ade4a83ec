// HTML's entities, as Python's `html.unescape` reads one.

import { narrowMore } from "./narrow.js";
import { tables } from "./tables.js";

/** The characters of one entity, `&lt;` or `&#60;` or `&#x3c;`; unknown names stay. */
export function decodeEntity(entity) {
  const body = entity.slice(1);
  return narrowMore(body[0] === "#" ? numbered(body.slice(1, -1)) : named(body));
}

function numbered(digits) {
  const own = tables.entities;
  const code = /^[xX]/.test(digits) ? parseInt(digits.slice(1), 16) : parseInt(digits, 10);
  if (Object.hasOwn(own.CHARREFS, code)) return own.CHARREFS[code];
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "\ufffd";
  return own.NOTHING.has(code) ? "" : String.fromCodePoint(code);
}

function named(body) {
  const known = tables.entities.NAMED;
  if (Object.hasOwn(known, body)) return known[body];
  for (let end = body.length - 1; end > 1; end -= 1) {
    const start = body.slice(0, end);
    if (Object.hasOwn(known, start)) return known[start] + body.slice(end);
  }
  return `&${body}`;
}
