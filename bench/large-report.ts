/**
 * Measures a report of thousands of pages with both checks: rate and processor time by thousand pages, memory of all processes,
 * response times of lists at that time, bytes in the database, and what its deletion frees.
 *
 *   npm run bench:large -- --directory DIR [--copies N] [--pages N] [--screenshots]
 *
 * The site has the folder under N paths; its pages are found by their links. Requires `/proc`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { createToken } from '../src/accounts/tokens.ts';
import { processorTimes } from './cpu-time.ts';
import { median } from './median.ts';
import { openBenchApp } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string' },
    copies: { type: 'string', default: '9' },
    pages: { type: 'string', default: '10000' },
    screenshots: { type: 'boolean', default: false },
  },
});
const { directory = '' } = values;
const pages = Number(values.pages);
const SAMPLE_INTERVAL_MS = 2_000;
/** Each list is requested, and the memory measured, which blocks this process for a moment, once per so many samples. */
const SAMPLES_PER_LISTS = 5;
/** Deleted rows are removed in the background. */
const deletionMaxMs = 300_000;

const server = fork(
  join(import.meta.dirname, 'serve-corpus.ts'),
  Array.from({ length: Number(values.copies) }, () => directory),
);
const [origin] = (await once(server, 'message')) as [string];
const app = await openBenchApp();
const address = await app.listen();
const account = await ensureFirstAccount(app.db);
const { token } = await createToken(app.db, { accountId: account.id, scope: 'write' });
const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.api+json' };
const lists = new Map<string, number[]>();
const emptyBytes = await databaseBytes();
const [first = '', ...others] = Array.from(
  { length: Number(values.copies) },
  (_, copy) => `${origin}/${copy}/index.html`,
);

console.log(`${directory} under ${values.copies} paths, ${pages} pages\n`);
console.log('pages of a11y, html   pages/s   processor ms per page   memory in MB');
let isRunning = true;
const measured = measure();
const seconds = await app.report([first, ...others], {
  checks: ['html', 'a11y'],
  deep_crawl: true,
  max_pages: pages,
  reuse: false,
  store_screenshots: values.screenshots,
});
isRunning = false;
await measured;
const [report] = await reports();
if (report === undefined) throw new Error('The report was not created.');
const bytes = (await databaseBytes()) - emptyBytes;
console.log(`\n${report.pages} pages in ${Math.round(seconds)} s, ${(report.pages / seconds).toFixed(2)} pages/s`);
console.log(`database: ${megabytes(bytes)} MB, ${Math.round(bytes / report.pages / 1_000)} kB per page`);
for (const { table, size } of await tableSizes()) console.log(`  ${table.padEnd(28)}${megabytes(size)} MB`);
console.log('\nmedian and most ms of lists during the report');
for (const [path, times] of lists) {
  console.log(
    `  ${path.padEnd(60)}${median(times).toFixed(0).padStart(5)}${Math.max(...times)
      .toFixed(0)
      .padStart(7)}`,
  );
}
await deleteReport(report.id);
await app.close();
server.disconnect();

/**
 * Prints a line for each thousand pages whose accessibility has been checked, until the report has ended. The HTML of pages is
 * checked long before their accessibility, so the rate counts half a page for each check.
 */
async function measure(): Promise<void> {
  let at = performance.now();
  let before = processorTimes(app.dataDir);
  let printed = { a11y: 0, html: 0 };
  let most: Readonly<Record<string, number>> = {};
  for (let sample = 0; isRunning; sample += 1) {
    await delay(SAMPLE_INTERVAL_MS);
    const [running] = await reports();
    if (running === undefined) continue;
    const now = processorTimes(app.dataDir);
    if (sample % SAMPLES_PER_LISTS === 0) {
      await requestLists(running.id);
      const memory = memoryBytes();
      if ((memory['all'] ?? 0) > (most['all'] ?? 0)) most = memory;
    }
    const { a11y, html } = running;
    if (a11y - printed.a11y < 1_000 && (isRunning || a11y === printed.a11y)) continue;
    const count = (a11y - printed.a11y + html - printed.html) / 2;
    const rate = count / ((performance.now() - at) / 1_000);
    const times = Object.entries(now).map(
      ([name, total]) => `${name} ${((total - (before[name] ?? 0)) / count).toFixed(1)}`,
    );
    const sizes = Object.entries(most).map(([name, size]) => `${name} ${megabytes(size)}`);
    const counts = `${String(a11y).padStart(6)} ${String(html).padStart(6)}`;
    console.log(`${counts}  ${rate.toFixed(2).padStart(8)}   ${times.join(', ')};   ${sizes.join(', ')}`);
    [at, before, printed, most] = [performance.now(), now, { a11y, html }, {}];
  }
}

