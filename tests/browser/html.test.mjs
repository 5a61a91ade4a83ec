// Every page is valid HTML.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { facts, site } from './harness.mjs';

const validate = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {
    'long-title': 'off', // the title is the failure's own name, which ends in its error text
    'no-inline-style': 'error',
    'tel-non-breaking': 'off',
    'require-sri': 'off', // nothing comes from elsewhere
  },
});

test('html-validate finds nothing', async () => {
  const all = (await readdir(site, { recursive: true })).filter((path) => path.endsWith('.html'));
  // All kinds, and every tenth of the rest: pages of one kind differ in their text only.
  const chosen = [...new Set([...facts.kinds, ...all.filter((_, at) => at % 10 === 0)])];
  for (const path of chosen) {
    const report = await validate.validateFile(join(site, path));
    const said = report.results.flatMap((result) => result.messages.map((each) => `${relative(site, result.filePath)}:${each.line}: ${each.ruleId}: ${each.message}`));
    assert.deepEqual(said, [], path);
  }
});
