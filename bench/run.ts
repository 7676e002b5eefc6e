/**
 * Compares whole reports with the engines alone, in one run: pages per second and their ratio.
 *
 *   npm run bench -- [--directory DIR] [--every N] [--rounds N]
 *
 * The corpus is two websites from npm packages, or the HTML files of a folder; `--every 4` uses every fourth page.
 */
import { join } from 'node:path';
import { findChromium } from '../src/browser/find-chromium.ts';
import { createVnuServer } from '../src/checks/html/vnu-server.ts';
import { createLogger } from '../src/platform/logger.ts';
import { axeCeiling, vnuCeiling } from './ceilings.ts';
import { corpusOfOptions, serveCorpus } from './corpus.ts';
import { median } from './median.ts';
import { openBenchApp } from './whole-report.ts';

const { corpus, rounds } = await corpusOfOptions();
const count = corpus.pages.length;
console.log(
  `${corpus.name}: ${count} pages, mean ${Math.round(corpus.bytes / count / 1_000)} kB, ${rounds} round(s)\n`,
);

const site = await serveCorpus(corpus);
const { urls } = site;
const log = createLogger({ level: 'warn', format: 'pretty' });

/** One validator for both, so that it is equally warm. */
const validator = createVnuServer({ compiler: 'optimizing', children: { add() {}, remove() {} }, logger: log });
await validator.start();
const validatorUrl = `http://127.0.0.1:${validator.current()?.port}`;
const app = await openBenchApp({ SITEWARDEN_VNU_URL: validatorUrl });
const chromium = await findChromium({ executable: null, cacheDirectory: join(app.dataDir, 'cache') });

const documents = await Promise.all(urls.map(async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer())));
// Java compiles code that runs often, so the first pass over the documents is not measured.
await vnuCeiling(validatorUrl, documents);

const names = ['vnu alone', 'HTML report', 'axe alone', 'accessibility report', 'report of both'] as const;
const seconds: Record<(typeof names)[number], number[]> = {
  'vnu alone': [],
  'HTML report': [],
  'axe alone': [],
  'accessibility report': [],
  'report of both': [],
};
for (let round = 1; round <= rounds; round += 1) {
  seconds['vnu alone'].push(await vnuCeiling(validatorUrl, documents));
  seconds['HTML report'].push(await app.report(urls, { checks: ['html'], reuse: false }));
  seconds['axe alone'].push(await axeCeiling(chromium.executable, { ...chromium.environment }, urls));
  seconds['accessibility report'].push(await app.report(urls, { checks: ['a11y'], reuse: false }));
  seconds['report of both'].push(await app.report(urls, { checks: ['html', 'a11y'], reuse: false }));
  const line = names.map((name) => `${name} ${(count / (seconds[name].at(-1) ?? 1)).toFixed(2)}`).join(', ');
  console.log(`  round ${round}: ${line} pages/s`);
}

const taken = (name: (typeof names)[number]) => median(seconds[name]);
function tell(name: (typeof names)[number], ceilingSeconds: number, ceiling: string): void {
  const rate = (count / taken(name)).toFixed(2).padStart(8);
  console.log(`${name.padEnd(22)}${rate} pages/s   ${(ceilingSeconds / taken(name)).toFixed(2)} of ${ceiling}`);
}
console.log('\nMedians');
tell('vnu alone', taken('vnu alone'), 'its own');
tell('HTML report', taken('vnu alone'), 'vnu alone');
tell('axe alone', taken('axe alone'), 'its own');
tell('accessibility report', taken('axe alone'), 'axe alone');
tell('report of both', taken('vnu alone') + taken('axe alone'), 'the two together');

await app.close();
await validator.stop();
site.stop();
