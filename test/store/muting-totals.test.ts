import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { createMuting } from '../../src/reports/apply-mutings.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';
import { until } from '../helpers/until.ts';

/** The sums of mutings over reports, which a trigger adds up when a transaction commits. */

let store: TestStore;
let other: Client;
let mutings: readonly number[];

before(async () => {
  store = await openTestStore();
  other = new Client({ connectionString: store.connectionString });
  await other.connect();
  const of = { account_id: store.accountId, url_match: 'x', comment: '', expires_at: null };
  const ids: number[] = [];
  for (let number = 0; number < 20; number += 1) {
    ids.push(await createMuting(store.db, { ...of, message: `m${number}` }));
  }
  mutings = ids;
});
after(async () => {
  await other?.end();
  await store?.close();
});

/** Counts an occurrence that each of the mutings mutes in a report, with a statement for each. */
const count = (report: string, of: readonly number[], lockTimeout = 0): Promise<unknown> =>
  reportTransaction(store.db, report, async ({ trx }) => {
    await sql.raw(`SET LOCAL lock_timeout = ${lockTimeout}`).execute(trx);
    for (const muting of of) {
      await sql`INSERT INTO report_mutings AS r (report_id, muting_id, how_many) VALUES (${report}, ${muting}, 1)
        ON CONFLICT (report_id, muting_id) DO UPDATE SET how_many = r.how_many + 1`.execute(trx);
    }
  });

const totals = async (): Promise<(readonly [howMany: number, reports: number])[]> => {
  const rows = await store.db.selectFrom('muting_totals').select(['how_many', 'num_reports']).execute();
  return rows.map(({ how_many: howMany, num_reports: reports }) => [howMany, reports]);
};

test('sums are added up while autovacuum has the table', async () => {
  const report = await newReport(store, 'http://site.test/');
  await other.query('BEGIN');
  // The lock that autovacuum takes.
  await other.query('LOCK TABLE muting_totals IN SHARE UPDATE EXCLUSIVE MODE');
  try {
    await count(report, mutings, 1_000);
  } finally {
    await other.query('ROLLBACK');
  }
  assert.deepEqual(new Set((await totals()).map(String)), new Set(['1,1']));
  await sql`DELETE FROM report_mutings`.execute(store.db);
  assert.deepEqual(await totals(), []);
});

test('transactions that change sums in any order commit, and no change is lost', async () => {
  const reports: string[] = [];
  for (let number = 0; number < 4; number += 1) reports.push(await newReport(store, `http://site.test/${number}`));
  // All of them are about to add up at once.
  await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.mutingTotals]);
  const counted = Promise.all(
    reports.map((report, index) => count(report, index % 2 === 0 ? mutings : mutings.toReversed())),
  );
  await until(async () => {
    const { rows } = await sql<{ waiting: number }>`SELECT count(*) AS waiting FROM pg_locks
      JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND objid = ${ADVISORY_LOCKS.mutingTotals} AND NOT granted`.execute(
      store.db,
    );
    return rows[0]?.waiting === reports.length;
  });
  await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.mutingTotals]);
  await counted;
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(reports.map((report, index) => count(report, index < 2 ? mutings : mutings.toReversed())));
  }
  assert.equal((await totals()).length, mutings.length);
  assert.deepEqual(new Set((await totals()).map(String)), new Set(['24,4']));
  await sql`DELETE FROM report_mutings`.execute(store.db);
  for (const report of reports) await assertCountsAddUp(store.db, report);
});
