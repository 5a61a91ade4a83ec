// A browser, the built site under a sub-path of a server of its own, and the facts of the test run.
//
// FIXBOOK_SITE: folder with `site/` and `facts.json`, written by tests/test_site_browser.py. CHROMIUM: the browser's program.

import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const home = process.env.FIXBOOK_SITE;
export const site = join(home, 'site');
export const facts = JSON.parse(readFileSync(join(home, 'facts.json'), 'utf8'));
export const SUB_PATH = '/some/where/';
export const fileUrl = `${pathToFileURL(site)}/`;

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.xml': 'application/xml' };

export async function serve() {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const inside = normalize(path).slice(SUB_PATH.length) || 'index.html';
    try {
      if (!path.startsWith(SUB_PATH)) throw new Error('outside');
      const body = await readFile(join(site, inside.endsWith('/') ? `${inside}index.html` : inside));
      response.writeHead(200, { 'content-type': TYPES[extname(inside)] || 'text/plain; charset=utf-8' }).end(body);
    } catch {
      response.writeHead(404, { 'content-type': TYPES['.html'] }).end(await readFile(join(site, '404.html')));
    }
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const url = `http://127.0.0.1:${server.address().port}${SUB_PATH}`;
  return { url, close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }) };
}

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });

// A page that remembers what must not happen: console errors, exceptions, requests that leave the site.
export async function open(browser, base, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  const requests = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) trouble.push(message.text()); });
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => {
    requests.push(request.url());
    if (!request.url().startsWith(base) && !request.url().startsWith('blob:')) trouble.push(`request to ${request.url()}`);
  });
  return { page, context, trouble, requests };
}
