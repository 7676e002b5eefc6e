import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { browserCache } from '../helpers/browser.ts';
import { type LocationsFound, measureLocations } from '../helpers/marked-pages.ts';

/** Elements of real pages, after their scripts have run, are found in the sources of the pages. */

const MODULES = join(import.meta.dirname, '../../node_modules');
const CORPORA = [
  { directory: join(MODULES, 'startbootstrap-sb-admin-2'), every: 5 },
  { directory: join(MODULES, '@tabler/preview/dist'), every: 36 },
  { directory: join(MODULES, 'dygraphs/_site'), every: 48 },
] as const;
/** The share that the project promises. */
const foundMin = 0.95;

let browser: Browser;

before(async () => {
  const { executable, environment } = await findChromium({ executable: null, cacheDirectory: browserCache });
  browser = await chromium.launch({ executablePath: executable, env: environment });
});
after(() => browser?.close());

describe('locations of elements', () => {
  it('are found for most of what servers send, and never wrong', async () => {
    const all: LocationsFound[] = [];
    for (const { directory, every } of CORPORA) {
      const files = globSync('**/*.html', { cwd: directory }).sort();
      for (const file of files.filter((_, index) => index % every === 0)) {
        const locations = await measureLocations(browser, directory, file);
        assert.deepEqual(locations.wrong, [], file);
        all.push(locations);
      }
    }
    const sum = (count: 'sent' | 'found'): number => all.reduce((total, locations) => total + locations[count], 0);
    assert.ok(sum('sent') > 2_000, `${sum('sent')} elements`);
    assert.ok(sum('found') >= foundMin * sum('sent'), `${sum('found')} of ${sum('sent')} elements`);
  });
});
