import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { parsePlanLimits } from '../../src/accounts/plans.ts';
import { type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { HOME } from '../helpers/sample-report.ts';

describe('reports that wait to be crawled', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ planLimits: parsePlanLimits('waiting_reports=3') });
  });
  after(() => api?.close());
  beforeEach(() => api.db.deleteFrom('reports').execute());

  const create = (token = api.people.owner): Promise<Reply> =>
    api.send('POST', '/api/v1/reports', { token, attributes: { starting_url: HOME } });
  const begin = (count: number) =>
    api.db
      .updateTable('reports')
      .set({ status: 'crawling', crawled_by: 1_000_000 })
      .where('id', 'in', (query) => query.selectFrom('reports').select('id').limit(count))
      .execute();

  test('are limited by the plan, including reports of guests', async () => {
    for (const token of [api.people.owner, api.people.guest, api.people.owner]) {
      assert.equal((await create(token)).status, 201);
    }
    for (const token of [api.people.owner, api.people.guest]) {
      const reply = await create(token);
      assert.deepEqual(reply.errors, ['429 too_many_reports']);
      assert.equal(reply.headers['retry-after'], '60');
      assert.match(reply.text, /3 reports are waiting to be crawled, the maximum of the plan/);
    }
    assert.equal((await create(api.people.stranger)).status, 201, 'no other account is affected');
    await begin(4);
    assert.equal((await create()).status, 201);
  });

  test('are limited even for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => create()));
    assert.deepEqual(Map.groupBy(replies, ({ status }) => status).get(201)?.length, 3);
  });

  test('make a deploy hook return 429, and a later call succeeds', async () => {
    const attributes = { starting_url: HOME, periodicity: { every: 'deploy' } };
    const schedule = (await api.send('POST', '/api/v1/schedules', { attributes })).document.data;
    const fire = () => api.send('POST', schedule.attributes.deploy_hook_url, { token: null });
    for (let index = 0; index < 3; index += 1) await create();
    const refused = await fire();
    assert.deepEqual(refused.errors, ['429 too_many_reports']);
    assert.equal(refused.headers['retry-after'], '60');
    const { last_run_error, last_run_error_code } = (await api.get(`/api/v1/schedules/${schedule.id}`)).document.data
      .attributes;
    assert.match(last_run_error, /^3 reports are waiting to be crawled/);
    assert.equal(last_run_error_code, 'too_many_waiting');
    await begin(1);
    assert.equal((await fire()).status, 202);
  });
});
