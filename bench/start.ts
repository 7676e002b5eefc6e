/**
 * Measures starts and short reports: `check` from its start to the first checked page, `check` of many pages against the warm
 * rate, and HTML reports of a warm service from the request to their end.
 *
 *   npm run bench:start -- [--rounds N] [--every N] [--only first,many,post]
 *
 * The data directory is used before it is measured, so the database exists and the browser is unpacked. Pages are from the
 * websites of bench/corpus.ts. Prints medians.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { createToken } from '../src/accounts/tokens.ts';
import { findReport } from '../src/store/reports/reports.ts';
import { corpusOf, serveCorpus } from './corpus.ts';
import { median } from './median.ts';
import { type BenchApp, openBenchApp } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    every: { type: 'string', default: '5' },
    only: { type: 'string', default: 'first,many,post' },
  },
});
const rounds = Number(values.rounds);
const parts = values.only.split(',');
const smallPageMaxBytes = 50_000;
const RUN = join(import.meta.dirname, '../scripts/run.mjs');
const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-start-'));
// As root, the database runs as another user, who must be able to enter the folder.
chmodSync(dataDir, 0o755);

const corpus = await corpusOf(undefined, Number(values.every));
const site = await serveCorpus(corpus);
const { urls } = site;
const CHECKS = { HTML: ['--no-a11y'], accessibility: ['--no-html'], both: [] };
type Checks = keyof typeof CHECKS;

if (parts.includes('first') || parts.includes('many')) await check('both', urls.slice(0, 1));
if (parts.includes('first')) {
  for (const checks of Object.keys(CHECKS) as Checks[]) {
    const runs = await repeated(() => check(checks, urls.slice(0, 1)));
    const [first, whole] = [median(runs.map(({ first }) => first)), median(runs.map(({ whole }) => whole))];
    print(`check of one page, ${checks}`, `first page checked after ${seconds(first)}, exit after ${seconds(whole)}`);
  }
}
if (parts.includes('many')) {
  const { whole } = await check('both', urls);
  const app = await openBenchApp();
  const reports: number[] = [];
  for (let round = 0; round < 2; round += 1)
    reports.push(await app.report(urls, { checks: ['html', 'a11y'], reuse: false }));
  await app.close();
  const [, warm = 0] = reports;
  print(`check of ${urls.length} pages, both`, `${seconds(whole)}; in a warm service ${seconds(warm * 1_000)}`);
}
if (parts.includes('post')) {
  const app = await openBenchApp();
  const post = await poster(app);
  const small = await smallPages();
  for (const pages of [1, 20]) {
    const chosen = small.slice(0, pages);
    for (let round = 0; round < rounds; round += 1) await post(chosen);
    const runs = await repeated(() => post(chosen));
    print(
      `POST of ${pages}, HTML`,
      `finished after ${Math.round(median(runs))} ms, at most ${Math.round(Math.max(...runs))}`,
    );
  }
  await app.close();
}
site.stop();
rmSync(dataDir, { recursive: true, force: true });

/** Returns the pages of ordinary size: a large page takes longer than a report of one page otherwise does. */
async function smallPages(): Promise<string[]> {
  const sizes = await Promise.all(urls.map(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength));
  return urls.filter((_, index) => (sizes[index] ?? 0) <= smallPageMaxBytes);
}

async function repeated<Value>(run: () => Promise<Value>): Promise<Value[]> {
  const results: Value[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await run());
  return results;
}

/** Runs the command. Returns the milliseconds until it reports that all pages are checked, and until it exits. */
async function check(
  checks: Checks,
  [first = '', ...others]: readonly string[],
): Promise<{ first: number; whole: number }> {
  const initial = others.flatMap((url) => ['--initial-url', url]);
  const limits = [
    '--max-pages',
    String(others.length + 1),
    '--rate-limit',
    '100',
    '--no-deep-crawl',
    '--no-prefer-canonical-urls',
  ];
  const started = performance.now();
  const command = [RUN, 'check', first, ...initial, ...limits, '--no-reuse', '--fail-on', 'never', ...CHECKS[checks]];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, SITEWARDEN_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const done = await untilDone(child, others.length + 1);
  return { first: done - started, whole: performance.now() - started };
}

async function untilDone(child: ChildProcess, pages: number): Promise<number> {
  let text = '';
  let done = Number.NaN;
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (Number.isNaN(done) && text.includes(`${pages} of ${pages} page`)) done = performance.now();
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0 || Number.isNaN(done)) throw new Error(`check ended with status ${status}:\n${text}`);
  return done;
}

/** Returns a function that requests a report over HTTP, waits until it has ended, and returns the milliseconds. */
async function poster(app: BenchApp): Promise<(pages: readonly string[]) => Promise<number>> {
  const address = await app.listen();
  const account = await ensureFirstAccount(app.db);
  const { token } = await createToken(app.db, { accountId: account.id, scope: 'write' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
  return async ([first = '', ...others]) => {
    const attributes = {
      ...{ starting_url: first, initial_urls: others, max_pages: others.length + 1, rate_limit: 100 },
      ...{
        deep_crawl: false,
        prefer_canonical_urls: false,
        perform_html_checks: true,
        perform_a11y_checks: false,
        reuse: false,
      },
    };
    const started = performance.now();
    const body = JSON.stringify({ data: { type: 'report', attributes } });
    const response = await fetch(`${address}/api/v1/reports`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data?: { id: string } };
    if (answer.data === undefined) throw new Error(JSON.stringify(answer));
    for (;;) {
      const report = await findReport(app.db, answer.data.id);
      if (report?.status === 'failed') throw new Error('The report failed.');
      if (report?.status === 'finished') return performance.now() - started;
      // More often, the statements of this loop would slow down the report.
      await delay(10);
    }
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}

function print(name: string, figures: string): void {
  console.log(`${name.padEnd(36)}${figures}`);
}
