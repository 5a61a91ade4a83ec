// Values of facts in one form each, and their comparison: `torch.float16`, `half` and `fp16` are one value.

import { afterLast, casefold, characters, isDigits, removePrefix, removeSuffix, strip } from "./text.js";
import { tables } from "./tables.js";
import { compareVersions, publicVersion, versionText } from "./versions.js";

const QUOTES = characters("'\"`");
const UNDERSCORE = characters("_");

/** `[kind of value, command that looks it up, whether it outlives a restart]`; null for a name that is no fact. */
export function kindOf(name) {
  const known = tables.fact_kinds.FACTS;
  if (Object.hasOwn(known, name)) return known[name];
  const found = tables.fact_kinds.PACKAGE.fullmatch(name);
  return found ? ["version", `pip show ${found.groups.package.replaceAll("_", "-")}`, true] : null;
}

/** `stated` in the one form that values of the fact have; null when it states nothing. */
export function normalise(name, stated) {
  const text = strip(strip(strip(stated), QUOTES));
  if (tables.fact_values.SILENT.has(casefold(text)) || /^[$<{]/.test(text)) return null;
  const kind = kindOf(name);
  return NORMALISERS[kind ? kind[0] : "name"](name, text);
}

/** Whether a normalised value of the fact matches a glob that an author wrote (`fp8*`, `half`, `*A100*`). */
export function globMatches(name, value, glob) {
  const folded = casefold(value);
  if (globPattern(casefold(glob)).test(folded)) return true;
  const plain = /[*?[]/.test(glob) ? null : normalise(name, glob); // `half` and `sm_89` in an entry mean what they mean in a log
  return plain !== null && casefold(plain) === folded;
}

function globPattern(glob) {
  const part = /\*+|\?|\[(!?)(\]?[^\]]*)\]|[^]/gu;
  const source = glob.replace(part, (piece, negated, members) => {
    if (piece[0] === "*") return "[^]*";
    if (piece === "?") return "[^]";
    if (members) return `[${negated ? "^" : ""}${members.replace(/[\\^\]]/g, "\\$&")}]`;
    return piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^(?:${source})$`, "u");
}

/** Whether a value of the fact is at least the bound, both as versions, numbers or sizes; null when they cannot be compared. */
export function atLeast(name, value, bound) {
  const kind = kindOf(name);
  const left = normalise(name, value);
  const right = normalise(name, bound);
  if (kind === null || left === null || right === null) return null;
  if (kind[0] === "version" || kind[0] === "capability") {
    const have = publicVersion(left);
    const want = publicVersion(right);
    return have === null || want === null ? null : compareVersions(have, want) >= 0;
  }
  const [have, want] = [asNumber(removeSuffix(left, "GiB")), asNumber(removeSuffix(right, "GiB"))];
  return have === null || want === null ? null : have >= want;
}

function asNumber(text) {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

function lookUp(table, word) {
  return Object.hasOwn(table, word) ? table[word] : word;
}

const NORMALISERS = {
  backend(_name, text) {
    const own = tables.fact_values;
    const word = strip(own.NO_NAME.replace(afterLast(text, ".").toUpperCase(), "_"), UNDERSCORE);
    return lookUp(own.BACKENDS, own.BACKEND_END.replace(word, "")) || null;
  },

  capability(_name, text) {
    const found = tables.fact_values.CAPABILITY.fullmatch(casefold(strip(text)));
    return found ? `${found.groups.major}.${found.groups.minor}` : null;
  },

  choice(name, text) {
    const own = tables.fact_values;
    const bare = own.ENUMERATION.replace(casefold(text), "");
    const word = name === "platform" ? removeSuffix(bare, ":0") : bare;
    if (own.SILENT.has(word)) return null;
    return Object.hasOwn(own.CHOICES, name) ? lookUp(own.CHOICES[name], word) : word;
  },

  dtype(_name, text) {
    const own = tables.fact_values;
    const word = casefold(["torch.", "c10::", "jnp."].reduce(removePrefix, text));
    const known = lookUp(own.DTYPES, word);
    return own.DTYPE.fullmatch(known) ? known : null;
  },

  flag(_name, text) {
    const word = casefold(text);
    if (["true", "1", "yes", "on"].includes(word)) return "true";
    return ["false", "0", "no", "off"].includes(word) ? "false" : null;
  },

  name(name, text) {
    return name === "gpu_name" ? removePrefix(strip(tables.fact_values.BLANKS.replace(text, " ")), "NVIDIA ") || null : text;
  },

  number(_name, text) {
    const own = tables.fact_values;
    const found = own.COUNT.fullmatch(text);
    return found ? plain(Number(found.groups.number.replace(/[,_]/g, "")) * own.COUNTS[found.groups.unit]) : null;
  },

  size(_name, text) {
    const own = tables.fact_values;
    const found = own.SIZE.fullmatch(text);
    if (!found) return null;
    return `${plain(rounded((Number(found.groups.number) * own.BYTES[found.groups.unit.toUpperCase()]) / 2 ** 30, 2))}GiB`;
  },

  version(name, text) {
    const own = tables.fact_values;
    const said = isDigits(text) && Object.hasOwn(SHORT, name) ? SHORT[name](text) : text;
    const found = own.VERSION.match(removePrefix(removePrefix(said, "v"), "V"));
    if (!found || own.UNTAGGED.fullmatch(found[0])) return null;
    if (own.PLAIN_VERSION.fullmatch(found[0])) return found[0];
    const version = publicVersion(found[0]);
    return version ? versionText(version) : null;
  },
};

// Versions that are also written without a point: cu128, cpython-312, CUDA's 12040.
const SHORT = {
  cuda_version: (text) => (text.length === 3 ? `${text.slice(0, -1)}.${text.slice(-1)}` : text),
  driver_cuda: (text) => (text.length > 3 ? `${Math.floor(Number(text) / 1000)}.${Math.floor((Number(text) % 1000) / 10)}` : text),
  python_version: (text) => (text.length > 1 ? `${text[0]}.${text.slice(1)}` : text),
};

/** A number as Python writes it: whole ones without a point, others with at most six decimals. */
function plain(number) {
  if (Number.isInteger(number)) return BigInt(number).toString();
  const short = rounded(number, 6);
  if (Number.isInteger(short)) return `${short}.0`;
  if (Math.abs(short) >= 1e-4) return String(short);
  return short.toExponential().replace(/e-(\d)$/, "e-0$1");
}

/** Rounded to so many decimals; where two are equally near, to the even one. */
function rounded(number, digits) {
  const shown = number.toFixed(digits);
  const exact = number.toFixed(Math.min(digits + 60, 100)); // of a half, all digits are there
  const isHalf = /^50*$/.test(exact.slice(exact.indexOf(".") + 1 + digits));
  const isOdd = Number(shown.at(-1)) % 2 === 1;
  return isHalf && isOdd ? Number(shown) - Math.sign(number) * 10 ** -digits : Number(shown);
}
