// The paste box: logs in, findings out; nothing leaves the page; what runs away is stopped and named.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { facts, fileUrl, launch, open, serve } from './harness.mjs';

let browser;
let server;

before(async () => { browser = await launch(); server = await serve(); });
after(async () => { await browser.close(); await server.close(); });

const result = (page) => page.locator('.result');

async function paste(page, text) {
  await page.fill('#log', text);
  await page.locator('.go').click();
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
}

// What the page shows of a report, to be compared with what the Python program gave.
const shown = (page) => page.evaluate(() => {
  const groups = ['ask', 'ruled_out', 'consequences', 'unknown', 'missing', 'skipped'];
  const text = (node) => { // without its commands, which are held to the report elsewhere
    const copy = node.cloneNode(true);
    copy.querySelectorAll('.code').forEach((each) => each.remove());
    return copy.textContent.replace(/\s+/g, ' ').trim();
  };
  const texts = (selector) => [...document.querySelectorAll(`.result ${selector}`)].map(text);
  const id = (link) => link.getAttribute('href').replace('.html', '');
  const lead = document.querySelector('.result .finding:not(.less)');
  return {
    lead: lead ? id(lead.querySelector('h3 a')) : null,
    isFirst: document.querySelector('.result > h2 ~ *')?.matches('.finding, .note'),
    findings: [...document.querySelectorAll('.result .finding h3 a')].map(id),
    level: document.querySelector('.result .finding .level')?.className.split(' ')[1] ?? null,
    proof: document.querySelector('.result .finding pre mark')?.textContent ?? null,
    headline: document.querySelector('.result h2').textContent,
    said: { first: texts('.finding:first-of-type .meta ~ .meta'), ...Object.fromEntries(groups.map((name) => [name, texts(`.lines.${name} > li`)])) },
  };
});

for (const base of ['server', 'file']) {
  for (const lang of ['en', 'zh']) {
    test(`logs give the findings of the Python program, ${lang}, from a ${base}`, async () => {
      const url = base === 'file' ? fileUrl : server.url;
      const { page, trouble } = await open(browser, url);
      await page.goto(`${url}${lang}/index.html`);
      for (const { name, text, expected } of facts.cases) {
        await paste(page, text);
        const got = await shown(page);
        assert.deepEqual(got.findings, expected.findings, name);
        assert.equal(got.lead, expected.lead, name);
        assert.equal(got.isFirst, expected.lead !== null, name); // else what failed comes first, not the shell around it
        assert.equal(got.level, expected.level, name);
        assert.deepEqual(got.said, expected.said[lang], name);
        if (expected.proof !== null) assert.equal(got.proof, expected.proof, name);
        assert.ok(got.headline.length > 3, name);
        assert.equal(await page.evaluate(() => document.querySelector('.result').textContent.includes('{')
          && /\{[a-z_]+\}/.test(document.querySelector('.result').textContent)), false, `${name}: a hole that was not filled`);
      }
      assert.deepEqual(trouble, []);
    });
  }
}

test('no request follows a paste, and nothing of it is kept', async () => {
  const { page, requests } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.focus('#log');
  await page.waitForFunction(() => globalThis.fixbookBook && globalThis.fixbookWorker);
  await page.waitForLoadState('networkidle');
  const before = requests.length;
  await paste(page, facts.cases[0].text);
  await page.waitForTimeout(300);
  assert.deepEqual(requests.slice(before), []);
  assert.equal(new URL(page.url()).search + new URL(page.url()).hash, '');
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.equal(kept.includes(facts.cases[0].text.slice(0, 20)), false);
});

test('book and matcher are loaded when the box is first used, before there is a log', async () => {
  const isOwn = (url) => /\/assets\/(?:book|worker)\.js/.test(url);
  for (const use of [(page) => page.focus('#log'), (page) => page.hover('.open').then(() => page.mouse.down()), (page) => page.dispatchEvent('.box', 'dragenter')]) {
    const { page, requests, context } = await open(browser, server.url);
    await page.goto(`${server.url}en/index.html`);
    await page.waitForLoadState('networkidle');
    assert.deepEqual(requests.filter(isOwn), []);
    await use(page);
    await page.waitForFunction(() => globalThis.fixbookBook && globalThis.fixbookWorker);
    assert.equal(requests.filter(isOwn).length, 2);
    await context.close();
  }
});

test('a book that cannot be loaded is told, and asked for again the next time', async () => {
  const { page } = await open(browser, server.url);
  await page.route('**/assets/book.js*', (route) => route.abort());
  await page.goto(`${server.url}zh/index.html`);
  await page.fill('#log', facts.cases[0].text);
  await page.locator('.go').click();
  await page.waitForFunction(() => /手册与匹配程序加载失败/.test(document.querySelector('.paste-says').textContent));
  await page.unroute('**/assets/book.js*');
  await page.locator('.go').click();
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
  assert.deepEqual((await shown(page)).findings, facts.cases[0].expected.findings);
});

test('what is skipped and what to look up are told in the language of the page', async () => {
  const { page } = await open(browser, server.url);
  await page.route('**/assets/book.js*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()}\nglobalThis.fixbookBook.entries[0].leftOut.push('odd');` });
  });
  await page.goto(`${server.url}zh/index.html`);
  await paste(page, facts.cases[0].text);
  assert.match(await result(page).locator('.lines').last().textContent(), /#odd：该模式无法在浏览器中运行/);
});

