// A report as nodes: the findings, what speaks for them, what to look up, what stands beside them.
(() => {
'use strict';

const { code, element, join, lang, prose, say, sayOr, textOf, words } = globalThis.fixbook;

const LONGEST_MESSAGE = 300;

const pageOf = (id) => `${id}.html`;

function titled(finding) {
  const link = element('a', '', prose(finding.title[lang]));
  link.href = pageOf(finding.id);
  return link;
}

const line = (number) => say('line.at', { line: number });

function at(finding) {
  const [first, ...more] = finding.hits;
  if (!first) return [];
  return more.length ? say('line.times', { at: line(first.line), more: more.length, n: more.length + 1 }) : line(first.line);
}

function verdict(report) {
  const [main] = report.findings;
  if (report.verdict === 'unknown' || !main) return say(`head.${report.verdict}`);
  return say(`head.${report.verdict === 'known' ? main.level : report.verdict === 'clean' ? 'benign' : report.verdict}`);
}

function headline(report) {
  const [main] = report.findings;
  if (report.verdict === 'unknown' || !main) return verdict(report);
  return say('head.title', { head: verdict(report), title: prose(main.title[lang]) });
}

const COLOUR = /\x1b\[[0-9;]{0,30}m/g; // of the tags before a line: a browser shows the rest of it

function proof(hit) {
  const pre = element('pre');
  pre.tabIndex = 0;
  const body = code('');
  const part = hit.matched.split('\n')[0];
  const text = hit.text.replace(COLOUR, '');
  const column = hit.text.slice(0, hit.column - 1).replace(COLOUR, '').length;
  const start = text.startsWith(part, column) ? column : text.indexOf(part);
  if (part && start >= 0) {
    const from = Math.max(start - 300, 0);
    const to = Math.min(start + part.length + 300, text.length);
    body.append(from ? '…' : '', text.slice(from, start), element('mark', '', part), text.slice(start + part.length, to), to < text.length ? '…' : '');
  } else body.append(text.slice(0, 600), '\n', element('mark', '', hit.matched.slice(0, 600)));
  pre.append(body);
  return pre;
}

function spread({ ranks, world }) {
  if (!ranks.length) return [];
  const listed = [join(ranks.slice(0, 6).map(String)), ranks.length > 6 ? ' …' : ''];
  const values = { n: ranks.length, world, rank: ranks[0], ranks: listed };
  if (!world && ranks.length === 1) return say('spread.one', values);
  if (!world || world === 1) return say(ranks.length === 1 ? 'spread.rank' : 'spread.ranks', values);
  if (ranks.length === world || ranks.length > 6) return say('spread.all', values);
  return say(ranks.length === 1 ? 'spread.only' : 'spread.some', values);
}

function stated(reason) {
  const values = { fact: reason.fact, value: reason.value ?? '' };
  return reason.line ? say('fact.at', { ...values, at: line(reason.line) }) : say('fact.plain', values);
}

// Whether another cause was found by the line that proves this one: then no words are its own alone.
function isSameLine(finding, other) {
  const proving = finding.hits[0];
  if (!proving || other.kind !== 'cause' || other.id === finding.id) return false;
  return other.hits.some((hit) => hit.source === proving.source && hit.line === proving.line);
}

function why(finding, others) {
  const needed = finding.reasons.filter((reason) => !reason.rules_out);
  const facts = needed.filter((reason) => reason.holds && reason.fact !== 'frames' && reason.fact !== 'messages');
  const open = needed.filter((reason) => reason.holds === null);
  const clauses = [];
  if (finding.level === 'possible') clauses.push(say('why.shared'));
  if (finding.level === 'likely') clauses.push(say('why.points'));
  if (finding.level === 'confirmed' && finding.kind === 'cause' && !signatureOf(finding)?.shared) {
    if (others.some((each) => isSameLine(finding, each))) clauses.push(say('why.signature'), say('why.listed'));
    else clauses.push(say(finding.hits[0].place === 'frame' ? 'why.frame' : 'why.only'));
  }
  const logged = facts.filter((reason) => reason.line);
  const said = facts.filter((reason) => !reason.line);
  if (logged.length) clauses.push(say('why.states', { facts: join(logged.map(stated)) }));
  if (said.length) clauses.push(say('why.said', { facts: join(said.map(stated)) }));
  for (const reason of needed) if (reason.holds && (reason.fact === 'frames' || reason.fact === 'messages')) clauses.push(say(`why.${reason.fact}`));
  if (open.length) clauses.push(say('why.open', { facts: join(open.map((reason) => [code(reason.condition)])) }));
  return clauses.length ? say('why.line', { clauses: join(clauses, 'join.clause') }) : [];
}

// What the book says of a finding beyond its report: `affects` as [package, introduced, fixed, first final release], and the signature that was hit.
const entryOf = (id) => globalThis.fixbookBook.entries?.find((entry) => entry.id === id);
const signatureOf = (finding) => entryOf(finding.id)?.signatures.find((each) => each.id === finding.hits[0]?.signature);

function version(finding) {
  const affects = entryOf(finding.id)?.affects ?? [];
  if (!affects.length) return [];
  const stated = (name) => finding.reasons.some((reason) => reason.fact === name);
  const [name, introduced, fixed, firstRelease] = affects.find(([each]) => stated(`${each.replaceAll('-', '_').toLowerCase()}_version`)) ?? affects[0];
  const late = Boolean(signatureOf(finding)?.afterFix);
  const kind = late && finding.version === 'has_fix' ? 'expected' : late && finding.version === 'affected' ? 'early' : finding.version;
  const clauses = [say(`version.${kind}`, { package: name, version: finding.affected_version ?? '?', introduced: introduced ?? '?' })];
  const isLater = firstRelease && firstRelease !== fixed;
  if (fixed && kind !== 'expected') clauses.push(say(isLater ? 'fixed.release' : 'fixed.in', { fixed, first_release: firstRelease }));
  const effect = entryOf(finding.id).fixEffect;
  if (fixed && effect && finding.version !== 'has_fix') clauses.push(say(`effect.${effect}`));
  return say('version.line', { clauses: join(clauses, 'join.clause') });
}

function level(finding, isLead) {
  const { kind } = finding;
  if (kind === 'benign' || (kind !== 'cause' && !isLead)) return element('span', 'level', say(`kind.${kind}`));
  return element('span', `level ${finding.level}`, say(`level.${finding.level}`));
}

function first(finding, others) {
  const hit = finding.hits[0];
  const where = [line(hit.line), spread(finding), hit.process ? [code(hit.process)] : []].filter((part) => part.length);
  const card = element('article', 'finding', element('h3', '', titled(finding)), element('p', 'meta', level(finding, true), ' ', join(where)), proof(hit));
  card.append(element('p', '', prose(finding.summary[lang])));
  const reasons = why(finding, others);
  if (reasons.length) card.append(element('p', 'meta', reasons));
  const versions = version(finding);
  if (versions.length) card.append(element('p', 'meta', versions));
  const open = element('a', '', say('site.paste-open'));
  open.href = pageOf(finding.id);
  card.append(element('p', '', open));
  return card;
}

function other(finding) {
  const card = element('article', 'finding less', element('h3', '', titled(finding)), element('p', 'meta', level(finding, false), ' ', at(finding)));
  const tell = finding.tell[lang];
  card.append(element('p', '', tell ? prose(tell) : prose(finding.summary[lang])));
  return card;
}

function ruledOut(finding) {
  const reasons = finding.because.map((reason) => {
    const key = reason.rules_out ? 'reason.against' : 'reason.fails';
    if (reason.fact === 'frames' || reason.fact === 'messages') return say(`${key}-${reason.fact}`);
    return say(key, { condition: reason.condition, fact: stated(reason) });
  });
  const once = [...new Map(reasons.map((reason) => [textOf(reason), reason])).values()];
  return say('ruled_out.line', { title: titled(finding), id: code(finding.id), why: once.length ? join(once, 'join.clause') : say('level.ruled_out') });
}

function consequence(finding) {
  const ranks = spread(finding);
  const where = ranks.length ? say('proof.spread', { at: at(finding), spread: ranks }) : at(finding);
  return say('consequence.line', { at: where, title: titled(finding), id: code(finding.id) });
}

function command(text) {
  const pre = element('pre', '', code(text));
  pre.tabIndex = 0;
  return pre;
}

// The failure as its own line says it; its class where the line does not.
function failed({ exception, message }) {
  const isTold = message.includes(exception) && !/(?:Error|Exception)$/.test(exception); // words of the line: `Segmentation fault (core dumped)`
  const text = [isTold ? '' : exception, message].filter((part) => part.trim()).join(': ').replace(/\s+/g, ' ').trim();
  if (!text) return say('unknown.cut');
  return code(text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text);
}

function unknown(failure) {
  const about = [say('unknown.fingerprint', { fingerprint: failure.fingerprint })];
  if (failure.frames.length) about.push(say('unknown.frames', { frames: [code(failure.frames[failure.frames.length - 1])] }));
  const near = failure.nearest.map((each) => {
    const link = element('a', '', code(each.id));
    link.href = pageOf(each.id);
    return element('li', '', say(each.because ? 'unknown.nearest' : 'unknown.near', { id: link, because: code(each.because) }));
  });
  return [say('unknown.line', { at: line(failure.line), error: failed(failure) }), element('div', 'meta', join(about, 'join.clause')), near.length ? element('ul', '', near) : null];
}

const fact = ({ name, value, line: number }) => (number ? say('fact.at', { fact: name, value, at: line(number) }) : say('fact.plain', { fact: name, value }));

function missing(part) {
  const key = words[`missing.${part.what}`] ? `missing.${part.what}` : 'missing.plain';
  return [say(key, { what: part.what, at: say('line.first', { line: part.line }) }), part.command ? command(part.command) : null];
}

function skipped(part) {
  const reason = sayOr(`skip.${part.reason.toLowerCase().replace(/\d+/g, 'n').match(/[a-z]+/g)?.join('-')}`, part.reason, { n: part.reason.match(/\d+/)?.[0] });
  return say(part.line ? 'skipped.at' : 'skipped.line', { what: part.what, at: line(part.line), reason });
}

function group(key, items) {
  if (!items.length) return null;
  return [element('h3', 'group', say(`section.${key}`)), element('ul', `lines ${key}`, items.map((item) => element('li', '', item)))];
}

// What failed without an entry for it, and what to do then.
function unexplained(report) {
  const failures = group('unknown', report.unknown.map(unknown));
  if (report.verdict !== 'unknown') return failures;
  const key = report.ruled_out.length ? 'unknown.excluded' : 'unknown.says';
  return [element('p', '', say(key, { entries: report.book.entries })), failures, element('p', '', say('unknown.next'))];
}

// Candidates for the same failure are "also possible"; what is sure of itself is another failure.
function beside(findings) {
  if (!findings.length) return null;
  const possible = findings.every((finding) => finding.level === 'possible' || finding.tell[lang]);
  return [element('h3', 'group', say(possible ? 'section.others' : 'section.also')), findings.map(other)];
}

function shown(report) {
  const isUnknown = report.verdict === 'unknown'; // the shell around an unexplained failure does not help, so it does not lead
  const [main, ...rest] = report.findings;
  const parts = [element('h2', '', verdict(report))];
  if (report.verdict === 'wrapper') parts.push(element('p', 'note', say('wrapper.says')));
  if (isUnknown) parts.push(unexplained(report));
  else if (main) parts.push(first(main, rest));
  if (report.verdict === 'clean' && !main) {
    parts.push(element('p', '', say('clean.says', { source: say('site.paste'), entries: report.book.entries })), element('p', '', say('clean.next')));
  }
  const ask = report.ask.map((each) => {
    const entries = join(each.decides_between.map((id) => [code(id)]));
    return [say(each.decides_between.length > 1 ? 'ask.line' : 'ask.one', { fact: each.fact, entries }), each.command ? command(each.command) : null];
  });
  parts.push(
    beside(isUnknown ? report.findings : rest),
    group('ask', ask),
    group('ruled_out', report.ruled_out.map(ruledOut)),
    group('consequences', report.consequences.map(consequence)),
    isUnknown ? null : unexplained(report),
    group('missing', report.missing.map(missing)),
    isUnknown ? group('facts', report.facts.map(fact)) : null,
    group('skipped', report.skipped.map(skipped)),
  );
  return parts.flat(Infinity).filter((part) => part !== null);
}

Object.assign(globalThis.fixbook, { headline, shown });
})();
