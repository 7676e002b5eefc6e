import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/accounts.ts';
import { changeCredits } from '../../src/accounts/credits.ts';
import { CHECK_KINDS, type CheckKind, type FoundIssue } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { AppError } from '../../src/platform/errors.ts';
import {
  type ClaimedCheck,
  claimChecks,
  claimCrawl,
  freeWorkOfDeadWorkers,
  releaseCheck,
} from '../../src/queue/claims.ts';
import { deletePage } from '../../src/reports/delete-page.ts';
import { deleteReport } from '../../src/reports/delete-report.ts';
import { recheckPage } from '../../src/reports/recheck-page.ts';
import { refetchPages } from '../../src/reports/refetch-pages.ts';
import { saveCheckResults } from '../../src/store/check-results.ts';
import { endCrawl, type NewPage, saveCrawlProgress } from '../../src/store/crawl-progress.ts';
import { packDocument } from '../../src/store/documents.ts';
import {
  acceptInvitation,
  insertGuestAccount,
  markGuestAccountDeleted,
  updateGuestAccount,
} from '../../src/store/guest-accounts.ts';
import { findRawCheck, packRawCheck } from '../../src/store/raw-checks.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { until } from '../helpers/until.ts';

let store: TestStore;
const WORKER = 1_000_000;
const GUEST_TOKEN = 'G0000000AB';

before(async () => {
  store = await openTestStore();
});
after(() => store.close());
// What one test leaves to be crawled or checked is no work for the next.
afterEach(() => store.db.deleteFrom('reports').execute());

const ISSUE: FoundIssue = {
  type: 'error',
  subType: null,
  message: 'One',
  ruleId: null,
  helpUrl: null,
  impact: null,
  tags: [],
  url: 'http://site.test/0',
  howMany: 1,
  occurrences: [],
};

let people = 0;
async function person(credits: number | null): Promise<string> {
  people += 1;
  return (await createAccount(store.db, { email: `person-${people}@example.com`, credits })).id;
}

async function balance(accountId: string): Promise<number | null> {
  const row = await store.db
    .selectFrom('accounts')
    .select('credits')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.credits;
}

/** A report that this test crawls itself, both checks on. */
async function crawl(accountId: string, storesRaw = false): Promise<CrawlClaim> {
  const reportId = await newReport(store, 'http://site.test/', {
    accountId,
    performA11yChecks: true,
    storeRawChecks: storesRaw ? ['html'] : [],
  });
  const claim = await claimCrawl(store.db, WORKER);
  assert.equal(claim?.reportId, reportId);
  return claim;
}

async function findPages(claim: CrawlClaim, urls: readonly string[]): Promise<void> {
  const pages = await Promise.all(
    urls.map(async (url, index): Promise<NewPage> => {
      const body = Buffer.from('<!DOCTYPE html><title>All the same</title>');
      const document = { url, httpStatus: 200, contentType: 'text/html', headers: [], body };
      const content = { document, stored: await packDocument(body), title: null };
      return { url, linkedFrom: null, turn: index + 1, content };
    }),
  );
  await store.db.transaction().execute((trx) => saveCrawlProgress(trx, claim, { pages, discovered: [] }));
}

const urls = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `http://site.test/${from + index}`);