test('the page itself may not connect anywhere', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  const tried = await page.evaluate(async (url) => {
    const out = [];
    for (const attempt of [() => fetch(url), () => new Promise((done, fail) => { const x = new XMLHttpRequest(); x.open('POST', url); x.onerror = fail; x.onload = done; x.send('log'); })]) {
      try { await attempt(); out.push('connected'); } catch { out.push('refused'); }
    }
    return out;
  }, server.url);
  assert.deepEqual(tried, ['refused', 'refused']);
});

test('log text is shown, never run', async () => {
  const { page, trouble } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await paste(page, facts.hostile);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.equal(await page.locator('.result img, .result script').count(), 0);
  assert.deepEqual(trouble.filter((each) => !each.includes('Content Security Policy')), []);
});

test('a paste into the empty box is read at once, a file by opening or dropping it', async () => {
  const { page } = await open(browser, server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${server.url}zh/index.html`);
  const { text, expected } = facts.cases[0];
  await page.evaluate((log) => navigator.clipboard.writeText(log), text);
  await page.focus('#log');
  await page.keyboard.press('ControlOrMeta+v');
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
  assert.deepEqual((await shown(page)).findings, expected.findings);
  await page.locator('.clear').click();
  assert.equal(await result(page).isVisible(), false);

  const file = join(tmpdir(), `fixbook-${process.pid}.log`);
  await writeFile(file, text);
  await page.setInputFiles('.file', file);
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
  assert.deepEqual((await shown(page)).findings, expected.findings);

  for (const kind of ['file', 'text']) {
    await page.locator('.clear').click();
    const carried = await page.evaluateHandle(([log, isFile]) => {
      const made = new DataTransfer();
      if (isFile) made.items.add(new File([log], 'server.log'));
      else made.setData('text', log);
      return made;
    }, [text, kind === 'file']);
    await page.dispatchEvent('.box', 'drop', { dataTransfer: carried });
    await page.waitForFunction(() => !document.querySelector('.result').hidden);
    assert.deepEqual((await shown(page)).findings, expected.findings, kind);
  }
});

test('of a long log the end is read, and that is told', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}zh/index.html`);
  const { text, expected } = facts.cases[0];
  const file = join(tmpdir(), `fixbook-long-${process.pid}.log`);
  await writeFile(file, `${'INFO 12-01 09:00:00 nothing happened here\n'.repeat(130000)}${text}`);
  await page.setInputFiles('.file', file);
  await page.waitForFunction(() => !document.querySelector('.result').hidden, null, { timeout: 60000 });
  assert.deepEqual((await shown(page)).findings, expected.findings);
  assert.match(await page.textContent('.paste-says'), /最后 5 MB/);
});

test('a file in the encoding of PowerShell is read as what it is', async () => {
  const { page } = await open(browser, fileUrl);
  await page.goto(`${fileUrl}en/index.html`);
  const { text, expected } = facts.cases[0];
  const file = join(tmpdir(), `fixbook-wide-${process.pid}.log`);
  await writeFile(file, Buffer.from(`\ufeff${text}`, 'utf16le'));
  await page.setInputFiles('.file', file);
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
  assert.deepEqual((await shown(page)).findings, expected.findings);
});

test('the example is a known failure, and links lead to its page', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.locator('.try').click();
  await page.waitForFunction(() => !document.querySelector('.result').hidden);
  await page.locator('.result .finding h3 a').first().click();
  await page.waitForURL('**/en/*/*.html');
  assert.ok(await page.getByRole('heading', { level: 1 }).isVisible());
});

test('nothing pasted is told', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.locator('.go').click();
  assert.match(await page.textContent('.paste-says'), /paste a log first/);
});

test('work that runs away is stopped and named, the rest is answered', async () => {
  const { page } = await open(browser, server.url);
  // A worker that hangs on one pattern, as long as it is not told to leave it out.
  await page.route('**/assets/worker.js*', (route) => route.fulfill({
    contentType: 'text/javascript',
    body: `globalThis.fixbookWorker = function () {
      self.onmessage = ({ data }) => {
        if (data.book) return;
        if (!data.skip.includes('kb/slow#one')) { self.postMessage({ busy: 'kb/slow#one' }); for (;;) ; }
        self.postMessage({ report: ${JSON.stringify(facts.empty)} });
      };
    };`,
  }));
  await page.goto(`${server.url}en/index.html`);
  await paste(page, 'some log');
  assert.match(await result(page).textContent(), /kb\/slow#one/);
});

test('a pattern that runs away in the real matcher is stopped and named, the other findings are given', async () => {
  const { page } = await open(browser, server.url);
  await page.route('**/assets/book.js*', async (route) => {
    const response = await route.fetch();
    const slow = `{ const { entries } = globalThis.fixbookBook; const [first] = entries;
      const signature = { ...first.signatures[0], id: 'slow', pattern: '(?:x+x+)+y', place: null, with: null, literals: ['xxxx'], fold: false };
      entries.push({ ...first, id: 'kb/slow', signatures: [signature] }); }`;
    await route.fulfill({ response, body: `${await response.text()}\n${slow}` });
  });
  await page.goto(`${server.url}en/index.html`);
  const { text, expected } = facts.cases[0];
  await paste(page, `${text}\n${'x'.repeat(60)}\n`);
  assert.deepEqual((await shown(page)).findings, expected.findings);
  assert.match(await result(page).textContent(), /kb\/slow#slow/);
});
