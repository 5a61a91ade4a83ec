// What Python's strings do and JavaScript's do otherwise.

// The white space of str.strip and str.split; JavaScript's own adds U+FEFF and leaves out the separators of ASCII.
const SPACE = new Set("\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000");

/** The text without the characters of `set` (white space) at its beginning. */
export function lstrip(text, set = SPACE) {
  let at = 0;
  while (at < text.length && set.has(text[at])) at += 1;
  return at ? text.slice(at) : text;
}

export function rstrip(text, set = SPACE) {
  let end = text.length;
  while (end > 0 && set.has(text[end - 1])) end -= 1;
  return end < text.length ? text.slice(0, end) : text;
}

export function strip(text, set = SPACE) {
  return rstrip(lstrip(text, set), set);
}

/** A set of characters for the strips. */
export function characters(text) {
  return new Set(text);
}

/** The first word of a text that has one. */
export function firstWord(text) {
  const body = lstrip(text);
  let end = 0;
  while (end < body.length && !SPACE.has(body[end])) end += 1;
  return body.slice(0, end);
}

/** What stands behind the last `mark`, the whole text where there is none. */
export function afterLast(text, mark) {
  const at = text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(at + mark.length);
}

export function beforeFirst(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

export function count(text, mark) {
  return text.split(mark).length - 1;
}

export function removePrefix(text, prefix) {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

export function removeSuffix(text, suffix) {
  return suffix && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

export function isDigits(text) {
  return /^\p{Nd}+$/u.test(text);
}

/** str.casefold, as far as it can matter for a value: the sharp s is the one letter of Latin scripts that lower case does not fold. */
export function casefold(text) {
  return text.toLowerCase().replaceAll("ß", "ss");
}

/** The index behind the last of the ascending numbers that is not above `value`. */
export function bisectRight(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < numbers[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function bisectLeft(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lists compared from left to right, for `sort`; null stands before everything, false before true. */
export function compare(left, right) {
  for (let at = 0; at < left.length; at += 1) {
    if (left[at] < right[at]) return -1;
    if (left[at] > right[at]) return 1;
  }
  return 0;
}
