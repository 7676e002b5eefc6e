import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { claimChecks } from '../../src/queue/claims.ts';
import { createMuting } from '../../src/reports/apply-mutings.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { findWebPage } from '../../src/store/pages/web-pages.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore, reportOf } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { identified } from '../helpers/identities.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { refetch, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { until } from '../helpers/until.ts';

/** The kinds of checks of the reports here. */
const CHECK_KINDS = ['html', 'a11y'] as const;

/** Results that the database rejects: passing errors are waited out, lasting ones fail only the check. */

const store = await openTestStore();
afterEach(async () => {
  await sql`DROP FUNCTION IF EXISTS fail CASCADE`.execute(store.db);
  await store.db.deleteFrom('checks').execute();
});
after(() => store.close());

/** Makes saving accessibility results fail with an SQLSTATE, for all pages or one. */
async function refuseResults(state: string, webPageId?: number): Promise<void> {
  const ofPage = webPageId === undefined ? '' : `AND new.web_page_id = ${webPageId}`;
  await sql
    .raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'Not now' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER fail BEFORE UPDATE OF status ON checks FOR EACH ROW
        WHEN (new.kind = 'a11y' AND new.status = 'checked' ${ofPage}) EXECUTE FUNCTION fail()`)
    .execute(store.db);
}

/** What is logged, one line each. */
function logLines() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }) };
}

const MUTED = identified({
  type: 'error',
  subType: null,
  message: 'Muted',
  ruleId: null,
  helpUrl: null,
  impact: null,
  tags: [],
  url: 'http://site.test/0',
  howMany: 3,
  occurrences: [{ html: '<b>' }],
});

const unsaved = /^The result of the check could not be saved because of an error in this service; see its log$/;

test('a result is saved when the disk has space again, and its check does not run twice', async (t) => {
  await refuseResults('53100');
  const { reportId } = await reportWithPages(store);
  const checked: string[] = [];
  const { lines, log } = logLines();
  await startPlayedChecking(t, store, async ({ document }) => void checked.push(document.url), { log });
  await until(() => lines.filter((line) => line.includes('Could not save a check')).length >= 12);
  await sql`DROP FUNCTION fail CASCADE`.execute(store.db);
  assert.deepEqual(await a11yErrorsOf(store, reportId), [null]);
  assert.equal(checked.length, 4, 'each was checked once');
  await assertCountsAddUp(store.db, reportId);
});

test('a result that the database rejects fails its check, and no other of its batch', async (t) => {
  const { reportId, pageIds } = await reportWithPages(store);
  const [refused = 0] = pageIds;
  await refuseResults('23514', refused);
  const { lines, log } = logLines();
  await startPlayedChecking(t, store, async () => undefined, { log });
  const errors = await a11yErrorsOf(store, reportId);
  assert.deepEqual(errors.filter((error) => error === null).length, 1);
  assert.match(errors.find((error) => error !== null) ?? '', unsaved);
  const failed = store.db.selectFrom('checks').select('web_page_id').where('status', '=', 'failed');
  assert.deepEqual(await failed.execute(), [{ web_page_id: refused }]);
  assert.ok(lines.some((line) => line.includes('Could not save a check') && line.includes('"level":50')));
  await assertCountsAddUp(store.db, reportId);
});

test('counts of mutings are right when the result of a re-check is rejected', async (t) => {
  const { reportId, pageIds } = await reportWithPages(store);
  const [rechecked = 0, other = 0] = pageIds;
  const muting = {
    account_id: store.accountId,
    url_match: 'site.test',
    message: 'Muted',
    comment: '',
    expires_at: null,
  };
  const mutingId = await createMuting(store.db, muting);
  const silenced = async () => {
    const row = store.db.selectFrom('report_mutings').select('how_many').where('muting_id', '=', mutingId);
    return (await row.executeTakeFirst())?.how_many;
  };
  const issues = [packIssue(MUTED)];
  for (const kind of CHECK_KINDS) {
    const claimed = await claimChecks(store.db, kind, WORKER, 4);
    const onTwo = claimed.map((check) => ({
      ...check,
      outcome: { issues: [rechecked, other].includes(check.webPageId) ? issues : [] },
    }));
    await saveCheckResults(store.db, reportId, kind, onTwo);
  }
  assert.equal(await silenced(), 12);
  await recheckPage(store.db, reportId, rechecked);
  await refetch(store, reportId, 1);
  await refuseResults('23514', rechecked);
  await startPlayedChecking(t, store, async () => undefined);
  const errors = await a11yErrorsOf(store, reportId);
  assert.match(errors.find((error) => error !== null) ?? '', unsaved);
  assert.equal(await silenced(), 9);
  await assertCountsAddUp(store.db, reportId);
});

test('the next re-check is compared with the result before the rejected one', async (t) => {
  const { reportId, pageIds } = await reportWithPages(store);
  const [page = 0] = pageIds;
  const identity = {
    kind: '01'.repeat(16),
    occurrences: Buffer.alloc(48, 1),
    clusters: Buffer.alloc(24),
    traces: Buffer.alloc(24),
  };
  const claimed = await claimChecks(store.db, 'a11y', WORKER, 4);
  const outcome = { issues: [packIssue({ ...MUTED, message: 'Kept', identity })] };
  await saveCheckResults(
    store.db,
    reportId,
    'a11y',
    claimed.map((check) => ({ ...check, outcome: check.webPageId === page ? outcome : { issues: [] } })),
  );
  const recheck = async (number: number) => {
    await recheckPage(store.db, reportId, page);
    await refetch(store, reportId, number);
    await a11yErrorsOf(store, reportId);
    return (await findWebPage(store.db, reportId, page))?.checks['a11y'];
  };
  await refuseResults('23514', page);
  await startPlayedChecking(t, store, async () => undefined);
  const rejected = await recheck(1);
  assert.deepEqual([rejected?.status, rejected?.recheck], ['failed', null]);
  await sql`DROP FUNCTION fail CASCADE`.execute(store.db);
  const { fixed, still } = (await recheck(3))?.recheck ?? {};
  assert.deepEqual([fixed, still], [3, 0]);
});

test('a report with wrong counts ends with right ones', async (t) => {
  const { reportId } = await reportWithPages(store);
  await store.db.deleteFrom('checks').where('kind', '=', 'html').execute();
  await store.db.updateTable('report_checks').set({ pending: 0 }).where('report_id', '=', reportId).execute();
  await startPlayedChecking(t, store, async () => undefined);
  const errors = await a11yErrorsOf(store, reportId);
  assert.match(errors.find((error) => error !== null) ?? '', unsaved);
  assert.equal((await reportOf(store, reportId)).status, 'finished');
  await assertCountsAddUp(store.db, reportId);
});

test('an unexpected error fails only its check', async (t) => {
  const { reportId } = await reportWithPages(store);
  const open: typeof credentialStore.open = () => {
    throw new TypeError('No one knows why');
  };
  await startPlayedChecking(t, store, async () => undefined, { credentialStore: { ...credentialStore, open } });
  const [error] = await a11yErrorsOf(store, reportId);
  assert.match(error ?? '', /^The check was interrupted by an error in this service; see its log/);
});

test('results are not refused while the same process saves pages of the report', async () => {
  const { reportId } = await reportWithPages(store);
  const [check] = await claimChecks(store.db, 'html', WORKER, 1);
  assert.ok(check);
  const [isChanging, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const change = async (): Promise<void> => {
    isChanging.resolve();
    await mayEnd.promise;
  };
  const pages = reportTransaction(store.db, reportId, change, { queued: true });
  await isChanging.promise;
  const { webPageId, claimId } = check;
  const result = { webPageId, claimId, outcome: { issues: [] } };
  const results = saveCheckResults(store.db, reportId, 'html', [result], { waits: false });
  // Long enough for the results to be refused.
  await sql`SELECT pg_sleep(0.1)`.execute(store.db);
  mayEnd.resolve();
  await Promise.all([pages, results]);
  assert.equal((await findWebPage(store.db, reportId, webPageId))?.checks['html']?.status, 'checked');
});
