import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { dateCommonIssues, pruneFirstSightings } from '../../src/store/issues/first-sightings.ts';
import { deleteReport, purgeBatch } from '../../src/store/reports/deletion.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { PATIENT_DATABASE } from '../helpers/patience.ts';
import { randomFrom, TEST_SEED } from '../helpers/random.ts';
import { occurrence } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

/** When issue types were first found is forgotten when no report has them any more, and never before. */

let store: TestStore;
/** The connections of a second process. */
let second: OpenDatabase;
before(async () => {
  store = await openTestStore();
  second = openDatabase(store.connectionString, () => undefined, PATIENT_DATABASE);
});
after(async () => {
  await second?.close();
  await store?.close();
});

const fingerprintOf = (kind: string): string => createHash('md5').update(kind).digest('hex');
const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));
let sites = 0;
function newSite(): string {
  sites += 1;
  return `https://site-${sites}.example/`;
}

/** A finished report of a site, with issue types that are not dated yet. */
async function report(site: string, on: number, kinds: readonly string[]): Promise<string> {
  const issues = kinds.map((message) => ({ kind: { type: 'error', message } as const, occurrences: [occurrence(1)] }));
  const of = { account_id: store.accountId, starting_url: site, inserted_at: day(on) };
  const pages = [{ url: site, checks: { html: { status: 'checked', issues } as const } }];
  const { reportId } = await seedReport(store.db, of, ['html'], pages);
  await sql`UPDATE common_issues SET fingerprint = decode(md5(message), 'hex') WHERE report_id = ${reportId}`.execute(
    store.db,
  );
  return reportId;
}

async function datedReport(site: string, on: number, kinds: readonly string[]): Promise<string> {
  const id = await report(site, on, kinds);
  await reportTransaction(store.db, id, dateCommonIssues);
  return id;
}

/** When the issue types of a report were first found, by their messages. */
async function datesOf(reportId: string): Promise<Record<string, Date | null>> {
  const rows = await store.db
    .selectFrom('common_issues')
    .select(['message', 'first_seen_at'])
    .where('report_id', '=', reportId)
    .orderBy('message')
    .execute();
  return Object.fromEntries(rows.map(({ message, first_seen_at: date }) => [message, date]));
}

/** Which of some issue types are remembered. */
async function remembered(site: string, kinds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ fingerprint: string }>`
    SELECT encode(fingerprint, 'hex') AS fingerprint FROM first_sightings f JOIN sites s ON s.id = f.site_id
    WHERE s.starting_url = ${site}`.execute(store.db);
  const known = new Set(rows.map(({ fingerprint }) => fingerprint));
  return kinds.filter((kind) => known.has(fingerprintOf(kind)));
}

async function purge(): Promise<void> {
  while (await purgeBatch(store.db));
}

async function siteIdOf(reportId: string): Promise<string> {
  const reports = store.db.selectFrom('reports').select('site_id').where('id', '=', reportId);
  return (await reports.executeTakeFirstOrThrow()).site_id;
}

test('issue types of deleted reports alone are forgotten, and issue types of other reports keep their dates', async () => {
  const site = newSite();
  const first = await datedReport(site, 1, ['always', 'early', 'returns']);
  const middle = await datedReport(site, 2, ['always', 'middle']);
  const last = await datedReport(site, 3, ['always', 'returns']);
  const expected = { always: day(1), returns: day(1) };
  assert.deepEqual(await datesOf(last), expected);

  await deleteReport(store.db, first);
  await purge();
  assert.deepEqual(await remembered(site, ['always', 'early', 'middle', 'returns']), ['always', 'middle', 'returns']);
  await deleteReport(store.db, middle);
  await purge();
  assert.deepEqual(await remembered(site, ['always', 'early', 'middle', 'returns']), ['always', 'returns']);
  await reportTransaction(store.db, last, dateCommonIssues);
  assert.deepEqual(await datesOf(last), expected);

  const next = await datedReport(site, 4, ['always', 'early']);
  assert.deepEqual(await datesOf(next), { always: day(1), early: day(4) });
});

test('a report that is dated later than its successor keeps the issue types of both', async () => {
  const site = newSite();
  const late = await report(site, 1, ['both']);
  const gone = await datedReport(site, 2, ['both']);
  await reportTransaction(store.db, late, dateCommonIssues);
  await datedReport(site, 3, ['other']);
  await deleteReport(store.db, gone);
  await purge();
  assert.deepEqual(await remembered(site, ['both']), ['both']);
  await reportTransaction(store.db, late, dateCommonIssues);
  assert.deepEqual(await datesOf(late), { both: day(1) });
});

