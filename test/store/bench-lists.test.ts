import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCases } from '../../bench/list-cases.ts';
import { seedLists } from '../../bench/list-data.ts';
import { createTestDatabase } from '../helpers/database.ts';

/** Makes reports of five pages, the smallest. */
const SIZE = { scale: 0.0001, largest: 200 };

test('the benchmark of lists can fill a database, and has values for every list', async () => {
  const database = await createTestDatabase();
  try {
    const { accountId, values } = await seedLists(database.connectionString, SIZE, () => undefined);
    assert.notEqual(accountId, '');
    assert.deepEqual(
      Object.entries(values).filter(([, value]) => value === ''),
      [],
    );
    assert.ok(listCases(values).length > 200);
  } finally {
    await database.drop();
  }
});
