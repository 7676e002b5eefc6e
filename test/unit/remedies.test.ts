import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { a11yRemedy } from '../../src/checks/a11y/remedies.ts';
import { FALLBACK_TAG } from '../../src/checks/html/interpret.ts';
import { htmlRemedy } from '../../src/checks/html/remedies.ts';

const axe: { getRules(): readonly { readonly ruleId: string }[] } = createRequire(import.meta.url)('axe-core');

test('every rule of axe has a remedy', () => {
  assert.deepEqual(
    axe.getRules().flatMap(({ ruleId }) => (a11yRemedy(ruleId) === null ? [ruleId] : [])),
    [],
  );
  for (const unknown of [null, 'no-such-rule', 'toString']) assert.equal(a11yRemedy(unknown), null);
});

test('every HTML message of real pages has a remedy', () => {
  const file = new URL('../fixtures/html-message-tags.json', import.meta.url);
  const tags: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(
    Object.entries(tags).flatMap(([message, each]) => (htmlRemedy(each) === null ? [message] : [])),
    [],
  );
  assert.equal(htmlRemedy([FALLBACK_TAG]), null);
});
