import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { CheckKind } from '../../src/domain/check.ts';
import { type Failure, sentenceOf } from '../../src/domain/failures/failure.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { startPurging } from '../../src/reports/retention.ts';
import { type IdentifiedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import type { CheckResult } from '../../src/store/pages/check-outcome.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { saying } from '../helpers/failures.ts';
import { foundIssue, refetch, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';
import { rowCounts } from '../helpers/row-counts.ts';
import { until } from '../helpers/until.ts';

/** The kinds of checks of the reports here. */
const CHECK_KINDS = ['html', 'a11y'] as const;

const store = await openTestStore();
after(() => store.close());

type Step =
  | { readonly do: 'save'; readonly kind: CheckKind; readonly issues: IdentifiedIssue[]; readonly fails: boolean }
  | { readonly do: 'save twice'; readonly kind: CheckKind; readonly issues: IdentifiedIssue[] }
  | { readonly do: 'recheck'; readonly page: number }
  | { readonly do: 'delete'; readonly page: number };

const kind = fc.constantFrom(...CHECK_KINDS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      kind,
      issues: fc.array(foundIssue, { maxLength: 4 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('save twice' as const),
      kind,
      issues: fc.array(foundIssue, { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recheck' as const), page: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), page: fc.nat(3) }) },
);

async function claimed(
  kindOfCheck: CheckKind,
): Promise<{ webPageId: number; claimId: number; reportId: string } | undefined> {
  const [check] = await claimChecks(store.db, kindOfCheck, WORKER, 1);
  return check;
}

async function perform(action: Step, reportId: string, pageIds: readonly number[], count: number): Promise<void> {
  if (action.do === 'delete' || action.do === 'recheck') {
    const page = pageIds[action.page] ?? 0;
    if (action.do === 'delete') return deletePage(store.db, reportId, page);
    await recheckPage(store.db, reportId, page);
    await assertCountsAddUp(store.db, reportId);
    return refetch(store, reportId, count);
  }
  const check = await claimed(action.kind);
  if (check === undefined) return;
  const fails = action.do === 'save' && action.fails;
  const raw = { raw: Buffer.from(String(count)), omitted: count };
  const found = { issues: action.issues.map(packIssue), ...(action.kind === 'html' ? { raw } : {}) };
  const outcome: CheckResult['outcome'] = fails ? { error: saying('It hangs') } : found;
  const result = { webPageId: check.webPageId, claimId: check.claimId, outcome };
  await saveCheckResults(store.db, check.reportId, action.kind, [result]);
  if (action.do === 'save twice') await saveCheckResults(store.db, check.reportId, action.kind, [result]);
}

test('counts add up after every step, and nothing is left after the report is deleted', async () => {
  const empty = await rowCounts(store.db);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const { reportId, pageIds } = await reportWithPages(store);
      for (const [count, action] of steps.entries()) {
        await perform(action, reportId, pageIds, count);
        await assertCountsAddUp(store.db, reportId);
        await assertRawChecksFollow(reportId);
      }
      await deleteReport(store.db, reportId);
      await purged(reportId);
    }),
    { numRuns: 7 },
  );
  assert.deepEqual(await rowCounts(store.db), empty);
});

/** A successful check has a raw check, a failed one has none, and a pending one may have the earlier one. */
async function assertRawChecksFollow(reportId: string): Promise<void> {
  const wrong = await store.db
    .selectFrom('checks as c')
    .leftJoin('raw_checks as r', (join) =>
      join.onRef('r.web_page_id', '=', 'c.web_page_id').onRef('r.kind', '=', 'c.kind'),
    )
    .select(['c.web_page_id', 'c.kind', 'c.status', 'r.id'])
    .where('c.report_id', '=', reportId)
    .where(sql<boolean>`c.status <> 'pending' AND (r.id IS NOT NULL) <> (c.kind = 'html' AND c.status = 'checked')`)
    .execute();
  assert.deepEqual(wrong, []);
}

async function purged(reportId: string): Promise<void> {
  const worker = await joinWorkers(store.connectionString, store.db, pino({ level: 'silent' }));
  const log = pino({ level: 'silent' });
  const purging = startPurging({ db: store.db, worker, log });
  await until(
    async () => (await store.db.selectFrom('reports').select('id').where('id', '=', reportId).execute()).length === 0,
  );
  await purging.stop();
  await worker.close();
}

test('counts add up at every moment during concurrent results, re-checks and deletions', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const samples = fc.sample(foundIssue, { numRuns: 20, seed: 42 });
  let isDone = false;
  const watch = (async () => {
    let looks = 0;
    for (; !isDone; looks += 1) await assertCountsAddUp(store.db, reportId);
    return looks;
  })();
  const checker = async (kindOfCheck: CheckKind) => {
    for (let round = 0; round < 8; round += 1) {
      const checks = await claimChecks(store.db, kindOfCheck, WORKER, 2);
      const results = checks.map(({ webPageId, claimId }) => ({
        webPageId,
        claimId,
        outcome: { issues: samples.slice(round, round + 5).map(packIssue) },
      }));
      await saveCheckResults(store.db, reportId, kindOfCheck, results);
    }
  };
  const person = async () => {
    for (let round = 0; round < 8; round += 1) {
      const page = pageIds[round % 3] ?? 0;
      await recheckPage(store.db, reportId, page);
      await refetch(store, reportId, 1);
    }
    await deletePage(store.db, reportId, pageIds[3] ?? 0);
  };
  await Promise.all([checker('html'), checker('a11y'), checker('html'), person()]);
  isDone = true;
  assert((await watch) > 0);
  await assertCountsAddUp(store.db, reportId);
});

test('the reason of a failed check is stored in a thousand characters, regardless of its quotes', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const error: Failure = { code: 'leads_on', params: { url: `http://127.0.0.1/${'a'.repeat(1_900_000)} \0` } };
  for (const kind of CHECK_KINDS) {
    const checks = (await claimChecks(store.db, kind, WORKER, 1_000)).filter((check) => check.reportId === reportId);
    const results = checks.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { error } }));
    await saveCheckResults(store.db, reportId, kind, results);
  }
  const failed = await store.db
    .selectFrom('checks')
    .select('error')
    .where('report_id', '=', reportId)
    .where('status', '=', 'failed')
    .execute();
  assert.equal(failed.length, CHECK_KINDS.length * pageIds.length);
  for (const { error: stored } of failed) {
    const told = stored === null ? '' : sentenceOf(stored);
    assert.ok(told.length <= 1_000);
    assert.match(told, /^The page redirects to http:.*a…a.* \uFFFD before a browser .*\.$/);
  }
});

test('a re-check keeps the ids of common issues that are not checked before', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const [first, second] = fc
    .sample(foundIssue, { numRuns: 2, seed: 7 })
    .map((found, index) => ({ ...found, message: `Kind ${index}` }));
  assert(first !== undefined && second !== undefined);
  const save = async (issues: IdentifiedIssue[]) => {
    const checks = await claimChecks(store.db, 'html', WORKER, 10);
    const results = checks
      .filter((check) => check.reportId === reportId)
      .map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { issues: issues.map(packIssue) } }));
    await saveCheckResults(store.db, reportId, 'html', results);
  };
  const common = () =>
    store.db
      .selectFrom('common_issues')
      .select(['id', 'message', 'num_web_pages'])
      .where('report_id', '=', reportId)
      .orderBy('message')
      .execute();
  await save([first, second]);
  const before = await common();
  await recheckPage(store.db, reportId, pageIds[0] ?? 0);
  await refetch(store, reportId, 1);
  await save([first]);
  const now = await common();
  assert.deepEqual(
    now.map((row) => row.id),
    before.map((row) => row.id),
  );
  assert.deepEqual(
    now.map((row) => row.num_web_pages),
    [4, 3],
  );
});
