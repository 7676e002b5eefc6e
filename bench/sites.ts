/**
 * Measures the overview of an account with many sites: the list of sites with its filters and sort orders, its tags, and the
 * other lists that the overview reads.
 *
 *   npm run bench:sites -- [--sites N] [--reports N] [--rounds N] [--limit MS] [--directory DIR]
 *
 * `cpu` is the processor time of service, database and client for one response. Exits with 1 if a
 * 95th percentile is over the limit. With `--directory`, the database is kept and used by the next run.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { createToken } from '../src/accounts/tokens.ts';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { openFoundation } from '../src/foundation.ts';
import { createLogger } from '../src/platform/logger.ts';
import { cpuMilliseconds } from './cpu-time.ts';

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '500' },
    reports: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '40' },
    limit: { type: 'string', default: '200' },
    directory: { type: 'string' },
  },
});
const size = { sites: Number(values.sites), reports: Number(values.reports) };
const rounds = Number(values.rounds);
const limitMs = Number(values.limit);

const PATHS = [
  ...['', '&page[number]=5', '&filter[text]=site 1', '&filter[tags][list]=client 3', '&filter[tagged]=false'].map(
    (query) => `/sites?page[size]=100${query}`,
  ),
  ...['any', 'none', 'failed', 'new_errors'].map((need) => `/sites?page[size]=100&filter[attention]=${need}`),
  ...['archived]=all', 'archived]=true'].map((query) => `/sites?page[size]=100&filter[${query}`),
  '/sites?page[size]=100&created_by=all',
  ...['name-asc', 'starting_url-asc', 'last_checked_at-desc', 'attention-desc'].map(
    (sort) => `/sites?page[size]=100&sort=${sort}`,
  ),
  ...['', '&filter[attention]=any', '&filter[text]=site 1'].map((query) => `/site_tags?page[size]=100${query}`),
  '/reports?page[size]=100&filter[status]=checking',
  '/reports?page[size]=25',
  '/schedules?page[size]=25',
  '/stats?page[size]=100&group=tag',
];

const log = createLogger({ level: 'warn', format: 'pretty' });
const dataDir = values.directory ?? (await mkdtemp(join(tmpdir(), 'sitewarden-sites-')));
// As root, the database runs as another user, who must be able to enter the folder.
if (values.directory === undefined) await chmod(dataDir, 0o755);
const isSeeded = existsSync(join(dataDir, 'secret.key')) || existsSync(join(dataDir, 'postgres'));
const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' }, false);
if (!isSeeded) await seed();
const app = await createApp(config, log, { isLongLived: false });
const address = await app.listen();
const { token } = await createToken(app.db, { accountId: (await ensureFirstAccount(app.db)).id, scope: 'write' });

let slow = 0;
console.log('    cpu  median     p95   total  list');
for (const path of PATHS) slow += (await measure(path)) > limitMs ? 1 : 0;
console.log(`\n${PATHS.length} lists; ${slow} with a 95th percentile over ${limitMs} ms.`);
for (const [what, update] of [
  ['change all sites', { change: { max_pages: 7 } }],
  ['change all sites again', { change: { max_pages: 7 } }],
  ['schedule all sites (dry run)', { schedule: { periodicity: { every: 'week' } }, dry_run: true }],
  ['schedule all sites', { schedule: { periodicity: { every: 'week' } } }],
  ['delete the sites of a client', { tags: 'client 1', delete: true }],
] as const) {
  const started = performance.now();
  const { attributes } = (
    await ask('/bulk_updates', { archived: 'all', ...('tags' in update ? {} : { all: true }), ...update })
  ).data;
  console.log(
    `${((performance.now() - started) / 1_000).toFixed(2).padStart(7)} s  ${what}: ${attributes?.num_changed}`,
  );
}
process.exitCode = slow > 0 ? 1 : 0;
await app.close();
if (values.directory === undefined) await rm(dataDir, { recursive: true, force: true });

async function measure(path: string): Promise<number> {
  // The first request reads pages into memory and is not measured.
  const { meta } = await ask(path);
  const times: number[] = [];
  const cpuBefore = cpuMilliseconds(dataDir);
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await ask(path);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  const [median = 0, p95 = 0] = [0.5, 0.95].map((share) => times[Math.floor(times.length * share)]);
  console.log(
    [(cpuMilliseconds(dataDir) - cpuBefore) / rounds, median, p95]
      .map((time) => time.toFixed(1).padStart(7))
      .join(' ') + String(meta?.total).padStart(8),
    path,
  );
  return p95;
}

interface Answer {
  readonly data: { readonly attributes?: { readonly num_changed: number } };
  readonly meta?: { readonly total: number };
}

async function ask(path: string, attributes?: object): Promise<Answer> {
  const response = await fetch(encodeURI(`${address}/api/v1${path}`), {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(attributes !== undefined && { method: 'POST', body: JSON.stringify({ data: { attributes } }) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Sites with tags of 40 clients; a tenth has no tag or is archived, and each has a schedule and reports with three checks. */
