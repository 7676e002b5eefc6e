import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const THIS = '0036_failure_codes.sql';
const OF_SCHEDULES = '0103_schedule_failures.sql';
const OUT_OF_CREDITS =
  'The credits ran out before everything was checked and stored. Check the failed pages again when there are new ones.';

let database: TestDatabase;
let client: Client;

before(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.connectionString });
  await client.connect();
  // The database that tests get has all migrations already.
  await client.query('CREATE SCHEMA earlier; SET search_path TO earlier, public');
});
after(async () => {
  await client?.end();
  await database?.drop();
});

const apply = async (name: string) => client.query(await readFile(new URL(name, MIGRATIONS), 'utf8'));
const one = async (text: string): Promise<Record<string, unknown>> => (await client.query(text)).rows[0];

test('sentences of earlier versions are kept, and those about credits become codes', async () => {
  const names = (await readdir(MIGRATIONS)).sort();
  for (const name of names.slice(0, names.indexOf(THIS))) await apply(name);
  const { id: account } = await one(`INSERT INTO accounts (email) VALUES ('a@example.com') RETURNING id`);
  const { id: report } = await one(`
    INSERT INTO reports (account_id, starting_url, domain, max_pages, rate_limit, deep_crawl, prefer_canonical_urls,
      crawl_error)
    VALUES ('${account}', 'http://x/', 'x', 1, 1, true, true, '${OUT_OF_CREDITS}') RETURNING id`);
  const { id: page } = await one(`
    INSERT INTO web_pages (report_id, url, fetch_error, headers)
    VALUES ('${report}', 'http://x/', 'The page answered 404', '[]') RETURNING id`);
  await client.query(`
    INSERT INTO checks (web_page_id, kind, report_id, turn, status, error) VALUES
      (${page}, 'html', '${report}', 1, 'failed', 'The page answered 404'), (${page}, 'a11y', '${report}', 1, 'checked', NULL)`);
  await client.query(`
    INSERT INTO discovered_urls (report_id, position, url, depth, outcome, detail)
    VALUES ('${report}', 0, 'http://x/', 0, 'failed', 'The page answered 404')`);

  await client.query('BEGIN');
  await apply(THIS);
  await client.query('COMMIT');
  const legacy = { code: 'legacy', params: { text: 'The page answered 404' } };
  assert.deepEqual(await one('SELECT crawl_error FROM reports'), {
    crawl_error: { code: 'credits_over', params: { payer: 'account' } },
  });
  assert.deepEqual((await client.query('SELECT error FROM checks ORDER BY kind DESC')).rows, [
    { error: legacy },
    { error: null },
  ]);
  assert.deepEqual(await one('SELECT detail FROM discovered_urls'), { detail: legacy });
  assert.deepEqual(await one('SELECT render_error FROM web_pages'), { render_error: null });
  const later = names.slice(names.indexOf(THIS) + 1);
  for (const name of later.slice(0, later.indexOf(OF_SCHEDULES))) await apply(name);
  await client.query(`
    INSERT INTO schedules (account_id, definition, active, hook_hash, last_run_error)
    VALUES ('${account}', '{}', true, 'x', 'The page answered 404'), ('${account}', '{}', true, 'y', NULL)`);
  for (const name of later.slice(later.indexOf(OF_SCHEDULES))) await apply(name);
  assert.deepEqual((await client.query('SELECT last_run_error FROM schedules ORDER BY hook_hash')).rows, [
    { last_run_error: legacy },
    { last_run_error: null },
  ]);
});
