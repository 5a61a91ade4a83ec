// Bytes of a log → text, as the Python program reads a file. Every list of bytes has a text.

import { tables } from "./tables.js";

// UTF-32 first: its little-endian mark begins with that of UTF-16.
const MARKS = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe, 0, 0], "utf-32-le"],
  [[0, 0, 0xfe, 0xff], "utf-32-be"],
  [[0xff, 0xfe], "utf-16-le"],
  [[0xfe, 0xff], "utf-16-be"],
];
// The quotes and dashes of Windows-1252, by their bytes.
const TYPOGRAPHIC = { 0x85: "…", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—" };

/** The text of the bytes, without a byte order mark and without NUL characters. */
export function decode(bytes) {
  // The marks of UTF-16 are also what a damaged file may begin with; a log in UTF-16 has line ends and blanks, which have a NUL.
  const hasNul = bytes.subarray(0, tables.decoding.PROBE).includes(0);
  const mark = MARKS.find(([start, name]) => (name === "utf-8" || hasNul) && start.every((byte, at) => bytes[at] === byte));
  const body = mark ? bytes.subarray(mark[0].length) : bytes;
  return decodeAs(mark ? mark[1] : encodingOf(bytes), body).replaceAll("\0", "");
}

function encodingOf(bytes) {
  const wide = wideOf(bytes.subarray(0, tables.decoding.PROBE));
  if (wide) return wide;
  const [wrong] = utf8Errors(bytes);
  return wrong && isChinese(bytes, wrong) ? "gb18030" : "utf-8";
}

/** UTF-16 without a mark: every second byte of its ASCII is NUL. */
function wideOf(probe) {
  const pairs = Math.floor(probe.length / 2);
  // `>>` of PowerShell puts UTF-16 behind a beginning in ASCII.
  if (pairs < 2 || !probe.includes(0) || probe.subarray(0, 4).every((byte) => byte >= 0x20 && byte < 0x7f)) return null;
  const nulls = [0, 0];
  for (let at = 0; at < 2 * pairs; at += 1) if (probe[at] === 0) nulls[at % 2] += 1;
  const [even, odd] = nulls;
  if (odd * 4 >= pairs && even * 20 <= odd) return "utf-16-le";
  return even * 4 >= pairs && odd * 20 <= even ? "utf-16-be" : null;
}

/** Whether what is no UTF-8 reads as Chinese in GB18030: it decodes but for a cut end, and mostly in GB2312. */
function isChinese(bytes, [start, end]) {
  if (end >= bytes.length - 3 && start > Math.floor(bytes.length / 2)) return false; // only the last character is cut
  if (!isGb18030(bytes)) return false;
  let [high, pairs] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] >= 0x80) high += 1;
  for (let at = 0; at + 1 < bytes.length; at += 1) {
    if (bytes[at] < 0xa1 || bytes[at] > 0xf7 || bytes[at + 1] < 0xa1 || bytes[at + 1] > 0xfe) continue;
    pairs += 1;
    at += 1;
  }
  return high >= 4 && 2 * pairs >= 0.8 * high;
}

function isGb18030(bytes) {
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === 0x80) return false; // the euro sign of browsers, and of nobody else
    at += bytes[at] < 0x80 ? 1 : bytes[at + 1] >= 0x30 && bytes[at + 1] <= 0x39 ? 4 : 2;
  }
  try {
    new TextDecoder("gb18030", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function decodeAs(encoding, bytes) {
  if (encoding === "utf-8") return fromUtf8(bytes);
  if (encoding.startsWith("utf-32")) return fromUtf32(bytes, encoding.endsWith("le"));
  return new TextDecoder(encoding.replace("16-", "16"), { ignoreBOM: true }).decode(bytes);
}

function fromUtf8(bytes) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts = [];
  let at = 0;
  for (const [start, end] of utf8Errors(bytes)) {
    const typographic = end - start === 1 ? TYPOGRAPHIC[bytes[start]] : undefined;
    parts.push(decoder.decode(bytes.subarray(at, start)), typographic ?? "\ufffd");
    at = end;
  }
  return parts.join("") + decoder.decode(bytes.subarray(at));
}

/** The spans of bytes that are no UTF-8, each as long as it could have become a character. */
function utf8Errors(bytes) {
  const errors = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at];
    const width = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    // What may follow is narrower where a longer form or a half of a pair would come out.
    let [low, high] = [first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80, first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf];
    let end = at + 1;
    while (end < at + width && bytes[end] >= low && bytes[end] <= high) {
      [low, high] = [0x80, 0xbf];
      end += 1;
    }
    if (end - at !== width) errors.push([at, end]);
    at = end;
  }
  return errors;
}

function fromUtf32(bytes, isLittle) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittle);
    out.push(code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code));
  }
  return out.join("") + (bytes.length % 4 ? "\ufffd" : "");
}