async function pageIds(reportId: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom('web_pages')
    .select('id')
    .where('report_id', '=', reportId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

async function refetch(claim: CrawlClaim, isGone: boolean): Promise<void> {
  const answer = async (url: string) =>
    isGone
      ? ({ kind: 'error', httpStatus: 404, contentType: '', headers: [], message: 'The page answered 404' } as const)
      : ({
          kind: 'document',
          document: { url, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.from('<p>New') },
        } as const);
  await refetchPages(store.db, claim, answer, new AbortController().signal);
}

async function runChecks(kind: CheckKind, limit = 100): Promise<ClaimedCheck[]> {
  const checks = await claimChecks(store.db, kind, WORKER, limit);
  for (const { reportId, webPageId, claimId } of checks) {
    await saveCheckResults(store.db, reportId, kind, [{ webPageId, claimId, outcome: { issues: [ISSUE] } }]);
  }
  return checks;
}

function reportRow(reportId: string) {
  return store.db.selectFrom('reports').selectAll().where('id', '=', reportId).executeTakeFirstOrThrow();
}

async function statuses(reportId: string): Promise<Record<string, number>> {
  const checks = await store.db.selectFrom('checks').select(['status']).where('report_id', '=', reportId).execute();
  return Object.fromEntries(
    Object.entries(Object.groupBy(checks, (check) => check.status)).map(([status, rows]) => [status, rows.length]),
  );
}

const isExhausted = (error: unknown): boolean => error instanceof AppError && error.code === 'credits_exhausted';

test('credits that run out stop the rest of a report, and nothing found is lost', async () => {
  const accountId = await person(7);
  const claim = await crawl(accountId);
  const { reportId } = claim;
  await findPages(claim, urls(3));
  assert.equal(await balance(accountId), 1);
  await findPages(claim, urls(2, 3));
  assert.deepEqual(await statuses(reportId), { pending: 7, failed: 3 });
  await endCrawl(store.db, claim);
  for (const kind of CHECK_KINDS) await runChecks(kind);
  assert.deepEqual(await statuses(reportId), { checked: 7, failed: 3 });
  const report = await reportRow(reportId);
  assert.equal(report.status, 'finished');
  assert.match(report.crawl_error ?? '', /credits ran out/);
  const failed = await store.db.selectFrom('checks').select('error').where('status', '=', 'failed').execute();
  for (const { error } of failed) assert.match(error ?? '', /^No credits left/);
  await assertLedgerAddsUp(store.db);

  // Again, as soon as there are new ones.
  const ids = await pageIds(reportId);
  await assert.rejects(recheckPage(store.db, reportId, ids[4] ?? 0), isExhausted);
  await changeCredits(store.db, accountId, { add: 3 });
  await recheckPage(store.db, reportId, ids[4] ?? 0);
  assert.notEqual((await reportRow(reportId)).crawl_error, null);
  await assert.rejects(recheckPage(store.db, reportId, ids[3] ?? 0), isExhausted, 'one is left, two are needed');
  assert.deepEqual(await statuses(reportId), { checked: 7, pending: 2, failed: 1 });
  await changeCredits(store.db, accountId, { set: 2 });
  await recheckPage(store.db, reportId, ids[3] ?? 0);
  assert.equal((await reportRow(reportId)).crawl_error, null);
  await assertLedgerAddsUp(store.db);
});

test('a page that answers an error costs nothing', async () => {
  const accountId = await person(1);
  const claim = await crawl(accountId);
  const content = { httpStatus: 404, contentType: '', message: 'The page answered 404' };
  const pages = urls(3).map((url, index) => ({ url, linkedFrom: null, turn: index + 1, content }));
  await store.db.transaction().execute((trx) => saveCrawlProgress(trx, claim, { pages, discovered: [] }));
  assert.equal(await balance(accountId), 1);
  assert.deepEqual(await statuses(claim.reportId), { failed: 6 });
  assert.equal((await reportRow(claim.reportId)).crawl_error, null);
});

test('what never ran is given back: a page that is gone, a page or a report deleted before', async () => {
  const accountId = await person(20);
  const claim = await crawl(accountId);
  const { reportId } = claim;
  await findPages(claim, urls(4));
  assert.equal(await balance(accountId), 12);
  const [first = 0, second = 0, third = 0] = await pageIds(reportId);

  await recheckPage(store.db, reportId, first);
  assert.equal(await balance(accountId), 12, 'what waits anyway is paid for already');
  await refetch(claim, true);
  assert.equal(await balance(accountId), 14);
  await deletePage(store.db, reportId, second);
  assert.equal(await balance(accountId), 16);

  const [begun] = await claimChecks(store.db, 'html', WORKER, 1);
  assert.equal(begun?.webPageId, third);
  await recheckPage(store.db, reportId, third);
  assert.equal(await balance(accountId), 15, 'one had begun and runs twice');
  await refetch(claim, false);
  await runChecks('html', 1);
  const [released] = await claimChecks(store.db, 'a11y', WORKER, 1);
  assert.ok(released);
  await releaseCheck(store.db, 'a11y', released, false);
  await deleteReport(store.db, reportId);
  assert.equal(await balance(accountId), 18, 'spent on the two runs of the third page');
  await deleteReport(store.db, reportId);
  assert.equal(await balance(accountId), 18);
  await assertLedgerAddsUp(store.db);
});

test('a check that is delivered again, or whose worker was killed, is charged once', async () => {
  const accountId = await person(10);
  const claim = await crawl(accountId);
  await findPages(claim, urls(1));
  const [killed] = await claimChecks(store.db, 'html', WORKER, 1);
  await store.db.updateTable('checks').set({ claimed_by: null, claim_id: null }).execute();
  const [again] = await runChecks('html');
  assert.equal(again?.webPageId, killed?.webPageId);
  const late = { webPageId: killed?.webPageId ?? 0, claimId: killed?.claimId ?? 0, outcome: { issues: [] } };
  await saveCheckResults(store.db, claim.reportId, 'html', [late]);
  assert.equal(await balance(accountId), 8);
  await deleteReport(store.db, claim.reportId);
  assert.equal(await balance(accountId), 9);
});

test('each raw check that is stored costs one more, and is not stored without', async () => {
  const accountId = await person(7);
  const claim = await crawl(accountId, true);
  const { reportId } = claim;
  await findPages(claim, urls(3));
  const raw = await packRawCheck({ json: '{}', omitted: 0 });
  const checks = await claimChecks(store.db, 'html', WORKER, 10);
  const results = checks.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { issues: [ISSUE], raw } }));
  await saveCheckResults(store.db, reportId, 'html', results);
  const stored = await store.db.selectFrom('raw_checks').select('web_page_id').execute();
  assert.equal(stored.length, 1);
  assert.equal(await balance(accountId), 0);
  assert.match((await reportRow(reportId)).crawl_error ?? '', /credits ran out/);
  await assertLedgerAddsUp(store.db);
  await deleteReport(store.db, reportId);
});

