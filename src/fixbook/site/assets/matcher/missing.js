// What a log refers to and does not hold, and the command that gets it from the launcher at hand.

import { tables } from "./tables.js";

/** The parts that are needed and not there, each once; nothing where a cause was found or nothing failed. */
export function missingParts(log, verdict, findings, facts) {
  if (verdict !== "wrapper" && verdict !== "unknown") return [];
  const own = tables.missing;
  const live = log.messages.filter((message) => message.status !== "mentioned" && message.status !== "handled");
  const whole = wholeLog(facts);
  const parts = [];
  const put = (what, message, command) => message && parts.push({ what, line: message.line, command });
  put("traceback-end", cutTraceback(log, live), whole);
  if (verdict === "wrapper") put("root-cause", first(live, own.ABOVE), whole);
  const cascade = findings.some((finding) => finding.entry.kind === "cascade");
  if (cascade || !log.tracebacks.length) put("first-rank", first(live, own.RANK), whole);
  put("nccl-reason", first(live, own.NCCL), own.NCCL_COMMAND);
  put("cuda-sync", first(live, own.ASYNC), own.ASYNC_COMMAND);
  return parts;
}

function wholeLog(facts) {
  const { WHOLE, START } = tables.missing;
  const last = (name) => facts.filter((fact) => fact.name === name).map((fact) => fact.value).reverse();
  const names = [...last("launcher"), ...last("container").map((value) => (value === "kubernetes" ? "kubectl" : value))];
  const known = names.find((name) => Object.hasOwn(WHOLE, name));
  return known === undefined ? START : WHOLE[known];
}

function first(messages, pattern) {
  return messages.find((message) => (message.place === "message" || message.place === "exception") && pattern.test(message.strand.text));
}

/** The last frame of the log's last traceback, when no exception ends it and none stands elsewhere. */
function cutTraceback(log, live) {
  if (!log.tracebacks.length || live.some((message) => message.place === "exception")) return null;
  const last = log.tracebacks.reduce((latest, each) => (each.line > latest.line ? each : latest));
  if (last.exception !== null || !last.frames.length) return null;
  const frame = log.messages[last.frames.at(-1)];
  return live.includes(frame) ? frame : null;
}
