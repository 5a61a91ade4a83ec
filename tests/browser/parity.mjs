// Reads {script, book, cases} from its input and writes the reports that a worker in a real browser gives, one for each case.

import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';

const { script, book, cases } = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  const reports = await page.evaluate(({ source, data, logs }) => new Promise((done, fail) => {
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    const out = [];
    worker.onerror = (event) => fail(new Error(event.message));
    worker.onmessage = ({ data: { report, error } }) => {
      if (report || error) out.push(report ?? { error });
      if (out.length === logs.length) done(out);
    };
    worker.postMessage({ book: data });
    for (const log of logs) worker.postMessage({ text: log, lang: 'en' });
  }), { source: `${script}\n(globalThis.fixbookWorker)();`, data: book, logs: cases });
  process.stdout.write(JSON.stringify(reports));
} finally {
  await browser.close();
}
