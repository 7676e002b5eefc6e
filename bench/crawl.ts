/**
 * Measures crawls alone: pages of a site on loopback are fetched, read and saved, and nothing checks them. Prints pages per
 * second, and the processor time of each process.
 *
 *   npm run bench:crawl -- [--pages N] [--kilobytes N] [--rounds N] [--rate N]
 *
 * With `--rate`, the report has this limit of requests per second, else none that matters.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { DEFAULT_DEFINITION } from '../src/domain/report-definition.ts';
import { NO_ACCESS } from '../src/domain/site-access.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createReport } from '../src/reports/create-report.ts';
import { processorTimes } from './cpu-time.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '3000' },
    kilobytes: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string' },
  },
});
const pages = Number(values.pages);
/** The highest limit of requests per second that an installation can have. */
const UNLIMITED = 1_000;
const LOOK_MS = 50;

const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-crawl-'));
// As root, the database runs as another user, who must be able to enter the folder.
await chmod(dataDir, 0o755);
const config = loadConfig(
  { SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', SITEWARDEN_HOST_RATE_LIMIT: String(UNLIMITED) },
  false,
);
const app = await createApp(config, createLogger({ level: 'warn', format: 'pretty' }), { isLongLived: true });
await app.startWork([]);
const { id: accountId } = await ensureFirstAccount(app.db);
const server = fork(join(import.meta.dirname, 'serve-links.ts'), [values.pages, values.kilobytes]);
const [origin] = (await once(server, 'message')) as [string];
console.log(`${pages} pages of ${values.kilobytes} kB, ${values.rate ?? 'unlimited'} requests/s`);
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const before = processorTimes(dataDir);
  const from = performance.now();
  const found = await crawl();
  const seconds = (performance.now() - from) / 1_000;
  const times = Object.entries(processorTimes(dataDir))
    .map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / found] as const)
    .filter(([, ms]) => ms >= 0.01);
  const perPage = times.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ');
  const own = 1_000 / (times.find(([name]) => name === 'main thread')?.[1] ?? Number.NaN);
  console.log(
    `  round ${round}: ${found} pages in ${seconds.toFixed(1)} s, ${(found / seconds).toFixed(0)} pages/s; ` +
      `ms of processor time per page: ${perPage}; ${own.toFixed(0)} pages/s by the main thread`,
  );
}
server.disconnect();
await app.close();
await rm(dataDir, { recursive: true, force: true });

/** Crawls the site, and returns the number of its pages. */
async function crawl(): Promise<number> {
  const id = await createReport(app.db, app.credentialStore, {
    ...DEFAULT_DEFINITION,
    accountId,
    siteAccess: NO_ACCESS,
    starting_url: `${origin}/`,
    checks: ['html'],
    reuse: false,
    max_pages: pages,
    rate_limit: Number(values.rate ?? UNLIMITED),
  });
  for (;;) {
    const report = await app.db
      .selectFrom('reports')
      .select(['crawl_pending', 'num_pages'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (!report.crawl_pending) return report.num_pages;
    await delay(LOOK_MS);
  }
}