test('a re-check has credits for its raw checks, or changes nothing; a raw check that stood is not lost', async () => {
  const accountId = await person(5);
  const claim = await crawl(accountId, true);
  const { reportId } = claim;
  await findPages(claim, urls(2));
  await runChecks('a11y');
  const saveRaw = async (json: string) => {
    const raw = await packRawCheck({ json, omitted: 0 });
    for (const { webPageId, claimId } of await claimChecks(store.db, 'html', WORKER, 10)) {
      await saveCheckResults(store.db, reportId, 'html', [{ webPageId, claimId, outcome: { issues: [], raw } }]);
    }
  };
  const crawlError = async () => (await reportRow(reportId)).crawl_error;
  await saveRaw('{"run":1}');
  const [first = 0, second = 0] = await pageIds(reportId);
  const kept = await Promise.all([first, second].map((id) => findRawCheck(store.db, id, 'html')));
  assert.deepEqual([kept[0]?.raw, kept[1]], [{ run: 1 }, undefined]);
  assert.match((await crawlError()) ?? '', /credits ran out/);

  // Two checks and a raw check.
  await changeCredits(store.db, accountId, { set: 2 });
  await assert.rejects(recheckPage(store.db, reportId, first), isExhausted);
  assert.deepEqual([await balance(accountId), await statuses(reportId)], [2, { checked: 4 }]);
  await changeCredits(store.db, accountId, { set: 3 });
  await recheckPage(store.db, reportId, first);
  assert.notEqual(await crawlError(), null, 'the raw check of the second page is missing still');
  assert.equal(await balance(accountId), 1);
  await changeCredits(store.db, accountId, { set: 0 });
  await refetch(claim, false);
  await runChecks('a11y');
  await saveRaw('{"run":2}');
  assert.deepEqual((await findRawCheck(store.db, first, 'html'))?.raw, { run: 2 }, 'others spent its credit');

  await changeCredits(store.db, accountId, { set: 3 });
  await recheckPage(store.db, reportId, second);
  assert.equal(await crawlError(), null);
  await refetch(claim, false);
  await saveRaw('{"run":3}');
  assert.deepEqual((await findRawCheck(store.db, second, 'html'))?.raw, { run: 3 });
  assert.deepEqual([await crawlError(), await balance(accountId)], [null, 0]);
  await assertLedgerAddsUp(store.db);
});

test('a host whose sharing ends while a guest is about to spend pays no more', async () => {
  const [hostId, guestId] = [await person(10), await person(10)];
  const id = 'G00000000C';
  await insertGuestAccount(store.db, { id, hostId, invitationSecret: id, maxUsage: 10 });
  await acceptInvitation(store.db, id, guestId);
  const claim = await crawl(guestId);
  const found = await store.db.transaction().execute(async (trx) => {
    await markGuestAccountDeleted(trx, id);
    const finding = findPages(claim, urls(1));
    await until(async () => {
      const { rows } = await sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.db);
      return rows.length > 0;
    });
    return { finding };
  });
  await found.finding;
  assert.deepEqual([await balance(hostId), await balance(guestId)], [10, 8]);
  await assertLedgerAddsUp(store.db);
});

