import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { isTransient } from '../../src/platform/database-errors.ts';
import { openDatabase } from '../../src/store/database.ts';
import { openTestStore } from '../helpers/crawler.ts';

const store = await openTestStore();
const { db, close } = openDatabase(store.connectionString, () => undefined, {
  use: 'work',
  limits: { connectionsMax: 1 },
});
after(async () => {
  await close();
  await store.close();
});

const prepared = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`SELECT count(*) FROM pg_prepared_statements`.execute(db);
  return rows[0]?.count ?? 0;
};

test('a repeated statement is prepared, and prepared again if a migration adds a column', async () => {
  await sql`CREATE TABLE growing (a integer)`.execute(db);
  await sql`INSERT INTO growing VALUES (1), (2)`.execute(db);
  const read = async (a: number) => (await sql`SELECT * FROM growing WHERE a = ${a}`.execute(db)).rows;
  assert.deepEqual([await read(1), await read(2)], [[{ a: 1 }], [{ a: 2 }]]);
  assert.equal(await prepared(), 0);
  for (let time = 1; time <= 10; time += 1) assert.deepEqual([await read(1), await read(2)], [[{ a: 1 }], [{ a: 2 }]]);
  assert.equal(await prepared(), 1);

  await sql`ALTER TABLE growing ADD COLUMN b integer`.execute(store.db);
  await assert.rejects(read(1), isTransient);
  assert.deepEqual(await read(1), [{ a: 1, b: null }]);
});

test('statements that are executed once do not keep others from being prepared', async () => {
  for (let statement = 1; statement <= 200; statement += 1) await sql`SELECT ${sql.lit(statement)}`.execute(db);
  const before = await prepared();
  for (let time = 1; time <= 3; time += 1) await sql`SELECT 'repeated' || ${time}::text`.execute(db);
  assert.equal(await prepared(), before + 1);
});

test('the number of prepared statements is limited', async () => {
  for (let statement = 1; statement <= 200; statement += 1) {
    for (let time = 1; time <= 3; time += 1) await sql`SELECT ${sql.lit(statement)} + ${time}::integer`.execute(db);
  }
  const count = await prepared();
  assert.ok(count > 50 && count <= 101, String(count));
});
