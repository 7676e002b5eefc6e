import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../../src/store/migrate.ts';
import { databaseBefore, type EarlierDatabase } from '../helpers/earlier-database.ts';

/** Databases in which reports with other settings were of other sites. */

let open: EarlierDatabase;
let accountId: string;

before(async () => {
  open = await databaseBefore('0005_sites.sql');
  const { rows } = await sql<{ id: string }>`
    INSERT INTO accounts (email) VALUES ('owner@example.com') RETURNING id`.execute(open.db);
  accountId = rows[0]?.id ?? '';
});
after(() => open?.drop());

/** Adds a site with reports on some days of a month. @returns its id */
async function site(url: string, maxPages: number, days: readonly number[]): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO sites (account_id, key, starting_url) VALUES (${accountId}, sha256(${`${url} ${maxPages}`}::bytea), ${url})
    RETURNING id`.execute(open.db);
  const id = rows[0]?.id ?? '';
  for (const day of days) {
    await sql`
      INSERT INTO reports (account_id, payer_id, site_id, starting_url, domain, max_pages, rate_limit, deep_crawl,
        prefer_canonical_urls, status, finished_at, inserted_at, inclusions)
      VALUES (${accountId}, ${accountId}, ${id}, ${url}, 'x.test', ${maxPages}, 1, true, true, 'finished', now(),
        ${`2026-03-${String(day).padStart(2, '0')}`}::timestamptz, '{/shop/}')`.execute(open.db);
  }
  await sql`INSERT INTO first_sightings (site_id, fingerprint, seen_at, last_seen_at)
    VALUES (${id}, '\\x01', ${`2026-03-${days[0] ?? 1}`}::timestamptz, '2026-03-28')`.execute(open.db);
  return id;
}

async function schedule(url: string, reportsOf: string | null): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO schedules (account_id, definition, active, hook_hash)
    VALUES (${accountId}, ${JSON.stringify({ starting_url: url, max_pages: 7 })}, true, '\\x01') RETURNING id`.execute(
    open.db,
  );
  const id = rows[0]?.id ?? '';
  await sql`UPDATE reports SET schedule_id = ${id} WHERE site_id = ${reportsOf}`.execute(open.db);
  return id;
}

test('sites of one address become one if their reports do not overlap; others stay, and schedules find their site', async () => {
  // The settings were changed on day 10.
  const [old, current] = [
    await site('http://changed.test/', 10, [1, 5]),
    await site('https://changed.test/', 50, [10, 15]),
  ];
  // Two sets of settings are used alternately.
  const both = [await site('http://both.test/', 10, [1, 8]), await site('http://both.test/', 50, [2, 9])];
  // A schedule continues the earlier one.
  const scheduled = [await site('http://scheduled.test/', 10, [1]), await site('http://scheduled.test/', 50, [9])];
  const running = await schedule('http://scheduled.test/', scheduled[0] ?? null);
  const [waiting, alone] = [await schedule('http://changed.test/', null), await schedule('http://alone.test/', null)];

  await migrate(open.db);

  const { rows: sites } = await sql<{ id: string; address: string; max_pages: number; inclusions: string[] }>`
    SELECT id, address, (definition ->> 'max_pages')::integer AS max_pages, definition -> 'inclusions' AS inclusions
    FROM sites ORDER BY address, max_pages`.execute(open.db);
  assert.deepEqual(
    sites.map(({ address, max_pages: most }) => [address, most]),
    [
      ['alone.test/', 7],
      ['both.test/', 10],
      ['both.test/', 50],
      ['changed.test/', 50],
      ['scheduled.test/', 10],
      ['scheduled.test/', 50],
    ],
  );
  assert.deepEqual(sites[3]?.inclusions, ['/shop/']);
  const ids = sites.map(({ id }) => id);
  assert.ok(ids.includes(current) && !ids.includes(old));
  for (const id of [...both, ...scheduled]) assert.ok(ids.includes(id));
  const { rows: reports } = await sql<{
    count: string;
  }>`SELECT count(*) FROM reports WHERE site_id = ${current}`.execute(open.db);
  assert.equal(Number(reports[0]?.count), 4);
  const { rows: seen } = await sql<{ day: string }>`
    SELECT to_char(seen_at, 'DD') AS day FROM first_sightings WHERE site_id = ${current}`.execute(open.db);
  assert.deepEqual(seen, [{ day: '01' }]);
  const siteOf = async (id: string) =>
    (await open.db.selectFrom('schedules').select('site_id').where('id', '=', id).executeTakeFirstOrThrow()).site_id;
  assert.equal(await siteOf(running), scheduled[0]);
  assert.equal(await siteOf(waiting), current);
  assert.equal(await siteOf(alone), ids[0]);
});