test('the work of dead workers is freed without waiting for what others hold', async () => {
  const claim = await crawl(await person(null));
  await findPages(claim, urls(3));
  const [held] = await claimChecks(store.db, 'html', WORKER, 10);
  const claimed = async () =>
    (await store.db.selectFrom('checks').select('web_page_id').where('claimed_by', 'is not', null).execute()).length;
  const crawls = async () => (await reportRow(claim.reportId)).crawled_by;
  assert.deepEqual([await claimed(), await crawls()], [3, WORKER]);
  await store.db.transaction().execute(async (trx) => {
    const mine = trx
      .selectFrom('checks')
      .select('kind')
      .where('web_page_id', '=', held?.webPageId ?? 0);
    await mine.where('kind', '=', 'html').forUpdate().execute();
    await trx.selectFrom('reports').select('id').where('id', '=', claim.reportId).forNoKeyUpdate().execute();
    // Instead of waiting for ever.
    await store.db.transaction().execute(async (other) => {
      await sql`SET LOCAL lock_timeout = '5s'`.execute(other);
      await freeWorkOfDeadWorkers(other);
    });
    assert.deepEqual([await claimed(), await crawls()], [1, WORKER]);
  });
  await freeWorkOfDeadWorkers(store.db);
  assert.deepEqual([await claimed(), await crawls()], [0, null]);
});

test('unlimited credits are not counted, those of its guests are; the end of the sharing changes who pays', async () => {
  const [hostId, guestId] = [await person(null), await person(5)];
  const id = 'G00000000A';
  await insertGuestAccount(store.db, { id, hostId, invitationSecret: id, maxUsage: 6 });
  await acceptInvitation(store.db, id, guestId);
  const usage = async () =>
    (await store.db.selectFrom('guest_accounts').select('usage').where('id', '=', id).executeTakeFirstOrThrow()).usage;
  const claim = await crawl(guestId);
  await findPages(claim, urls(2));
  assert.deepEqual([await usage(), await balance(hostId), await balance(guestId)], [4, null, 5]);
  await findPages(claim, urls(2, 2));
  assert.equal(await usage(), 6);
  assert.match((await reportRow(claim.reportId)).crawl_error ?? '', /^The guest's credits of this month ran out/);
  await assert.rejects(crawl(guestId), isExhausted);
  await store.db
    .updateTable('guest_accounts')
    .set({ usage_month: sql<Date>`usage_month - interval '1 month'` })
    .execute();
  const next = await crawl(guestId);
  await findPages(next, urls(1));
  assert.equal(await usage(), 2, 'a new month');
  await deleteReport(store.db, next.reportId);
  assert.equal(await usage(), 0);
  const kept = await crawl(guestId);
  await findPages(kept, urls(1));
  await store.db.updateTable('guest_accounts').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  await findPages(kept, urls(1, 1));
  assert.equal(await balance(guestId), 3, 'on its own');
  await deleteReport(store.db, kept.reportId);
  assert.equal(await balance(guestId), 5, 'to each what it paid');
  await deleteReport(store.db, claim.reportId);
  await assertLedgerAddsUp(store.db);
  const entries = await store.db.selectFrom('credit_entries').select('id').where('account_id', '=', hostId).execute();
  assert.equal(entries.length, 0);
});

test('many reports at once spend exactly what there is', async () => {
  const accountId = await person(25);
  const claims: CrawlClaim[] = [];
  for (let count = 0; count < 6; count += 1) claims.push(await crawl(accountId));
  await Promise.all(
    claims.map(async (claim) => {
      for (let page = 0; page < 5; page += 1) await findPages(claim, urls(1, page));
    }),
  );
  assert.equal(await balance(accountId), 0);
  const workers = await Promise.all([...CHECK_KINDS, ...CHECK_KINDS].map((kind) => runChecks(kind)));
  assert.equal(workers.flat().length, 25);
  await assertLedgerAddsUp(store.db);
  for (const { reportId } of claims) await deleteReport(store.db, reportId);
  assert.equal(await balance(accountId), 0);
});

const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('find' as const), pages: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('check' as const),
      kind: fc.constantFrom(...CHECK_KINDS),
      end: fc.constantFrom('checked', 'failed', 'killed', 'released'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('recheck' as const), page: fc.nat(5), isGone: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete page' as const), page: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete report' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 9 }) }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** What happened to the credits of one host and its guest, counted beside the ledger. */
interface Tally {
  readonly hostId: string;
  granted: number;
  /** Checks that were begun for a credit of their own. */
  runs: number;
  guestRuns: number;
  readonly guestReports: Set<string>;
}

