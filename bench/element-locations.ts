import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../src/browser/find-chromium.ts';
import { browserCache } from '../test/helpers/browser.ts';
import { measureLocations } from '../test/helpers/marked-pages.ts';

/**
 * Measures the share of elements that are found in the source of their page, on the pages of folders. Fails if a location is
 * wrong.
 *
 *     npm run bench:locations [-- FOLDER ...]
 */

const MODULES = join(import.meta.dirname, '../node_modules');
const CORPORA = ['@tabler/preview/dist', 'dygraphs/_site', 'startbootstrap-sb-admin-2'].map((name) =>
  join(MODULES, name),
);

const given = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const found = await findChromium({ executable: null, cacheDirectory: browserCache });
const { executable: executablePath, environment: env } = found;
const browser = await chromium.launch({ executablePath, env, chromiumSandbox: false });
try {
  for (const directory of given.length > 0 ? given : CORPORA) await measureFolder(directory);
} finally {
  await browser.close();
}

async function measureFolder(directory: string): Promise<void> {
  const files = (await Array.fromAsync(glob('**/*.{html,htm}', { cwd: directory }))).toSorted();
  const sum = { pages: 0, sent: 0, found: 0, made: 0, knownAsMade: 0, wrong: 0 };
  const lowest = { file: '', share: 1 };
  for (const file of files) {
    const found = await measureLocations(browser, directory, file);
    sum.pages += 1;
    for (const key of ['sent', 'found', 'made', 'knownAsMade'] as const) sum[key] += found[key];
    sum.wrong += found.wrong.length;
    for (const location of found.wrong) console.log(`wrong: ${file}: ${location}`);
    const share = found.found / found.sent;
    if (share < lowest.share) Object.assign(lowest, { file, share });
  }
  const { pages, sent, made, knownAsMade, wrong } = sum;
  console.log(`${directory}: ${pages} pages, ${sum.found} of ${sent} elements found (${percent(sum.found / sent)})`);
  console.log(`  made by scripts: ${made}, known as such: ${knownAsMade}; wrong: ${wrong}`);
  console.log(`  lowest: ${percent(lowest.share)} (${lowest.file})`);
  if (wrong > 0) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
