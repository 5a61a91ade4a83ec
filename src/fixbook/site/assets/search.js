// Search over one flat list, which is looked through for the words as typed. It is loaded by a script element: that works without a server.
(() => {
'use strict';

const { lang, root } = globalThis.fixbook;

const MOST = 40;
const TEXT_AT_ONCE = 4e6; // characters of articles that are loaded without being asked
const WEIGHTS = [6, 5, 4, 2, 3, 1]; // of the columns: id, title, title in the other language, summary, error texts, terms

// Chinese beside Latin letters is typed without a blank, too.
const BORDER = /(?<=[\u3400-\u4dbf\u4e00-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u3400-\u4dbf\u4e00-\u9fff])/g;

const plainly = (text) => text.normalize('NFKC').toLowerCase();

class Search {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector('input');
    this.box = form.querySelector('.found');
    this.says = form.querySelector('.found-says');
    this.list = form.querySelector('.found-list');
    this.rows = null;
    this.texts = new Map();
    this.wanted = false;
    globalThis.fixbookSearch = (data) => this.take(data);
    globalThis.fixbookText = (data) => this.takeText(data);
    this.input.addEventListener('focus', () => this.load());
    this.input.addEventListener('input', () => this.show());
    form.addEventListener('submit', (event) => { event.preventDefault(); this.list.querySelector('a')?.click(); });
    form.addEventListener('keydown', (event) => this.move(event));
    document.addEventListener('click', (event) => { if (!form.contains(event.target)) this.close(); });
    form.addEventListener('focusout', (event) => { if (event.relatedTarget && !form.contains(event.relatedTarget)) this.close(); });
    document.addEventListener('keydown', (event) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.input.focus();
        this.input.select();
      }
    });
  }

  load() {
    if (this.started) return;
    this.started = true;
    this.script(`search.${lang}.js`);
  }

  script(name) {
    const element = document.createElement('script');
    element.src = `${root.dataset.root}assets/${name}`;
    element.onerror = () => { this.started = false; this.tell(this.form.dataset.failed); };
    document.head.append(element);
  }

  take({ names, parts, size, rows }) {
    this.names = names;
    this.parts = parts;
    this.size = size;
    this.rows = rows.map((row) => ({ row, columns: row.map(plainly) }));
    this.show();
  }

  takeText({ rows }) {
    rows.forEach(([id, text]) => this.texts.set(id, plainly(text)));
    this.read = (this.read || 0) + 1;
    if (this.read === this.parts) this.show();
  }

  loadText() {
    if (this.wanted) return;
    this.wanted = true;
    for (let part = 0; part < this.parts; part += 1) this.script(`search.${lang}.${part}.js`);
  }

  show() {
    const query = plainly(this.input.value).replace(BORDER, ' ').trim().replace(/\s+/g, ' ');
    if (!query || !this.rows) {
      this.close();
      return;
    }
    if (this.size <= TEXT_AT_ONCE) this.loadText();
    const found = this.find(query);
    const near = found.length ? [] : this.near(query);
    const { count, none, near: nearly } = this.form.dataset;
    this.list.replaceChildren(...(found.length ? found : near).slice(0, MOST).map((hit) => this.item(hit)));
    this.tell(found.length ? count.replace('{n}', found.length) : near.length ? nearly : none);
    this.offerText();
  }

  find(query) {
    const words = query.split(' ');
    const hits = [];
    for (const { row, columns } of this.rows) {
      const text = this.texts.get(row[0]) || '';
      let score = columns[1] === query || columns[0].endsWith(query) ? 20 : 0;
      let place = -1;
      const every = words.every((word) => {
        const at = WEIGHTS.reduce((best, weight, i) => (columns[i].includes(word) && (best < 0 || weight > WEIGHTS[best]) ? i : best), -1);
        if (at < 0) return text.includes(word);
        score += WEIGHTS[at];
        place = Math.max(place, at);
        return true;
      });
      if (!every) continue;
      if (words.length > 1 && columns.some((column) => column.includes(query))) score += 8;
      hits.push({ row, score, inText: place < 0, words });
    }
    return hits.sort((a, b) => b.score - a.score || (a.row[0] < b.row[0] ? -1 : 1));
  }

  // An error text with other numbers, or Chinese that was typed without spaces: the entries that hold most of its pieces.
  near(query) {
    const pieces = new Set();
    for (const [word] of query.matchAll(/[a-z_][\w.-]{2,}/g)) pieces.add(word);
    for (const [run] of query.matchAll(/[\u3400-\u9fff]{2,}/g)) for (let i = 0; i + 1 < run.length; i += 1) pieces.add(run.slice(i, i + 2));
    if (pieces.size < 2) return [];
    return this.rows
      .map(({ row, columns }) => {
        const whole = `${columns.join('\n')}\n${this.texts.get(row[0]) || ''}`;
        const score = [...pieces].filter((piece) => whole.includes(piece)).length;
        return { row, score, words: [...pieces] };
      })
      .filter(({ score }) => score >= pieces.size * 0.6)
      .sort((a, b) => b.score - a.score || (a.row[0] < b.row[0] ? -1 : 1))
      .slice(0, 8);
  }

  item({ row, inText, words }) {
    const [id, title, , , said] = row;
    const link = document.createElement('a');
    link.href = `${root.dataset.root}${lang}/${id}.html`;
    link.append(...marked(title, words));
    const small = document.createElement('small');
    const line = inText ? '' : said.split('\n').find((each) => words.some((word) => plainly(each).includes(word)));
    small.append(`${this.names[id.split('/')[0]]} · `);
    if (inText) small.append(...this.snippet(id, words));
    else if (line) {
      small.append(...marked(line.length > 160 ? `${line.slice(0, 160)}…` : line, words));
      small.className = 'why';
    } else small.append(id.split('/')[1]);
    link.append(small);
    const item = document.createElement('li');
    item.append(link);
    return item;
  }

  snippet(id, words) {
    const text = this.texts.get(id) || '';
    const at = Math.max(text.indexOf(words[0]), 0);
    return [`${this.form.dataset.text} `, ...marked(`…${text.slice(Math.max(at - 30, 0), at + 70)}…`, words)];
  }

  offerText() {
    this.box.querySelector('.more')?.remove();
    if (this.wanted || !this.parts) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'more';
    button.textContent = this.form.dataset.load.replace('{size}', Math.ceil(this.size / 1e6));
    button.addEventListener('click', () => { this.loadText(); this.input.focus(); });
    this.box.append(button);
  }

  tell(words) {
    this.says.textContent = words;
    this.box.hidden = false;
  }

  close() {
    this.box.hidden = true;
  }

  move(event) {
    if (event.key === 'Escape') {
      if (!this.box.hidden) event.preventDefault();
      this.close();
      this.input.focus();
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [this.input, ...this.list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    if (at < 0 || stops.length === 1 || this.box.hidden) return;
    event.preventDefault();
    stops[(at + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length].focus();
  }
}

// Text with the words in <mark>, as nodes; the text may come from a log.
function marked(text, words) {
  const folded = text.toLowerCase();
  const nodes = [];
  let at = 0;
  while (at < text.length) {
    const next = words.map((word) => [folded.indexOf(word, at), word]).filter(([found]) => found >= 0).sort((a, b) => a[0] - b[0])[0];
    if (!next) break;
    const mark = document.createElement('mark');
    mark.textContent = text.slice(next[0], next[0] + next[1].length);
    nodes.push(text.slice(at, next[0]), mark);
    at = next[0] + next[1].length;
  }
  return [...nodes, text.slice(at)];
}

const searchForm = document.querySelector('.find');
if (searchForm) new Search(searchForm);
})();
