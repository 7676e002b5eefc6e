import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { parsePlanLimits } from '../../src/accounts/plans.ts';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { until } from '../helpers/until.ts';

describe('bulk runs', () => {
  let api: TestApi;
  const ids = new Map<string, string>();
  before(async () => {
    api = await startApi();
    for (const [name, tags] of [
      ['A', 'shop'],
      ['B', 'Shop, blog'],
      ['C', 'blog'],
      ['Old', 'shop'],
    ] as const) {
      const attributes = { name, starting_url: `https://${name.toLowerCase()}.example/`, tags };
      const { document } = await api.send('POST', '/api/v1/sites', { attributes });
      ids.set(name, document.data.id);
    }
    await api.send('PATCH', `/api/v1/sites/${idOf('Old')}`, { attributes: { archived: true } });
    const attributes = { starting_url: 'https://other.example/', tags: 'shop' };
    const { document } = await api.send('POST', '/api/v1/sites', { attributes, token: api.people.stranger });
    ids.set('Stranger', document.data.id);
  });
  after(() => api?.close());

  const idOf = (name: string): string => ids.get(name) ?? assert.fail(name);
  const send = (attributes: object, headers: Readonly<Record<string, string>> = {}) =>
    api.send('POST', '/api/v1/bulk_runs', { attributes, headers });
  /** Ends all reports first, so that sites can be run again. */
  const run: typeof send = async (...request) => {
    const ended = { finished_at: new Date(), status: 'finished', crawl_pending: false } as const;
    await api.db.updateTable('reports').set(ended).where('finished_at', 'is', null).execute();
    return send(...request);
  };
  const numReports = async (): Promise<number> => (await api.get('/api/v1/reports')).document.meta.total;

  test('all sites with a tag that are not archived are run', async () => {
    const { status, document } = await run({ tags: 'SHOP' });
    assert.equal(status, 201);
    const { num_started, num_refused, started } = document.data.attributes;
    assert.deepEqual([num_started, num_refused], [2, 0]);
    const sites = started.map((each: { site_id: string }) => each.site_id);
    assert.deepEqual(sites.sort(), [idOf('A'), idOf('B')].sort());
    assert.equal((await run({ text: 'C.example' })).document.data.attributes.num_started, 1);
    assert.equal((await run({ tags: ['shop'], text: 'b.example' })).document.data.attributes.num_started, 1);
    assert.equal((await run({ tags: 'unused' })).document.data.attributes.num_started, 0);
  });

  test('a site is not run twice at a time', async () => {
    await run({ tags: 'shop' });
    const { num_started, refused } = (await send({ tags: 'shop' })).document.data.attributes;
    assert.equal(num_started, 0);
    assert.deepEqual(
      refused.map(({ code, message }: { code: string; message: string }) => `${code}: ${message}`),
      Array(2).fill('conflict: This site is already being checked. Run it again when the report has ended.'),
    );
  });

  test('sites that cannot be run are listed with the reason', async () => {
    const before = await numReports();
    const { document } = await run({ site_ids: [idOf('A'), idOf('Old'), idOf('Stranger'), idOf('A').toUpperCase()] });
    const { started, refused } = document.data.attributes;
    assert.deepEqual(
      started.map((each: { site_id: string }) => each.site_id),
      [idOf('A')],
    );
    assert.deepEqual(refused, [
      { site_id: idOf('Old'), name: 'Old', code: 'conflict', message: 'This site is archived. Restore it to run it.' },
      { site_id: idOf('Stranger'), name: '', code: 'not_found', message: 'This site does not exist.' },
    ]);
    assert.equal(await numReports(), before + 1);
  });

  test('a selection is required, and only one', async () => {
    for (const attributes of [
      {},
      { tags: ' , ' },
      { text: ' ' },
      { site_ids: [] },
      { site_ids: [idOf('A')], tags: 'shop' },
    ]) {
      assert.equal((await run(attributes)).status, 422, JSON.stringify(attributes));
    }
  });

  test('a repetition with the same key runs nothing again', async () => {
    const first = await run({ tags: 'blog' }, { 'idempotency-key': 'bulk-1' });
    const before = await numReports();
    const again = await run({ tags: 'blog' }, { 'idempotency-key': 'bulk-1' });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(await numReports(), before);
  });

  test('a request whose connection is lost starts no site twice, and its repetition does the rest', async () => {
    await run({ text: 'unused' });
    await api.db.updateTable('reports').set({ finished_at: new Date() }).where('finished_at', 'is', null).execute();
    const before = await numReports();
    const request = { site_ids: [idOf('A'), idOf('B'), idOf('C')] };
    const key = { 'idempotency-key': 'bulk-killed' };
    const waiting = sql<{ pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const { replies } = await api.db.transaction().execute(async (trx) => {
      await trx.selectFrom('sites').select('id').where('id', '=', idOf('B')).forUpdate().execute();
      const sent = Promise.all([send(request, key)]);
      let pids: number[] = [];
      await until(async () => {
        pids = (await waiting.execute(api.db)).rows.map(({ pid }) => pid);
        return pids.length === 1;
      });
      // Each site in a transaction of its own: the first one has its report.
      assert.equal(await numReports(), before + 1);
      await sql`SELECT pg_terminate_backend(${pids[0]})`.execute(api.db);
      return { replies: sent };
    });
    const [lost] = await replies;
    assert.deepEqual(lost?.errors, ['503 unavailable']);
    assert.equal(await numReports(), before + 1);
    const other = await send({ site_ids: [idOf('C')] }, key);
    assert.deepEqual(other.errors, ['422 invalid'], 'the key is still the key of the first request');
    // Started sites are reported even if they could not be started now.
    const archive = (archived_at: Date | null) =>
      api.db.updateTable('sites').set({ archived_at }).where('id', '=', idOf('A')).execute();
    await archive(new Date());
    const [first, again] = await Promise.all([send(request, key), send(request, key)]);
    assert.equal(first?.status, 201, first?.text);
    assert.equal(again?.text, first?.text);
    const { started, refused } = first?.document.data.attributes ?? {};
    assert.deepEqual(refused, []);
    assert.deepEqual(
      started.map((each: { site_id: string }) => each.site_id),
      request.site_ids,
    );
    assert.equal(new Set(started.map((each: { report_id: string }) => each.report_id)).size, 3);
    assert.equal(await numReports(), before + 3);
    assert.deepEqual(await api.db.selectFrom('idempotent_parts').select('part').execute(), []);
    await archive(null);
  });

  test('a request waits without a connection for another one with the same key', async () => {
    const locked = sql`
      SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND classid = ${ADVISORY_LOCKS.idempotencyKeys}`;
    const { replies } = await api.db.transaction().execute(async (trx) => {
      await trx.selectFrom('sites').select('id').where('id', '=', idOf('B')).forUpdate().execute();
      const sent = Promise.all([
        send({ site_ids: [idOf('B')] }, { 'idempotency-key': 'bulk-waiting' }),
        send({ site_ids: [idOf('B')] }, { 'idempotency-key': 'bulk-waiting' }),
      ]);
      await until(async () => (await locked.execute(api.db)).rows.length === 1);
      assert.equal((await send({ site_ids: [idOf('A')] })).status, 201);
      assert.equal((await locked.execute(api.db)).rows.length, 1, 'nobody waits for the lock');
      return { replies: sent };
    });
    const [first, second] = await replies;
    assert.deepEqual([first?.status, second?.text], [201, first?.text]);
  });

  test('an interrupted request with filters continues with the sites that it had selected', async () => {
    await run({ text: 'unused' });
    const key = { 'idempotency-key': 'bulk-filter' };
    const { replies } = await api.db.transaction().execute(async (trx) => {
      await trx.selectFrom('sites').select('id').where('id', '=', idOf('C')).forUpdate().execute();
      const sent = Promise.all([send({ tags: 'blog' }, key)]);
      await until(async () => (await api.db.selectFrom('idempotent_parts').select('part').execute()).length === 2);
      await sql`
        SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND classid = ${ADVISORY_LOCKS.idempotencyKeys}`.execute(
        trx,
      );
      return { replies: sent };
    });
    assert.equal((await replies)[0]?.status, 503);
    const tag = (tags: readonly string[]) =>
      sql`UPDATE sites SET definition = definition || ${JSON.stringify({ tags })}::jsonb WHERE id = ${idOf('B')}`.execute(
        api.db,
      );
    await tag(['shop']);
    const { started } = (await send({ tags: 'blog' }, key)).document.data.attributes;
    assert.deepEqual(
      started.map((each: { name: string }) => each.name),
      ['B', 'C'],
    );
    await tag(['Shop', 'blog']);
  });

  test('without credits, the request fails', async () => {
    const before = await numReports();
    await api.db.updateTable('accounts').set({ credits: 0 }).where('id', '=', api.people.ownerId).execute();
    const { status, document } = await run({ tags: 'shop' });
    assert.deepEqual([status, document.errors[0].code], [402, 'credits_exhausted']);
    assert.equal(await numReports(), before);
    // A refused request leaves nothing, so that its key can be used again.
    const key = { 'idempotency-key': 'bulk-no-credits' };
    assert.equal((await send({ tags: 'shop' }, key)).status, 402);
    await api.db.updateTable('accounts').set({ credits: null }).where('id', '=', api.people.ownerId).execute();
    assert.equal((await run({ tags: 'blog' }, key)).document.data.attributes.num_started, 2);
  });
});

test('a limit that is reached in between refuses the remaining sites', async () => {
  const api = await startApi({ planLimits: parsePlanLimits('waiting_reports=2') });
  try {
    for (const host of ['a', 'b', 'c', 'd']) {
      await api.send('POST', '/api/v1/sites', { attributes: { starting_url: `https://${host}.example/`, tags: 'x' } });
    }
    const send = (headers: Readonly<Record<string, string>>) =>
      api.send('POST', '/api/v1/bulk_runs', { attributes: { tags: 'x' }, headers });
    const { status, document } = await send({ 'idempotency-key': 'bulk-2' });
    const { num_started, refused } = document.data.attributes;
    assert.deepEqual([status, num_started, refused.length], [201, 2, 2]);
    assert.equal(refused[0].code, 'too_many_reports');
    assert.match(refused[0].name, /^https:\/\/[a-d]\.example\/$/);
    const again = await send({});
    assert.deepEqual([again.status, again.document.errors[0].code], [429, 'too_many_reports']);
    assert.equal((await api.get('/api/v1/reports')).document.meta.total, 2);
  } finally {
    await api.close();
  }
});
