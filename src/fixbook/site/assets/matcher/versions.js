// Versions in the order of PEP 440: 0.32.1.dev5 < 0.32.1rc0 < 0.32.1 < 0.32.1.post1; and whether a stated one has the fault of an entry.

import { compare, strip } from "./text.js";

const PRE = { a: "a", alpha: "a", b: "b", beta: "b", c: "rc", rc: "rc", pre: "rc", preview: "rc" };
const SHAPE = new RegExp(
  "^v?(?:(?<epoch>[0-9]+)!)?(?<release>[0-9]+(?:\\.[0-9]+)*)" +
    "(?:[-_.]?(?<pre>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?<preNumber>[0-9]+)?)?" +
    "(?<post>-(?<postDash>[0-9]+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>[0-9]+)?)?" +
    "(?<dev>[-_.]?dev[-_.]?(?<devNumber>[0-9]+)?)?(?:\\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$",
  "i",
);

/** The version without its local part (`0.8.5+cu128` is 0.8.5); null when there is no version in the text. */
export function publicVersion(text) {
  const said = strip(text);
  const found = SHAPE.exec(strip(said.startsWith("v") ? said.slice(1) : said));
  if (found === null) return null;
  const { epoch, release, pre, preNumber, post, postDash, postNumber, dev, devNumber } = found.groups;
  return {
    epoch: Number(epoch ?? 0),
    release: release.split(".").map(Number),
    pre: pre === undefined ? null : [PRE[pre.toLowerCase()], Number(preNumber ?? 0)],
    post: post === undefined ? null : Number(postDash ?? postNumber ?? 0),
    dev: dev === undefined ? null : Number(devNumber ?? 0),
  };
}

export function versionText({ epoch, release, pre, post, dev }) {
  const parts = [epoch ? `${epoch}!` : "", release.join("."), pre === null ? "" : pre.join("")];
  return [...parts, post === null ? "" : `.post${post}`, dev === null ? "" : `.dev${dev}`].join("");
}

/** -1, 0 or 1, as for `sort`. */
export function compareVersions(left, right) {
  const width = Math.max(left.release.length, right.release.length);
  return compare(versionKey(left, width), versionKey(right, width));
}

function versionKey({ epoch, release, pre, post, dev }, width) {
  const padded = [...release, ...Array(width - release.length).fill(0)];
  // A development release of a final one comes before all its pre-releases; a final one after them.
  const stage = pre !== null ? [pre[0], pre[1]] : post === null && dev !== null ? ["", 0] : ["~", 0];
  return [epoch, ...padded, ...stage, post ?? -1, dev ?? Infinity];
}

// --- the fault of an entry

// Of several packages or ranges: one that has the fault decides; a fix tells more than "older than the fault".
const WEIGHT = ["affected", "has_fix", "predates", "unknown"];

/** The status of the stated versions, and the version that decided it, as stated; "unknown" and null when none is stated. */
export function judgeVersion(affects, look) {
  const found = [[WEIGHT.length - 1, true, null]];
  for (const [name, introduced, fixed] of affects) {
    const fact = look(`${name.toLowerCase().replaceAll("-", "_")}_version`);
    if (fact !== null) found.push([WEIGHT.indexOf(statusOf(introduced, fixed, fact.value)), false, fact.stated]);
  }
  const [weight, , stated] = found.reduce((best, each) => (compare(each.slice(0, 2), best.slice(0, 2)) < 0 ? each : best));
  return [WEIGHT[weight], stated];
}

function statusOf(introduced, fixed, value) {
  const version = publicVersion(value);
  const first = introduced ? publicVersion(introduced) : null;
  const last = fixed ? publicVersion(fixed) : null;
  if (version === null || (first === null && last === null)) return "unknown";
  if (first !== null && compareVersions(version, first) < 0) return "predates";
  return last !== null && compareVersions(version, last) >= 0 ? "has_fix" : "affected";
}
