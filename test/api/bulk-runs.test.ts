import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parsePlanLimits } from '../../src/accounts/plans.ts';
import { startApi, type TestApi } from '../helpers/api.ts';

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

  test('without credits, the request fails', async () => {
    const before = await numReports();
    await api.db.updateTable('accounts').set({ credits: 0 }).where('id', '=', api.people.ownerId).execute();
    const { status, document } = await run({ tags: 'shop' });
    assert.deepEqual([status, document.errors[0].code], [402, 'credits_exhausted']);
    assert.equal(await numReports(), before);
  });
});

test('a limit that is reached in between refuses the remaining sites', async () => {
  const api = await startApi({ planLimits: parsePlanLimits('waiting_reports=2') });
  try {
    for (const host of ['a', 'b', 'c', 'd']) {
      await api.send('POST', '/api/v1/sites', { attributes: { starting_url: `https://${host}.example/`, tags: 'x' } });
    }
    // With a key, all reports are created in one transaction.
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