/** @returns false when a deletion or a re-check came while the check was claimed, so that it counts as run */
function release(kind: CheckKind, check: ClaimedCheck): Promise<boolean> {
  return store.db.transaction().execute(async (trx) => {
    const report = await trx
      .selectFrom('reports')
      .select('deleted_at')
      .where('id', '=', check.reportId)
      .forShare()
      .executeTakeFirst();
    if (report?.deleted_at !== null) return false;
    const held = await trx
      .selectFrom('checks')
      .select('claim_id')
      .where('web_page_id', '=', check.webPageId)
      .where('kind', '=', kind)
      .where('claim_id', '=', check.claimId)
      .forUpdate()
      .execute();
    await releaseCheck(trx, kind, check, false);
    return held.length > 0;
  });
}

async function checkOne(kind: CheckKind, end: string, tally: Tally): Promise<void> {
  const [check] = await claimChecks(store.db, kind, WORKER, 1);
  if (check === undefined) return;
  const { reportId, webPageId, claimId } = check;
  if (end === 'released' && (await release(kind, check))) return;
  if (check.attempts === 1) {
    tally.runs += 1;
    if (tally.guestReports.has(reportId)) tally.guestRuns += 1;
  }
  if (end === 'released') return;
  if (end === 'killed') {
    await store.db
      .updateTable('checks')
      .set({ claimed_by: null, claim_id: null })
      .where('web_page_id', '=', webPageId)
      .where('kind', '=', kind)
      .where('claim_id', '=', claimId)
      .execute();
    return;
  }
  const outcome = end === 'failed' ? { error: 'It hangs' } : { issues: [ISSUE] };
  await saveCheckResults(store.db, reportId, kind, [{ webPageId, claimId, outcome }]);
}

async function perform(step: Action, claim: CrawlClaim, found: { count: number }, tally: Tally): Promise<void> {
  const page = async (index: number) => (await pageIds(claim.reportId))[index] ?? 0;
  switch (step.do) {
    case 'find':
      await findPages(claim, urls(step.pages, found.count));
      found.count += step.pages;
      return;
    case 'check':
      return checkOne(step.kind, step.end, tally);
    case 'recheck':
      try {
        await recheckPage(store.db, claim.reportId, await page(step.page));
      } catch (error) {
        if (!isExhausted(error)) throw error;
      }
      return refetch(claim, step.isGone);
    case 'delete page':
      return deletePage(store.db, claim.reportId, await page(step.page));
    case 'delete report':
      return deleteReport(store.db, claim.reportId);
    case 'grant':
      tally.granted += step.credits;
      await changeCredits(store.db, tally.hostId, { add: step.credits });
  }
}

test('the ledger adds up and every credit is a check, whatever comes together', async () => {
  const hostId = await person(0);
  const guestId = await person(0);
  await insertGuestAccount(store.db, { id: GUEST_TOKEN, hostId, invitationSecret: GUEST_TOKEN, maxUsage: 10 });
  await acceptInvitation(store.db, GUEST_TOKEN, guestId);
  const lane = fc.array(action, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.tuple(lane, lane, lane), fc.nat(30), async (lanes, credits) => {
      await changeCredits(store.db, hostId, { set: credits + 1 });
      await updateGuestAccount(store.db, GUEST_TOKEN, { currentUsage: 0 });
      const tally: Tally = { hostId, granted: credits + 1, runs: 0, guestRuns: 0, guestReports: new Set() };
      const claims = [await crawl(hostId), await crawl(guestId), await crawl(hostId)];
      tally.guestReports.add(claims[1]?.reportId ?? '');
      let isDone = false;
      const watch = (async () => {
        while (!isDone) await assertLedgerAddsUp(store.db);
      })();
      const runs = lanes.map(async (steps, index) => {
        const claim = claims[index];
        assert.ok(claim);
        const found = { count: 0 };
        for (const step of steps) await perform(step, claim, found, tally);
      });
      await Promise.all(runs).finally(() => {
        isDone = true;
      });
      await watch;
      const waiting = (paid: boolean) =>
        store.db
          .selectFrom('checks')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('status', '=', 'pending')
          .where('attempts', '=', 0)
          .where(paid ? 'paid_by' : 'usage_month', 'is not', null)
          .executeTakeFirstOrThrow();
      assert.equal(await balance(hostId), tally.granted - tally.runs - (await waiting(true)).count);
      const { usage } = await store.db
        .selectFrom('guest_accounts')
        .select('usage')
        .where('id', '=', GUEST_TOKEN)
        .executeTakeFirstOrThrow();
      assert.equal(usage, tally.guestRuns + (await waiting(false)).count);
      for (const { reportId } of claims) await deleteReport(store.db, reportId);
      assert.equal(await balance(hostId), tally.granted - tally.runs);
      await assertLedgerAddsUp(store.db);
    }),
    // A smaller example after a failure would start from what the failed one left.
    { numRuns: 12, endOnFailure: true },
  );
});
