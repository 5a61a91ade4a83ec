// The paste box: hands a log to the worker, shows the report that comes back. What a log says reaches the page as text, never as markup.
(() => {
'use strict';

const { addCopy, element, headline, lang, root, say, shown, textOf } = globalThis.fixbook;

const MOST = 5e6; // characters of a log that are read; the end of a log is what failed
const PATTERN_TIME = 2000; // ms for what the worker named as busy
const WHOLE_TIME = 30000; // ms for anything else
const TRIES = 4; // runs of the same log, each without one more pattern that ran away

// The book and the matcher are most of what this page has to load, so they come when somebody is about to use them.
function script(address) {
  return new Promise((done, failed) => {
    const made = element('script');
    made.src = address;
    made.onload = done;
    made.onerror = () => { made.remove(); failed(new Error(address)); };
    document.head.append(made);
  });
}

class Reader {
  // One worker, which is ended when it does not answer in time; `answered` gets {report} or {error}.
  constructor(answered) {
    this.answered = answered;
    this.start();
  }

  start() {
    const source = `(${globalThis.fixbookWorker})();`;
    const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => this.take({ error: event.message || 'worker' });
    this.worker.postMessage({ book: { ...globalThis.fixbookBook, tables: globalThis.fixbookTables } });
  }

  read(text, skip = []) {
    if (this.job) this.stop();
    this.job = { text, skip, busy: null };
    this.worker.postMessage({ text, lang, skip });
    this.wait(WHOLE_TIME);
  }

  // The text of a file, in whatever encoding it is.
  decode(bytes, decoded) {
    this.decoded = decoded;
    this.worker.postMessage({ file: bytes }, [bytes]);
  }

  wait(time) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.runaway(time), time);
  }

  take(data) {
    if (data.text !== undefined) {
      this.decoded(data.text);
      return;
    }
    if (!this.job) return;
    if (data.busy !== undefined) {
      this.job.busy = data.busy;
      this.wait(PATTERN_TIME);
      return;
    }
    clearTimeout(this.timer);
    const { skip } = this.job;
    this.job = null;
    // A pattern that was stopped is not the same as one that does not match.
    if (data.report) data.report.skipped.push(...skip.map((what) => ({ what, reason: 'time limit', line: 0 })));
    this.answered(data);
  }

  stop() {
    clearTimeout(this.timer);
    this.job = null;
    this.worker.terminate();
    this.start();
  }

  runaway(time) {
    const { text, skip, busy } = this.job;
    this.stop();
    if (busy && skip.length + 1 < TRIES && !skip.includes(busy)) this.read(text, [...skip, busy]);
    else this.answered({ error: textOf([busy ? `${busy}: ` : '', say('site.paste-stopped', { seconds: time / 1000 })]) });
  }
}

class Box {
  constructor(form) {
    this.form = form;
    this.area = form.querySelector('textarea');
    this.says = document.querySelector('.paste-says');
    this.result = document.querySelector('.result');
    this.clear = form.querySelector('.clear');
    this.file = form.querySelector('.file');
    this.cut = false;
    // A finger or a dragged file is there before the log is: nothing is loaded after a log was handed over.
    for (const first of ['focusin', 'pointerdown', 'dragenter']) form.addEventListener(first, () => this.load().catch(() => {}), { once: true });
    form.addEventListener('submit', (event) => { event.preventDefault(); this.go(true); });
    form.querySelector('.open').addEventListener('click', () => this.file.click());
    form.querySelector('.try')?.addEventListener('click', () => { this.put(document.getElementById('example').content.textContent); this.go(true); });
    this.clear.addEventListener('click', () => { this.put(''); this.show([]); this.tell(''); this.area.focus(); });
    this.file.addEventListener('change', () => this.open(this.file.files[0]));
    this.area.addEventListener('input', () => { this.clear.hidden = !this.area.value; });
    this.area.addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.go(true); });
    this.area.addEventListener('paste', () => { const empty = !this.area.value.trim(); setTimeout(() => { if (empty) this.go(false); }); });
    form.addEventListener('dragover', (event) => { event.preventDefault(); form.classList.add('over'); });
    form.addEventListener('dragleave', () => form.classList.remove('over'));
    form.addEventListener('drop', (event) => this.drop(event));
  }

  // The reader, once book and matcher are there.
  load() {
    this.reader ??= Promise.all([script(this.form.dataset.book), script(this.form.dataset.matcher)])
      .then(() => new Reader((answer) => this.answered(answer)))
      .catch((error) => { this.reader = null; throw error; });
    return this.reader;
  }

  // Hands work to the reader; of several logs that wait for it only the last is read.
  withReader(work) {
    this.waiting = work;
    this.load().then(
      (reader) => { if (this.waiting === work) work(reader); },
      () => this.answered({ error: textOf(say('site.paste-unloaded')) }),
    );
  }

  put(text) {
    this.area.value = text;
    this.clear.hidden = !text;
  }

  drop(event) {
    event.preventDefault();
    this.form.classList.remove('over');
    const file = event.dataTransfer.files[0];
    if (file) this.open(file);
    else {
      this.put(event.dataTransfer.getData('text'));
      this.go(false);
    }
  }

  async open(file) {
    if (!file) return;
    this.cut = file.size > MOST;
    const start = Math.max(file.size - MOST, 0);
    const bytes = await file.slice(start + (start % 2)).arrayBuffer(); // of UTF-16, whole units
    this.file.value = '';
    this.withReader((reader) => reader.decode(bytes, (text) => { this.put(text); this.go(true); }));
  }

  go(byHand) {
    const whole = this.area.value;
    if (!whole.trim()) {
      this.tell(say('site.paste-empty'));
      this.area.focus();
      return;
    }
    this.byHand = byHand;
    this.cut = this.cut || whole.length > MOST;
    this.show([]); // the answer to another log must not stand beside this one
    this.tell(say('site.paste-busy'));
    this.withReader((reader) => reader.read(whole.slice(-MOST)));
  }

  answered({ report, error }) {
    if (error) {
      this.show([]);
      this.tell(say('site.paste-error', { error: error === 'missing' ? say('site.paste-missing') : error }));
      return;
    }
    // The verdict is seen in the result; a screen reader hears it from the status line.
    this.tell([element('span', 'unseen', headline(report), ' '), this.cut ? say('site.paste-cut', { size: MOST / 1e6 }) : '']);
    this.cut = false;
    this.show(shown(report));
    if (this.byHand) this.result.focus({ preventScroll: true });
    this.result.scrollIntoView({ block: 'nearest' });
  }

  tell(nodes) {
    this.says.replaceChildren(...[nodes].flat(Infinity));
  }

  show(nodes) {
    this.result.hidden = !nodes.length;
    this.result.replaceChildren(...nodes);
    this.result.querySelectorAll('pre').forEach(addCopy);
  }
}

const form = document.querySelector('.box');
if (form) new Box(form);
root.classList.add('can-paste');
})();
