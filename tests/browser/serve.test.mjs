// The site that is served while it is written: a change reaches the open page, and so does what lint finds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { facts, launch } from './harness.mjs';

let browser;
let server;
let url;

before(async () => {
  browser = await launch();
  server = spawn(facts.python, ['-m', 'fixbook', 'site', '--serve', '--port', '0', '--no-shipped', '--kb', facts.book], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: server.stderr })) {
    url = line.match(/http:\S+/)?.[0];
    if (url) break;
  }
});

after(async () => {
  await browser.close();
  server.kill('SIGINT');
  await new Promise((done) => { server.on('exit', done); });
  assert.equal(server.exitCode, 0);
});

test('a change is seen without a reload by hand, a problem is laid over the page, and goes when it is mended', async () => {
  const page = await browser.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  await page.goto(`${url}en/disk/root.html`);
  const file = `${facts.book}/disk/root.yaml`;
  const good = await readFile(file, 'utf8');

  await writeFile(file, good.replace('The disk has no room.', 'The disk has no room at all.'));
  await page.getByText('The disk has no room at all.').waitFor();

  await writeFile(file, good.replace("'No space left", "'No room left"));
  await page.locator('#live-problems').getByText('disk/root.yaml').waitFor();

  await writeFile(file, good);
  await page.locator('#live-problems').waitFor({ state: 'detached' });
  await page.getByText('The disk has no room.').first().waitFor();
  assert.deepEqual(wrong, []);
});
