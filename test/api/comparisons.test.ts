import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { startApi, type TestApi } from '../helpers/api.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { seedPlaces } from '../helpers/seed-places.ts';

const page = { url: 'https://example.com/', places: [0, 3] } as const;

describe('comparisons that requests compute', () => {
  let api: TestApi;
  let reports: string[];
  before(async () => {
    api = await startApi();
    const store = { db: api.db, accountId: api.people.ownerId };
    reports = [];
    for (let count = 0; count < 5; count += 1) reports.push(await seedPlaces(store, [page]));
  });
  after(() => api?.close());

  const compare = (withIndex: number) => api.get(`/api/v1/reports/${reports[0]}/changes?with=${reports[withIndex]}`);

  test('are computed once for all who ask at the same time', async () => {
    const answers = await Promise.all([1, 1, 1, 1, 1].map(compare));
    const ids = answers.map(({ document }) => document.data[0].id);
    assert.equal(new Set(ids).size, 1);
  });

  test('are refused while two others are running', async () => {
    const held = await api.db.transaction().execute(async (trx) => {
      await sql`SELECT FROM reports WHERE id = ${reports[0]} FOR UPDATE`.execute(trx);
      const first = [compare(2), compare(3), compare(3)];
      await waitingForLocks(api.db, 2);
      const refused = await compare(4);
      assert.equal(refused.status, 429);
      assert.equal(refused.document.errors[0].code, 'too_many_comparisons');
      assert.match(String(refused.headers['retry-after']), /^\d+$/);
      return first;
    });
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    assert.equal((await compare(4)).status, 200);
  });
});
