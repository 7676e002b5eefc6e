import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { listCases, resourceCases } from '../../bench/list-cases.ts';
import { openSession } from '../../src/accounts/sessions.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { loadConfig } from '../../src/config.ts';
import { openFoundation } from '../../src/foundation.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { isWritable } from '../../src/store/database.ts';
import { testServer } from '../helpers/api.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';

/** A database that accepts no changes, as during a failover: reads are still served. */

const store = await startOwnPostgres();
afterEach(() => store.setReadOnly(false));
after(() => store.close());

test('every read works while the database is read-only, with a token and in a browser', async (t) => {
  const { db, accountId } = store;
  await sql`UPDATE accounts SET plan = 'enterprise' WHERE id = ${accountId}`.execute(db);
  const values = await seedOneOfEach(db, { accountId });
  const { token } = await createToken(db, { accountId, scope: 'read' });
  const session = await openSession(db, accountId, { userAgent: 'Test/1.0' });
  const server = testServer(db, {});
  t.after(() => server.close());
  const report = `/reports/${values['report_id']}`;
  const files = ['json', 'csv', 'md', 'html', 'sarif'].map((format) => `${report}/export?format=${format}`);
  // Filters and sorts only read more.
  const cases = new Map(
    [...listCases(values), ...resourceCases(values)].toReversed().map((each) => [each.list, each.path]),
  );
  const paths = ['/account', '/installation', report, ...files, ...cases.values()];
  const read = async (headers: Record<string, string>, some: readonly string[]): Promise<string[]> => {
    const refused: string[] = [];
    for (const path of some) {
      const { statusCode } = await server.inject({ method: 'GET', url: `/api/v1${path}`, headers });
      if (statusCode !== 200) refused.push(`${statusCode} ${path}`);
    }
    return refused;
  };
  // The next requests would mark both as used.
  await sql`UPDATE sessions SET last_seen_at = now() - interval '1 day'`.execute(db);
  await sql`UPDATE api_tokens SET last_used_at = now() - interval '1 day'`.execute(db);
  await store.setReadOnly(true);
  assert.equal(await isWritable(db), false);
  assert.deepEqual(await read({ authorization: `Bearer ${token}` }, paths), []);
  // Only what finds the session is different.
  assert.deepEqual(await read({ cookie: `${SESSION_COOKIE}=${session.secret}` }, ['/account', report]), []);
  const write = await server.inject({
    method: 'POST',
    url: '/api/v1/mutings',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: { data: { attributes: { url_match: 'a', message: 'b' } } },
  });
  assert.equal(write.statusCode, 403, 'the token can only read');
});

test('a start says that the database accepts no changes', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'sitewarden-test-'));
  t.after(() => rm(directory, { recursive: true }));
  const settings = {
    SITEWARDEN_DATA_DIR: directory,
    DATABASE_URL: store.connectionString,
    SITEWARDEN_MIGRATE: 'false',
  };
  const config = loadConfig({ ...settings, SITEWARDEN_ADMIN_TOKEN: 'a-new-token-of-this-start' }, false);
  await store.setReadOnly(true);
  await assert.rejects(openFoundation(config, pino({ level: 'silent' })), {
    code: 'database_unavailable',
    message: /^The database cannot be used: cannot execute .* in a read-only transaction\. /,
  });
});

test('a database that cannot write to its disk accepts no changes', async () => {
  assert.equal(await isWritable(store.db), true);
  await store.db.connection().execute(async (db) => {
    await sql`SET temp_file_limit = '500kB'`.execute(db);
    await assert.rejects(isWritable(db), /temporary file size exceeds/);
    await sql`RESET temp_file_limit`.execute(db);
    assert.equal(await isWritable(db), true);
  });
});

test('clusters that no one has opened are counted while the database is read-only', async (t) => {
  const report = await seedOccurrences(store, [
    { url: 'https://example.com/', occurrences: [0, 30], clusters: 3 },
    { url: 'https://example.com/shop/', occurrences: [0, 20], clusters: 2 },
  ]);
  const get = await reader(t);
  const [issue] = (await get(`/api/v1/reports/${report}/common_html_issues`)).data;
  const occurrences = (links: { occurrences: { links: { related: string } } }): string =>
    new URL(links.occurrences.links.related).pathname + new URL(links.occurrences.links.related).search;
  const readAll = async () => {
    const clusters = await get(new URL(issue.relationships.clusters.links.related).pathname);
    const lists = [];
    for (const { relationships } of clusters.data) {
      for (const filter of ['', '&page[size]=3&page[number]=3', '&filter[url]=shop']) {
        lists.push(await get(`${occurrences(relationships)}${filter}`));
      }
    }
    return { clusters, lists };
  };
  await store.setReadOnly(true);
  const counted = await readAll();
  await store.setReadOnly(false);
  assert.deepEqual(counted, await readAll());
  assert.deepEqual(
    counted.clusters.data.map(({ attributes }: { attributes: { how_many: number } }) => attributes.how_many),
    [20, 20, 10],
  );
  assert.deepEqual(
    counted.lists.map(({ meta }) => meta.total),
    [20, 20, 10, 20, 20, 10, 10, 10, 0],
  );
});

test('changed pages of the checks in a plan are found while the database is read-only', async (t) => {
  const { db, accountId } = store;
  const page = (path: string) => ({ url: `https://example.com${path}`, occurrences: [0, 2] as const });
  const [first, , last] = [
    await seedOccurrences(store, [page('/'), page('/old')]),
    await seedOccurrences(store, [page('/'), page('/same')]),
    await seedOccurrences(store, [page('/'), page('/same'), page('/new')]),
  ];
  await sql`UPDATE reports SET insights_pending = true`.execute(db);
  while (await computeNextInsights(db));
  await sql`UPDATE accounts SET plan = 'free' WHERE id = ${accountId}`.execute(db);
  const get = await reader(t);
  const changes = `/api/v1/reports/${last}/changes`;
  await store.setReadOnly(true);
  const counted = await get(`${changes}/pages`);
  await get(`${changes}/pages?with=${first}`, 503);
  await store.setReadOnly(false);
  assert.deepEqual(counted, await get(`${changes}/pages`));
  assert.deepEqual([counted.meta.total, counted.data[0].attributes.url], [1, page('/new').url]);
  const { meta } = await get(`${changes}?with=${first}`);
  assert.equal(meta.is_current, true);
  await sql`UPDATE reports SET end_results_at = now() WHERE id = ${last}`.execute(db);
  await store.setReadOnly(true);
  const earlier = await get(`${changes}?with=${first}`);
  assert.deepEqual(earlier.meta, { ...meta, is_current: false }, 'an earlier comparison says so');
  assert.equal((await get(`${changes}/pages?with=${first}`)).meta.total, 3);
});

/** Returns a function that reads with a token of the account. */
async function reader(t: TestContext) {
  const { db, accountId } = store;
  const { token } = await createToken(db, { accountId, scope: 'read' });
  const server = testServer(db, {});
  t.after(() => server.close());
  return async (path: string, status = 200) => {
    const reply = await server.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${token}` } });
    assert.equal(reply.statusCode, status, `${path}: ${reply.body}`);
    return reply.json();
  };
}
