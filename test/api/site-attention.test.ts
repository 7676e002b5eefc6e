import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { applyNextBatch, createMuting } from '../../src/reports/apply-mutings.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';

describe('what needs attention until it is fixed, muted or acknowledged', () => {
  let api: TestApi;
  let hosts = 0;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** A new site, whose runs find the given errors on its page. */
  function newSite() {
    hosts += 1;
    const url = `https://attention-${hosts}.example/`;
    const run = async (
      [from, to]: readonly [number, number],
      report: Partial<Record<'max_pages' | 'num_pages', number>> = {},
    ): Promise<string> => {
      const id = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, [
        { url, occurrences: [from, to] },
      ]);
      const change = { insights_pending: true, ...report };
      await api.db.updateTable('reports').set(change).where('id', '=', id).execute();
      await compute();
      return id;
    };
    const read = async (): Promise<Item> => {
      const [found] = (await api.get(`/api/v1/sites?filter[url]=${encodeURIComponent(url)}`)).document.data;
      return found;
    };
    const state = async () => {
      const { attributes } = await read();
      const needing = (await api.get(`/api/v1/sites?filter[attention]=any&filter[url]=${encodeURIComponent(url)}`))
        .document;
      assert.equal(needing.data.length === 1, attributes.attention !== 'none');
      const { attention, unacknowledged } = attributes;
      return [needing.data.length === 1, attention, unacknowledged?.new_errors ?? 0];
    };
    const acknowledge = async () => {
      const { id } = await read();
      const reply = await api.send('PATCH', `/api/v1/sites/${id}`, { attributes: { acknowledged: true } });
      assert.equal(reply.status, 200, reply.text);
    };
    return { url, run, read, state, acknowledge };
  }

  async function compute(): Promise<void> {
    while (await computeNextInsights(api.db));
  }

  test('errors stay in view in later runs until they are fixed', async () => {
    const { run, read, state, acknowledge } = newSite();
    await run([2, 10]);
    assert.deepEqual(await state(), [true, 'has_errors', 0], 'a first report with errors');
    await run([2, 10]);
    assert.deepEqual(await state(), [true, 'has_errors', 0], 'the same errors in the second report');
    await acknowledge();
    assert.deepEqual(await state(), [false, 'none', 0]);
    const known = await run([2, 10]);
    assert.deepEqual(await state(), [false, 'none', 0]);
    await run([0, 10]);
    assert.deepEqual(await state(), [true, 'new_errors', 2]);
    const later = await run([0, 10]);
    assert.deepEqual(await state(), [true, 'new_errors', 2]);
    const { worse, unacknowledged } = (await read()).attributes;
    assert.equal(worse.new_errors, 0, 'the last run found nothing new');
    assert.deepEqual([unacknowledged.report_id, unacknowledged.since_report_id], [later, known]);
    assert.match(unacknowledged.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    await run([0, 11]);
    assert.deepEqual(await state(), [true, 'new_errors', 3]);
    await run([1, 10]);
    assert.deepEqual(await state(), [true, 'new_errors', 1], 'two of three are fixed');
    await run([2, 10]);
    assert.deepEqual(await state(), [false, 'none', 0], 'all are fixed');
    await run([1, 10]);
    assert.deepEqual(await state(), [true, 'new_errors', 1], 'one is back');
  });

  test('acknowledging ends it, and not for what gets worse afterwards', async () => {
    const { run, state, acknowledge } = newSite();
    for (const from of [3, 2, 2]) await run([from, 5]);
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    await acknowledge();
    assert.deepEqual(await state(), [false, 'none', 0]);
    await run([2, 5]);
    assert.deepEqual(await state(), [false, 'none', 0]);
    await run([1, 5]);
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    await acknowledge();
    assert.deepEqual(await state(), [false, 'none', 0], 'also right after the run that got worse');
    await run([1, 5]);
    assert.deepEqual(await state(), [false, 'none', 0]);
  });

  test('muting ends it', async () => {
    const { url, run, state } = newSite();
    for (const from of [3, 2, 2]) await run([from, 5]);
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    const muting = { account_id: api.people.ownerId, url_match: url, message: 'center', comment: '', expires_at: null };
    await createMuting(api.db, muting);
    while (await applyNextBatch(api.db));
    await compute();
    assert.deepEqual(await state(), [false, 'none', 0]);
  });

  test('a quick run that checks less does not end it', async () => {
    const { run, state, acknowledge } = newSite();
    const [full, quick] = [
      { max_pages: 500, num_pages: 300 },
      { max_pages: 20, num_pages: 20 },
    ];
    await run([3, 5], full);
    await acknowledge();
    await run([2, 5], full);
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    for (let day = 0; day < 2; day += 1) await run([3, 5], quick);
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    await run([3, 5], full);
    assert.deepEqual(await state(), [false, 'none', 0]);
  });

  test('it survives the deletion of the report before it, other comparisons, and repeated insights', async () => {
    const { run, read, state, acknowledge } = newSite();
    const first = await run([3, 5]);
    const known = await run([3, 5]);
    await acknowledge();
    for (const from of [2, 2, 2]) await run([from, 5]);
    const last = (await read()).attributes.runs[0].report_id;
    for (let other = 0; other < 12; other += 1) {
      const id = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, [
        { url: `https://other-${other}.example/`, occurrences: [0, 1] },
      ]);
      assert.equal((await api.get(`/api/v1/reports/${last}/changes?with=${id}`)).status, 200);
    }
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    await deleteReport(api.db, known);
    await compute();
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
    assert.equal((await read()).attributes.unacknowledged.since_report_id, first);
    await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', last).execute();
    await compute();
    assert.deepEqual(await state(), [true, 'new_errors', 1]);
  });

  test('many sites are acknowledged at a time, and what was acknowledged is unchanged', async () => {
    const [one, other] = [newSite(), newSite()];
    for (const { run } of [one, other]) await run([0, 2]);
    const ids = [(await one.read()).id, (await other.read()).id];
    const attributes = { site_ids: ids, change: { acknowledged: true } };
    const send = async () => (await api.send('POST', '/api/v1/bulk_updates', { attributes })).document.data.attributes;
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.num_changed, second.num_changed, second.num_unchanged], [2, 0, 2]);
    assert.deepEqual(await one.state(), [false, 'none', 0]);
    // Acknowledging is no edit: the site still takes the settings of its newest report.
    const row = api.db
      .selectFrom('sites')
      .select('is_kept')
      .where('id', '=', ids[0] ?? '');
    assert.equal((await row.executeTakeFirstOrThrow()).is_kept, false);
  });
});