async function seed(): Promise<void> {
  const foundation = await openFoundation(config, log);
  const { id: account } = await ensureFirstAccount(foundation.db);
  const client = new pg.Client({ connectionString: foundation.connectionString });
  await client.connect();
  await client.query(`SET session_replication_role = replica;
    CREATE TEMP TABLE seed_sites AS SELECT n, uuidv7() AS id, 'https://site-' || n || '.example/' AS url,
      CASE n % 10 WHEN 7 THEN '{}'::text[] WHEN 3 THEN ARRAY['client ' || n % 40, 'shop'] ELSE ARRAY['client ' || n % 40] END AS tags
      FROM generate_series(1, ${size.sites}) n;
    INSERT INTO sites (id, account_id, name, is_kept, archived_at, definition)
    SELECT id, '${account}', 'Site ' || n, true, CASE n % 20 WHEN 9 THEN now() END,
      jsonb_build_object('starting_url', url, 'tags', to_jsonb(tags), 'max_pages', 100, 'checks', '{html,a11y,link}'::text[])
    FROM seed_sites;
    INSERT INTO schedules (account_id, site_id, definition, active, hook_hash, periodicity, next_run_at)
    SELECT '${account}', id, jsonb_build_object('starting_url', url), true, sha256(n::text::bytea), '{"every": "day"}',
      now() + n * interval '2 minutes' FROM seed_sites;
    CREATE TEMP TABLE seed_reports AS SELECT s.n AS site, s.id AS site_id, s.url, s.tags, r AS age, uuidv7() AS id
      FROM seed_sites s, generate_series(1, ${size.reports}) r;
    INSERT INTO reports (id, site_id, account_id, payer_id, starting_url, domain, max_pages, rate_limit, deep_crawl,
      prefer_canonical_urls, status, num_pages, site_url, crawl_pending, inserted_at, last_checked_at, finished_at, tags,
      checked_pages, passed_pages)
    SELECT id, site_id, '${account}', '${account}', url, 'site-' || site || '.example', 100, 1, true, true,
      CASE WHEN age = 1 AND site % 25 = 0 THEN 'failed' ELSE 'finished' END, 80, url, false, now() - age * interval '1 day',
      now() - age * interval '23 hours', now() - age * interval '23 hours', tags, 80, 40 + site % 40
    FROM seed_reports;
    INSERT INTO report_checks (report_id, kind, checked, errors, warnings, with_errors, serious_errors, position)
    SELECT id, kind, 80, (site + age) % 50, 3, 40, 1, position
    FROM seed_reports, (VALUES ('html', 0), ('a11y', 1), ('link', 2)) kinds (kind, position);
    INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state, new, persisting, fixed, worse_errors, worse_critical)
    SELECT r.id, b.id, true, now(), now(), 2, 30, 1, CASE r.site % 6 WHEN 0 THEN 2 ELSE 0 END, CASE r.site % 12 WHEN 0 THEN 1 ELSE 0 END
    FROM seed_reports r JOIN seed_reports b ON b.site = r.site AND b.age = r.age + 1`);
  await client.query('VACUUM (ANALYZE)');
  await client.end();
  await foundation.close();
}
