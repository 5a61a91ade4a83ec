// Every kind of page, in both languages and themes: no error, no request elsewhere, no barrier, nothing wider than a phone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { facts, fileUrl, launch, open, serve } from './harness.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;
let server;

before(async () => { browser = await launch(); server = await serve(); });
after(async () => { await browser.close(); await server.close(); });

for (const colorScheme of ['light', 'dark']) {
  test(`no accessibility violation, ${colorScheme}`, async () => {
    const { page, trouble } = await open(browser, server.url, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
    for (const path of facts.kinds) {
      await page.goto(server.url + path);
      await page.evaluate(() => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
      await page.addScriptTag({ content: axe });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const said = violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(' | ')}`);
      assert.deepEqual(said, [], path);
    }
    assert.deepEqual(trouble, []);
  });

  test(`no accessibility violation in what scripts add, ${colorScheme}`, async () => {
    const { page } = await open(browser, server.url, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
    const check = async (what) => {
      await page.addScriptTag({ content: axe });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`), [], what);
    };
    await page.goto(`${server.url}zh/index.html`);
    for (const text of [...facts.cases.slice(0, 3).map((each) => each.text), facts.hostile]) {
      await page.fill('#log', text);
      await page.locator('.go').click();
      await page.waitForFunction(() => !document.querySelector('.result').hidden);
      await check(text.slice(0, 60));
    }
    await page.fill('#find', 'cuda');
    await page.locator('.found-list a').first().waitFor();
    await check('search');
  });
}

test('no text fades in, so that it can be read as soon as it is there', async () => {
  const { page } = await open(browser, server.url);
  for (const path of facts.kinds) {
    await page.goto(server.url + path);
    const fading = await page.evaluate(() => [...document.querySelectorAll('*')].filter((each) => {
      const { transitionDuration, animationName } = getComputedStyle(each);
      return animationName !== 'none' || transitionDuration.split(',').some((time) => parseFloat(time) > 0);
    }).map((each) => each.className || each.tagName));
    assert.deepEqual(fading, [], path);
  }
});

test('a phone scrolls in one direction only', async () => {
  const { page, trouble } = await open(browser, server.url, { viewport: { width: 360, height: 740 } });
  for (const path of facts.kinds) {
    await page.goto(server.url + path);
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= room, `${path}: ${wide} > ${room}`);
  }
  assert.deepEqual(trouble, []);
});

test('without a server every page has its style and its scripts', async () => {
  const { page, trouble } = await open(browser, fileUrl);
  for (const path of facts.kinds.filter((each) => each !== '404.html' && each !== 'index.html')) {
    await page.goto(fileUrl + path);
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains('js')), true, path);
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('main')).maxWidth), 'none', path);
  }
  assert.deepEqual(trouble, []);
});

test('without JavaScript the article is whole and nothing that needs it is there', async () => {
  const { page } = await open(browser, server.url, { javaScriptEnabled: false });
  await page.goto(`${server.url}en/${facts.entry}.html`);
  assert.ok(await page.getByRole('heading', { level: 1 }).isVisible());
  assert.ok(await page.locator('.quick_fix pre').first().isVisible());
  assert.equal(await page.locator('.find').isVisible(), false);
  assert.equal(await page.locator('.theme').isVisible(), false);
  await page.locator('.language').click();
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  await page.goto(`${server.url}en/index.html`);
  assert.equal(await page.locator('.box').isVisible(), false);
  assert.ok(await page.locator('.without-js').isVisible());
});

test('the language switch keeps page and section', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/${facts.entry}.html#cause`);
  await page.locator('.language').click();
  await page.waitForURL(`**/zh/${facts.entry}.html#cause`);
  // and the root leads to the language that was chosen
  await page.goto(server.url);
  await page.waitForURL('**/zh/index.html');
});

test('the root leads to the language of the browser', async () => {
  for (const [locale, lang] of [['zh-TW', 'zh'], ['fr-FR', 'en'], ['en-GB', 'en']]) {
    const { page, context } = await open(browser, server.url, { locale });
    await page.goto(server.url);
    await page.waitForURL(`**/${lang}/index.html`);
    await context.close();
  }
});

test('the theme can be switched and stays', async () => {
  const { page } = await open(browser, server.url, { colorScheme: 'light' });
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.goto(`${server.url}en/${facts.entry}.html`);
  const light = await paper();
  await page.locator('.theme').click();
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.goto(`${server.url}zh/index.html`);
  assert.equal(await paper(), dark);
});

test('copy takes the command as it stands', async () => {
  const { page } = await open(browser, server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${server.url}en/${facts.entry}.html`);
  const box = page.locator('.quick_fix .code').first();
  const said = (await box.locator('pre').textContent()).trim();
  await box.getByRole('button').click();
  await box.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), said);
});

test('the keyboard reaches everything, in order, and the first stop skips the bar', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/${facts.entry}.html`);
  const active = () => page.evaluate(() => { const it = document.activeElement; return it.id || it.className || it.tagName; });
  await page.keyboard.press('Tab');
  assert.equal(await active(), 'skip');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'main');
  const stops = [];
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press('Tab');
    stops.push(await page.evaluate(() => document.activeElement.closest('.crumbs, .error, .wordings, .quick_fix, .caveats, .versions')?.className || '-'));
  }
  const order = [...new Set(stops)].filter((each) => each !== '-');
  assert.deepEqual(order.slice(0, 2), ['crumbs', 'error']);
  assert.ok(order.includes('quick_fix'), stops.join(' '));
});

test('an old name leads to the new page', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/${facts.alias}.html`);
  await page.waitForURL(`**/en/${facts.aliasOf}.html`);
});

test('a page that is not there says so at any depth, in both languages', async () => {
  const { page } = await open(browser, server.url);
  const response = await page.goto(`${server.url}en/no/such/thing/at/all.html`);
  assert.equal(response.status(), 404);
  assert.ok(await page.getByText('There is no such page').isVisible());
  assert.ok(await page.getByText('没有这个页面').isVisible());
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('main')).maxWidth), 'none');
  await page.getByRole('link', { name: '中文' }).click();
  await page.waitForURL('**/zh/index.html');
});

test('paper shows the article alone, with the addresses of its sources', async () => {
  const { page } = await open(browser, server.url);
  await page.goto(`${server.url}en/${facts.entry}.html`);
  await page.emulateMedia({ media: 'print' });
  for (const gone of ['.top', '.toc', '.foot', '.copy']) assert.equal(await page.locator(gone).first().isVisible(), false, gone);
  assert.ok(await page.locator('.sources .url').first().isVisible());
});