test('a site without reports is removed in parts, too', async () => {
  const site = newSite();
  const only = await datedReport(site, 1, ['one']);
  const siteId = await siteIdOf(only);
  await sql`INSERT INTO first_sightings (site_id, fingerprint, seen_at, last_seen_at)
    SELECT ${siteId}, decode(md5(n::text), 'hex'), ${day(1)}, ${day(1)} FROM generate_series(1, 25000) n`.execute(
    store.db,
  );
  await deleteReport(store.db, only);
  const left: number[] = [];
  while (await purgeBatch(store.db)) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) FROM first_sightings WHERE site_id = ${siteId}`.execute(store.db);
    left.push(rows[0]?.count ?? 0);
  }
  assert.deepEqual([...new Set(left)], [25_001, 15_001, 5_001, 0]);
});

test('issue types that are being dated are not removed, and nothing waits', async () => {
  const site = newSite();
  const old = await datedReport(site, 1, ['returns', 'early']);
  const kept = await report(site, 2, ['returns']);
  const siteId = await siteIdOf(kept);
  await deleteReport(store.db, old);
  await reportTransaction(store.db, kept, async (change) => {
    await dateCommonIssues(change);
    const removed = await second.db.transaction().execute(async (trx) => {
      await sql`SET LOCAL lock_timeout = '5s'`.execute(trx);
      return pruneFirstSightings(trx, siteId);
    });
    assert.equal(removed, 1);
  });
  assert.deepEqual(await remembered(site, ['returns', 'early']), ['returns']);
  assert.deepEqual(await datesOf(kept), { returns: day(1) });
});

test('a report whose issue types are being removed is dated when that has ended', async () => {
  const site = newSite();
  const old = await datedReport(site, 1, ['returns']);
  const kept = await report(site, 2, ['returns']);
  const siteId = await siteIdOf(kept);
  await deleteReport(store.db, old);
  const dating = await second.db.transaction().execute(async (trx) => {
    assert.equal(await pruneFirstSightings(trx, siteId), 1);
    const started = reportTransaction(store.db, kept, dateCommonIssues);
    started.catch(() => undefined);
    await waitingForLocks(store.db, 1);
    return { started };
  });
  await dating.started;
  assert.deepEqual(await remembered(site, ['returns']), ['returns']);
  assert.deepEqual(await datesOf(kept), { returns: day(2) });
  await purge();
  await reportTransaction(store.db, kept, dateCommonIssues);
  assert.deepEqual(await datesOf(kept), { returns: day(2) });
});

test('dates never change while reports are dated, deleted and purged at the same time', async () => {
  const site = newSite();
  const random = randomFrom(TEST_SEED);
  const kinds = Array.from({ length: 12 }, (_, number) => `kind ${number}`);
  const dated = new Map<string, Record<string, Date | null>>();
  let isDone = false;
  const purging = [store.db, second.db].map(async (db) => {
    for (; !isDone; await delay(5)) await purgeBatch(db);
  });
  const again = (async () => {
    for (; !isDone; await delay(5)) {
      for (const id of dated.keys()) await reportTransaction(second.db, id, dateCommonIssues);
    }
  })();
  for (let number = 1; number <= 30; number += 1) {
    const id = await datedReport(
      site,
      number,
      kinds.filter(() => random() < 0.2),
    );
    dated.set(id, await datesOf(id));
    const [oldest] = dated.keys();
    if (dated.size <= 4 || oldest === undefined) continue;
    // Mostly the oldest, as retention does.
    const deleted = random() < 0.7 ? oldest : ([...dated.keys()][2] ?? oldest);
    dated.delete(deleted);
    await deleteReport(store.db, deleted);
  }
  isDone = true;
  await Promise.all([...purging, again]);
  await purge();
  const has = new Set<string>();
  for (const [id, dates] of dated) {
    await reportTransaction(store.db, id, dateCommonIssues);
    assert.deepEqual(await datesOf(id), dates, `seed ${TEST_SEED}`);
    for (const kind of Object.keys(dates)) has.add(kind);
  }
  const known = await remembered(site, kinds);
  assert.deepEqual(
    [...has].filter((kind) => !known.includes(kind)),
    [],
    `seed ${TEST_SEED}`,
  );
});

test('mutings that ended before the earliest report are forgotten, and later ones are not', async () => {
  const site = newSite();
  const first = await report(site, 1, ['a']);
  await report(site, 5, ['a']);
  const { site_id: siteId } = await store.db
    .selectFrom('reports')
    .select('site_id')
    .where('id', '=', first)
    .executeTakeFirstOrThrow();
  const ended = [2, 6].map((on) => ({ site_id: siteId, muting_id: on, added_at: day(1), ended_at: day(on) }));
  await store.db.insertInto('ended_mutings').values(ended).execute();
  await deleteReport(store.db, first);
  while (await purgeBatch(store.db));
  const left = await store.db.selectFrom('ended_mutings').select('muting_id').where('site_id', '=', siteId).execute();
  assert.deepEqual(left, [{ muting_id: 6 }]);
});
