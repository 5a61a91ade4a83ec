// Labels and the texts of entries as nodes: the same Markdown that the Python program renders, with values that are shown, never read.
(() => {
'use strict';

const { lang } = globalThis.fixbook;
const words = globalThis.fixbookWords;

const INLINE = /\\([!-/:-@[-`{-~])|(`+)(.+?)\2(?!`)|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)|\*\*(\S(?:.*?\S)?)\*\*|\{([a-z_]+)\}/gs;
// Between Chinese characters and beside their punctuation there is no space, though a folded line of YAML leaves one.
const GAP = new RegExp(
  '(?<=[\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff])(?:[ \\t]*\\n[ \\t]*| +)(?=[\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff])'
  + '|(?<=[，。；：！？、）】》」』（【《「『])(?:[ \\t]+\\n?[ \\t]*|\\n[ \\t]*)(?=[^\\s\\-*+#>|0-9])|[ \\t]+(?=[，。；：！？、）】》」』])',
  'g',
);

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ''));
  return made;
}

const code = (text) => element('code', '', text);

// Inline Markdown as nodes. A value that is a node, or a list of them, stands as it is; a string is shown, never read as markup.
function inline(markdown, values = {}) {
  const known = (name) => Object.hasOwn(values, name);
  const filled = (text) => text.replace(/\{([a-z_]+)\}/g, (whole, name) => (known(name) ? textOf(values[name]) : whole));
  const nodes = [];
  let at = 0;
  for (const match of markdown.matchAll(INLINE)) {
    const [whole, escaped, , body, label, url, strong, name] = match;
    nodes.push(markdown.slice(at, match.index));
    at = match.index + whole.length;
    if (escaped) nodes.push(escaped);
    else if (body !== undefined) nodes.push(code(filled(/^ .* $/s.test(body) && body.trim() ? body.slice(1, -1) : body)));
    else if (url) {
      const link = element('a', '', inline(label, values));
      link.href = url;
      nodes.push(link);
    } else if (strong) nodes.push(element('strong', '', inline(strong, values)));
    else nodes.push(known(name) ? values[name] : whole);
  }
  nodes.push(markdown.slice(at));
  return merged(nodes.flat(Infinity));
}

// Runs of strings as one, tidied: what stands next to a gap only shows when the pieces stand together.
function merged(nodes) {
  const out = [];
  for (const node of nodes) {
    const last = out.length - 1;
    if (!(node instanceof Node) && last >= 0 && !(out[last] instanceof Node)) out[last] += node;
    else out.push(node instanceof Node ? node : String(node));
  }
  return out.map((node, i) => (node instanceof Node ? node : tidy(node, edge(out[i - 1], -1), edge(out[i + 1], 0)))).filter((node) => node !== '');
}

function tidy(text, before, after) {
  if (lang !== 'zh') return text;
  const whole = (before + text + after).replace(GAP, '');
  return whole.slice(before.length, whole.length - after.length);
}

// The character of a neighbour that touches the text; code counts as its mark.
function edge(node, at) {
  if (!node) return '';
  return node.tagName === 'CODE' ? '`' : node.textContent.at(at) ?? '';
}

const textOf = (value) => [value].flat(Infinity).map((each) => (each instanceof Node ? each.textContent : String(each))).join('');

function say(key, values) {
  return inline(words[key] ?? key, values);
}

const sayOr = (key, word, values) => (words[key] ? say(key, values) : [code(word)]);

// A list in the language's own punctuation.
function join(parts, key = 'join.and') {
  return parts.reduce((whole, part) => (whole === null ? part : say(key, { a: whole, b: part })), null) ?? [];
}

function prose(text) {
  return inline(text.trim()).map((node) => (node instanceof Node ? node : node.replace(/\s*\n\s*/g, ' ')));
}

Object.assign(globalThis.fixbook, { code, element, join, prose, say, sayOr, textOf, words });
})();
