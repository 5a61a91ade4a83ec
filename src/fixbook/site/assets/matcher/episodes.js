// What happened, and what was only said: status, run and episode of each message.

import { tables } from "./tables.js";
import { bisectLeft } from "./text.js";

/** Whether the text bears a sign of the table of events; `low` is the text in lower case. */
export function seen(sign, text, low) {
  return sign.words.some((word) => low.includes(word)) && sign.pattern.test(text);
}

/** `[status, run, episode]` of each message, in order. `fences` are the numbers of the lines at which a block of text begins or ends. */
export function assign(drafts, fences = []) {
  const texts = drafts.map((draft) => draft.strand.text);
  const lows = texts.map((text) => text.toLowerCase());
  const mentioned = findMentioned(drafts);
  const fails = drafts.map((draft, at) => !mentioned[at] && isFailure(draft, lows[at]));
  const runs = findRuns(drafts, texts, lows, fails);
  const [episodes, over] = findEpisodes(drafts, texts, lows, fails, mentioned, runs, findVoices(drafts, texts, fences));
  const stopped = findStopped(drafts, texts, lows, mentioned, runs);
  return drafts.map((draft, at) => {
    let status = draft.status;
    if (mentioned[at]) status = "mentioned";
    else if (at <= (over.get(episodes[at]) ?? -1) || isTornDown(at, stopped, runs[at], draft) || isToldSoftly(draft, texts[at], lows[at])) status = "handled";
    return [status, runs[at], episodes[at]];
  });
}

function isTornDown(at, stopped, run, draft) {
  return ["", draft.container].some((container) => (stopped.get(`${run} ${container}`) ?? at + 1) <= at);
}

/** Whether a message only stands in a listing, a search result, a hint or what a client sent. */
function findMentioned(drafts) {
  const own = tables.events;
  const lines = drafts.map((draft) => (draft.context ?? draft.strand).text);
  const text = [...new Set(lines), ...drafts.filter((draft) => draft.endLine > draft.line).map((draft) => draft.strand.text)].join("\n");
  const listing = own.RUNNER.test(text) && own.ALL_PASSED.test(text) && !own.SOME_FAILED.test(text);
  const search = own.SEARCH.test(text);
  const soft = drafts.map((draft) => own.SOFT.has(draft.severity) && draft.place !== "frame");
  const asked = new Set(drafts.filter((draft, at) => soft[at] && seen(own.ASKED, lines[at], lines[at].toLowerCase())).map((draft) => draft.line));
  return drafts.map((draft, at) => {
    const line = lines[at];
    const listed = listing || own.LISTED.match(line) || seen(own.LISTED_WITHIN, line, line.toLowerCase());
    const found = search && (own.RESULT.match(line) !== null || own.SEARCH.match(line) !== null);
    return listed || found || (soft[at] && (asked.has(draft.line) || seen(own.HINT, line, line.toLowerCase())));
  });
}

function isFailure(draft, low) {
  if (draft.place === "exception") return true;
  if (draft.place !== "message" || tables.events.SOFT.has(draft.severity)) return false;
  return draft.severity !== "" || seen(tables.events.FAILS, draft.strand.text, low);
}

/** The program says itself that it tries again, or speaks to those who look for faults. */
function isToldSoftly(draft, text, low) {
  if (draft.severity === "DEBUG" || draft.severity === "TRACE") return true;
  if (!tables.events.SOFT.has(draft.severity) || (draft.place !== "message" && draft.place !== "exception")) return false;
  // The words may stand before the exception.
  const said = draft.context !== null && draft.status === "reported" ? draft.context.text : text;
  return seen(tables.events.RETRY, said, said === text ? low : said.toLowerCase());
}

/** The run of each message. What is told before the first start line (a report's title) belongs to the first run. */
function findRuns(drafts, texts, lows, fails) {
  let run = 0;
  let failed = false;
  const starts = new Set();
  const lines = new Set(); // of start lines: another reading of the same line is the same start
  return texts.map((text, at) => {
    const kind = tables.events.STARTS.findIndex((sign) => seen(sign, text, lows[at]));
    if (kind >= 0 && !lines.has(drafts[at].line)) {
      lines.add(drafts[at].line);
      // One of several engines may start after another has failed: only the same one, under a new pid, has been started again.
      const start = `${kind} ${kind ? tables.episodes.PID.replace(drafts[at].process, () => "") : drafts[at].container}`;
      if (starts.has(start) && (failed || kind === 0)) {
        run += 1;
        failed = false;
        starts.clear();
      }
      starts.add(start);
    }
    failed = failed || fails[at];
    return run;
  });
}