async function requestLists(id: string): Promise<void> {
  const report = `/api/v1/reports/${id}`;
  const paths = {
    '/reports': '/api/v1/reports',
    '/reports/{id}': report,
    '/reports/{id}/web_pages': `${report}/web_pages`,
    '/reports/{id}/web_pages?filter[url]=sql': `${report}/web_pages?filter[url]=sql`,
    '/reports/{id}/common_html_issues': `${report}/common_html_issues`,
    '/reports/{id}/common_a11y_issues': `${report}/common_a11y_issues`,
    '/reports/{id}/discovered_urls': `${report}/discovered_urls`,
    '/reports/{id}/mutings': `${report}/mutings`,
  };
  for (const [name, path] of Object.entries(paths)) {
    const started = performance.now();
    const response = await fetch(`${address}${path}`, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} responded with status ${response.status}.`);
    lists.set(name, [...(lists.get(name) ?? []), performance.now() - started]);
  }
}

async function deleteReport(id: string): Promise<void> {
  const before = await databaseBytes();
  const started = performance.now();
  const response = await fetch(`${address}/api/v1/reports/${id}`, { method: 'DELETE', headers });
  if (!response.ok) throw new Error(`Deleting responded with status ${response.status}.`);
  const responded = performance.now() - started;
  let after = before;
  while (performance.now() - started < deletionMaxMs) {
    after = await databaseBytes();
    if (after - emptyBytes < (before - emptyBytes) / 20) break;
    await delay(1_000);
  }
  const waited = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(
    `\ndeletion: response after ${responded.toFixed(0)} ms; ${megabytes(before)} MB of the database before, ` +
      `${megabytes(after)} MB after ${waited} s`,
  );
  for (const { table, size } of await tableSizes()) console.log(`  ${table.padEnd(28)}${megabytes(size)} MB`);
}

async function reports(): Promise<{ id: string; pages: number; a11y: number; html: number }[]> {
  const { rows } = await sql<{ id: string; pages: number; a11y: number; html: number }>`
    SELECT r.id, r.num_pages AS pages,
      coalesce(sum(c.checked + c.failed) FILTER (WHERE c.kind = 'a11y'), 0)::integer AS a11y,
      coalesce(sum(c.checked + c.failed) FILTER (WHERE c.kind = 'html'), 0)::integer AS html
    FROM reports r LEFT JOIN report_checks c ON c.report_id = r.id GROUP BY r.id`.execute(app.db);
  return rows;
}

async function databaseBytes(): Promise<number> {
  const { rows } = await sql<{ size: string }>`SELECT pg_database_size(current_database()) AS size`.execute(app.db);
  return Number(rows[0]?.size);
}

async function tableSizes(): Promise<{ table: string; size: number }[]> {
  const { rows } = await sql<{ table: string; size: string }>`
    SELECT relname AS table, pg_total_relation_size(oid) AS size FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY size DESC LIMIT 8`.execute(app.db);
  return rows.map(({ table, size }) => ({ table, size: Number(size) }));
}

function megabytes(size: number): string {
  return (size / 1_000_000).toFixed(0).padStart(5);
}

/** Proportional memory (PSS) of this process, its children without the site, and the database. */
function memoryBytes(): Readonly<Record<string, number>> {
  const sizes = { service: 0, validator: 0, browser: 0, database: 0, all: 0 };
  const postmaster = Number(readFileSync(join(app.dataDir, 'postgres/pgdata/postmaster.pid'), 'utf8').split('\n')[0]);
  const parents = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .map(
        (pid) =>
          [
            pid,
            Number(
              read(pid, 'stat')
                .replace(/^.*\) /s, '')
                .split(' ')[1],
            ),
          ] as const,
      ),
  );
  const isBelow = (pid: number | undefined, root: number): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isBelow(parents.get(pid), root));
  for (const pid of parents.keys()) {
    const isDatabase = isBelow(pid, postmaster);
    if (pid === server.pid || !(isDatabase || isBelow(pid, process.pid))) continue;
    const size = Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) * 1_024;
    const command = read(pid, 'cmdline');
    const part = isDatabase
      ? 'database'
      : /java/.test(command)
        ? 'validator'
        : /chrom/.test(command)
          ? 'browser'
          : 'service';
    sizes[part] += size;
    sizes.all += size;
  }
  return sizes;
}

/** A process may exit while it is read. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
