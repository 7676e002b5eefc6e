import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserState } from '../../src/browser/browser-state.ts';
import { storageMaxCharacters } from '../../src/browser/limits.ts';
import { createKeptConsent } from '../../src/checks/a11y/kept-consent.ts';

const EMPTY: BrowserState = { cookies: [], origin: 'https://example.com', localStorage: [], sessionStorage: [] };

test('the storage of banners that were dismissed stays bounded, without the oldest entries', async () => {
  const kept = createKeptConsent();
  const value = 'x'.repeat(storageMaxCharacters / 10);
  for (let page = 1; page <= 20; page += 1) {
    const entries = [
      ['choice', `${page}`],
      [`key-${page}`, value],
    ] as const;
    kept.add('report', { ...EMPTY, localStorage: entries, sessionStorage: entries });
  }
  const { localStorage = [], sessionStorage = [] } = (await kept.read('report')) ?? {};
  for (const entries of [localStorage, sessionStorage]) {
    const names = entries.map(([name]) => name);
    assert.deepEqual(names, [12, 13, 14, 15, 16, 17, 18, 19].map((page) => `key-${page}`).concat('choice', 'key-20'));
    assert.equal(new Map(entries).get('choice'), '20');
  }
});
