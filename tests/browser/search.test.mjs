// Search: complete for words of both languages, for flags, ids and error texts; loaded on first focus; also without a server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { facts, fileUrl, launch, open, serve } from './harness.mjs';

let browser;
let server;

before(async () => { browser = await launch(); server = await serve(); });
after(async () => { await browser.close(); await server.close(); });

async function found(page, query) {
  await page.fill('#find', query);
  await page.waitForFunction(() => !document.querySelector('.found').hidden);
  return page.evaluate(() => [...document.querySelectorAll('.found-list a')].map((link) => link.getAttribute('href').split(/\/(?:en|zh)\//)[1].replace('.html', '')));
}

for (const lang of ['en', 'zh']) {
  test(`every entry that holds a word is counted, ${lang}`, async () => {
    const { page, trouble } = await open(browser, server.url);
    await page.goto(`${server.url}${lang}/index.html`);
    await page.focus('#find');
    for (const [word, count] of Object.entries(facts.counts[lang])) {
      await page.fill('#find', word);
      // The articles' text comes after the list, so the number may grow for a moment.
      const said = () => page.textContent('.found-says');
      await page.waitForFunction((n) => Number(document.querySelector('.found-says').textContent.match(/\d+/)?.[0] ?? 0) === n, count, { timeout: 30000 })
        .catch(async () => assert.fail(`${word}: ${count} entries hold it, the page says: ${await said()}`));
    }
    assert.deepEqual(trouble, []);
  });

  test(`the list is loaded on first focus, ${lang}`, async () => {
    const { page, requests } = await open(browser, server.url);
    await page.goto(`${server.url}${lang}/${facts.entry}.html`);
    await page.waitForTimeout(200);
    assert.equal(requests.some((url) => url.includes(`search.${lang}`)), false);
    await page.keyboard.press('/');
    await page.waitForFunction(() => document.activeElement.id === 'find');
    await page.waitForFunction(() => [...document.scripts].some((each) => each.src.includes('search.en') || each.src.includes('search.zh')));
  });
}

test('an entry is found by its id, its error text, and the same error with other numbers', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.focus('#find');
  for (const query of [facts.entry, facts.entry.split('/')[1], facts.error]) assert.equal((await found(page, query))[0], facts.entry, query);
  assert.ok((await found(page, facts.errorWithOtherNumbers)).includes(facts.entry));
});

test('Chinese without spaces is found by its parts', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}zh/index.html`);
  await page.focus('#find');
  assert.ok((await found(page, facts.chinese)).length > 0);
});

test('arrows walk through what was found, Escape goes back, Enter opens', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.keyboard.press('/');
  await found(page, facts.entry.split('/')[1]);
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'A');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'find');
  assert.equal(await page.locator('.found').isVisible(), false);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/en/${facts.entry}.html`);
});

test('what was found is reachable for axe, too', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/index.html`);
  await page.focus('#find');
  await found(page, 'cuda');
  assert.equal(await page.getByRole('search').getByRole('status').textContent().then((text) => /\d+/.test(text)), true);
});

test('search works without a server', async () => {
  const { page, trouble } = await open(browser, fileUrl);
  await page.goto(`${fileUrl}zh/${facts.entry}.html`);
  await page.focus('#find');
  assert.equal((await found(page, facts.entry.split('/')[1]))[0], facts.entry);
  await page.locator('.found-list a').first().click();
  await page.waitForURL(`**/zh/${facts.entry}.html`);
  assert.deepEqual(trouble, []);
});
