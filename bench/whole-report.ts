import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { type App, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../src/domain/report-definition.ts';
import { NO_ACCESS } from '../src/domain/site-access.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createReport } from '../src/reports/create-report.ts';
import { findReport } from '../src/store/reports/reports.ts';

/** The product in this process, with an empty database, whose engines are ready. */
export interface BenchApp {
  readonly dataDir: string;
  readonly db: App['db'];
  /** Serves the API, and returns its address. */
  listen(): Promise<string>;
  /** Makes a report of some pages: crawl, checks, issues and counts. Returns the seconds that it takes. */
  report(
    urls: readonly string[],
    definition: Pick<ReportDefinition, 'checks'> & Partial<ReportDefinition>,
  ): Promise<number>;
  /** Stops everything, and removes the database. */
  close(): Promise<void>;
}

/** @param environment configuration besides the folder of the data and the address */
export async function openBenchApp(environment: Readonly<Record<string, string>> = {}): Promise<BenchApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-bench-'));
  // As root, the database runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o755);
  const log = createLogger({ level: 'warn', format: 'pretty' });
  const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', ...environment }, false);
  const app = await createApp(config, log, { isLongLived: true });
  await app.startWork();
  while (!Object.values(await app.ready()).every(Boolean)) await delay(100);
  const account = await ensureFirstAccount(app.db);
  return {
    dataDir,
    db: app.db,
    listen: app.listen,
    report: (urls, definition) => secondsOfReport(app, account.id, urls, definition),
    async close() {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Makes a report of some pages, and returns the seconds that it takes. */
export async function secondsOfReport(
  { db, credentialStore }: Pick<App, 'db' | 'credentialStore'>,
  accountId: string,
  urls: readonly string[],
  definition: Pick<ReportDefinition, 'checks'> & Partial<ReportDefinition>,
): Promise<number> {
  const [startingUrl = '', ...initialUrls] = urls;
  const started = performance.now();
  const id = await createReport(db, credentialStore, {
    ...DEFAULT_DEFINITION,
    accountId,
    starting_url: startingUrl,
    initial_urls: initialUrls,
    max_pages: urls.length,
    rate_limit: 1_000,
    deep_crawl: false,
    prefer_canonical_urls: false,
    siteAccess: NO_ACCESS,
    ...definition,
  });
  await ended(db, id, urls.length);
  return (performance.now() - started) / 1_000;
}

async function ended(db: App['db'], id: string, pages: number): Promise<void> {
  for (;;) {
    const report = await findReport(db, id);
    if (report?.status === 'finished' || report?.status === 'failed') {
      const failed = Object.values(report.checks).reduce((sum, { failed: number }) => sum + number, 0);
      if (report.num_pages !== pages || failed > 0) {
        console.log(`  warning: ${report.num_pages} of ${pages} pages, ${failed} failed checks`);
      }
      return;
    }
    // More often, the statements of this loop would add to what is measured.
    await delay(100);
  }
}