/** Failures between two stretches of progress or two starts are one episode; also the last failure of each that was handled. */
function findEpisodes(drafts, texts, lows, fails, mentioned, runs, voices) {
  const goesOn = tables.episodes.GOES_ON;
  const episodes = [];
  const over = new Map();
  const died = new Set();
  const whose = new Map(); // voices that failed since the last progress; what another one goes on doing tells nothing of them
  const before = new Map(); // episodes that a new start ended, and their last failures: progress of a later run handles them, too
  let episode = 0;
  let since = 0;
  let last = -1;
  let run = 0;
  drafts.forEach((draft, at) => {
    if (runs[at] !== run) {
      run = runs[at];
      if (last >= 0) {
        before.set(episode, last);
        episode += 1;
        last = -1;
      }
    }
    if (fails[at]) {
      if (last >= 0 && since >= goesOn) episode += 1;
      if (since >= goesOn) whose.clear();
      if (whose.size < tables.episodes.MOST_VOICES) whose.set(JSON.stringify(voices[at]), voices[at]);
      last = at;
      since = 0;
      over.delete(episode);
    } else if (!mentioned[at] && draft.place === "message" && !draft.repairs.includes("unwrapped")) {
      const more = strength(texts[at], lows[at]);
      if (more && isOf(whose, voices[at])) since += more; // few messages tell of progress: whose it is, is asked of those alone
    }
    episodes.push(episode);
    if (seen(tables.events.SERVER_FAILED, texts[at], lows[at])) died.add(episode);
    if (since >= goesOn) {
      for (const [each, failure] of before) over.set(each, failure);
      if (last >= 0) over.set(episode, last);
    }
  });
  for (const each of died) over.delete(each);
  return [episodes, over];
}

/** Whether the progress of a voice may speak for one of those that failed. */
function isOf(whose, voice) {
  return !whose.size || [...whose.values()].some((failed) => speaksFor(voice, failed));
}

/** Who writes each message: one program, or one rank of it. */
function findVoices(drafts, texts, fences) {
  const own = tables.episodes;
  let file = "";
  return drafts.map((draft, at) => {
    const head = texts[at].startsWith("==> ") ? own.FILE_HEAD.match(texts[at]) : null;
    if (head) file = head.groups.name;
    const bare = without(own.PART, draft.process);
    const program = !draft.process && own.KERNEL.match(texts[at]) ? "kernel" : without(own.LOGGED_PID, bare);
    const host = draft.process ? "" : (own.HOST.match((draft.context ?? draft.strand).text)?.groups.name ?? "");
    return { block: bisectLeft(fences, draft.line), file, host, container: draft.container, program, rank: draft.rank, part: bare !== draft.process };
  });
}

function without(pattern, text) {
  let out = text;
  for (const found of pattern.all(text)) out = out.replace(found[0], "");
  return out;
}

/** Whether the progress of a voice tells that what failed goes on. Who says nothing of itself may be anybody, but no other rank. */
function speaksFor(voice, failed) {
  if (voice.block !== failed.block || voice.file !== failed.file) return false;
  if (voice.container && failed.container && voice.container !== failed.container) return false;
  const digits = tables.episodes.DIGITS;
  if (voice.host !== failed.host && without(digits, voice.host) === without(digits, failed.host)) return false;
  if (voice.program && failed.program && voice.program !== failed.program) return false;
  if (voice.rank === null) return failed.rank === null || failed.part;
  return failed.rank === null || failed.rank === voice.rank;
}

function strength(text, low) {
  if (seen(tables.events.DONE, text, low)) return tables.episodes.GOES_ON;
  return seen(tables.events.PROGRESS, text, low) ? 1 : 0;
}

/** For each run and container that somebody stopped, the first message of its teardown; "" stops all containers. */
function findStopped(drafts, texts, lows, mentioned, runs) {
  const out = new Map();
  drafts.forEach((draft, at) => {
    const whose = `${runs[at]} ${draft.container}`;
    if (out.has(whose) || mentioned[at] || draft.severity === "DEBUG") return;
    if (seen(tables.events.STOPPED, texts[at], lows[at])) out.set(whose, at);
  });
  return out;
}
