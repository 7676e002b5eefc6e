import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCases } from '../../bench/list-cases.ts';
import { seedLists } from '../../bench/list-data.ts';
import { openDatabase } from '../../src/store/database.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { createTestDatabase } from '../helpers/database.ts';

/** Makes reports of five pages, the smallest. */
const SIZE = { scale: 0.0001, largest: 200 };

test('the benchmark of lists can fill a database with counts that add up, and has values for every list', async () => {
  const database = await createTestDatabase();
  try {
    const { accountId, values } = await seedLists(database.connectionString, SIZE, () => undefined);
    assert.notEqual(accountId, '');
    assert.deepEqual(
      Object.entries(values).filter(([, value]) => value === ''),
      [],
    );
    assert.ok(listCases(values).length > 200);
    const { db, close } = openDatabase(database.connectionString, () => undefined);
    try {
      const ofStatus = db.selectFrom('reports').select('id').distinctOn('status').execute();
      const others = (await ofStatus).map(({ id }) => id);
      for (const id of [values['report_id'] ?? '', ...others]) await assertCountsAddUp(db, id);
    } finally {
      await close();
    }
  } finally {
    await database.drop();
  }
});
