import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { changeCredits } from '../../src/accounts/accounts.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import { claimChecks, releaseCheck } from '../../src/queue/claims.ts';
import { freeWorkOfDeadWorkers } from '../../src/queue/worker.ts';
import {
  acceptInvitation,
  insertGuestAccount,
  markGuestAccountDeleted,
} from '../../src/store/accounts/guest-accounts.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { findRawCheck, packRawCheck } from '../../src/store/pages/raw-checks.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { endCrawl } from '../../src/store/reports/report-end.ts';
import { urls } from '../helpers/accounts-store.ts';
import { keptSecret } from '../helpers/credential-store.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { ISSUE, isExhausted, startPaying } from '../helpers/paying.ts';
import { WORKER } from '../helpers/played-report.ts';
import { until } from '../helpers/until.ts';

/** The kinds of checks of the reports here. */
const CHECK_KINDS = ['html', 'a11y'] as const;

const { db, person, balance, crawl, findPages, pageIds, refetch, runChecks, reportRow, statuses } = startPaying();

test('when credits run out, remaining checks fail and nothing found is lost', async () => {
  const accountId = await person(7);
  const claim = await crawl(accountId);
  const { reportId } = claim;
  await findPages(claim, urls(3));
  assert.equal(await balance(accountId), 1);
  await findPages(claim, urls(2, 3));
  assert.deepEqual(await statuses(reportId), { pending: 7, failed: 3 });
  await endCrawl(db(), claim);
  for (const kind of CHECK_KINDS) await runChecks(kind);
  assert.deepEqual(await statuses(reportId), { checked: 7, failed: 3 });
  const report = await reportRow(reportId);
  assert.equal(report.status, 'finished');
  assert.match(report.crawl_error ?? '', /credits ran out/);
  const failed = await db().selectFrom('checks').select('error').where('status', '=', 'failed').execute();
  for (const { error } of failed) assert.match((error && sentenceOf(error)) ?? '', /^No credits left/);
  await assertLedgerAddsUp(db());

  // Again when there are new credits.
  const ids = await pageIds(reportId);
  await assert.rejects(recheckPage(db(), reportId, ids[4] ?? 0), isExhausted);
  await changeCredits(db(), accountId, { add: 3 });
  await recheckPage(db(), reportId, ids[4] ?? 0);
  assert.notEqual((await reportRow(reportId)).crawl_error, null);
  await assert.rejects(recheckPage(db(), reportId, ids[3] ?? 0), isExhausted, 'one is left, two are needed');
  assert.deepEqual(await statuses(reportId), { checked: 7, pending: 2, failed: 1 });
  await changeCredits(db(), accountId, { set: 2 });
  await recheckPage(db(), reportId, ids[3] ?? 0);
  assert.equal((await reportRow(reportId)).crawl_error, null);
  await assertLedgerAddsUp(db());
});

test('when credits run out, the first engines get the last ones', async () => {
  const claim = await crawl(await person(2), false, ['html', 'a11y', 'link']);
  await findPages(claim, urls(1));
  const checks = await db()
    .selectFrom('checks')
    .select('kind')
    .where('status', '=', 'pending')
    .orderBy('kind')
    .execute();
  assert.deepEqual(checks, [{ kind: 'a11y' }, { kind: 'html' }]);
});

test('a page with an error status costs nothing', async () => {
  const accountId = await person(1);
  const claim = await crawl(accountId);
  const content = failedPage(ANSWERED_404, { httpStatus: 404 });
  const pages = urls(3).map((url, index) => ({ url, linkedFrom: null, turn: index + 1, content }));
  await saveCrawlProgress(db(), claim, { pages, discovered: [] });
  assert.equal(await balance(accountId), 1);
  assert.deepEqual(await statuses(claim.reportId), { failed: 6 });
  assert.equal((await reportRow(claim.reportId)).crawl_error, null);
});

test('checks that never ran are refunded: a page that is gone, a page or a report deleted before', async () => {
  const accountId = await person(20);
  const claim = await crawl(accountId);
  const { reportId } = claim;
  await findPages(claim, urls(4));
  assert.equal(await balance(accountId), 12);
  const [first = 0, second = 0, third = 0] = await pageIds(reportId);

  await recheckPage(db(), reportId, first);
  assert.equal(await balance(accountId), 12, 'pending checks are already paid for');
  await refetch(claim, true);
  assert.equal(await balance(accountId), 14);
  await deletePage(db(), reportId, second);
  assert.equal(await balance(accountId), 16);

  const [begun] = await claimChecks(db(), 'html', WORKER, 1);
  assert.equal(begun?.webPageId, third);
  await recheckPage(db(), reportId, third);
  assert.equal(await balance(accountId), 15, 'one had begun and runs twice');
  await refetch(claim, false);
  await runChecks('html', 1);
  const [released] = await claimChecks(db(), 'a11y', WORKER, 1);
  assert.ok(released);
  await releaseCheck(db(), 'a11y', released, 'unstarted');
  await deleteReport(db(), reportId);
  assert.equal(await balance(accountId), 18, 'spent on the two runs of the third page');
  await deleteReport(db(), reportId);
  assert.equal(await balance(accountId), 18);
  await assertLedgerAddsUp(db());
});

test('a repeated check, or one whose worker was killed, is charged once', async () => {
  const accountId = await person(10);
  const claim = await crawl(accountId);
  await findPages(claim, urls(1));
  const [killed] = await claimChecks(db(), 'html', WORKER, 1);
  await db().updateTable('checks').set({ claimed_by: null, claim_id: null }).execute();
  const [again] = await runChecks('html');
  assert.equal(again?.webPageId, killed?.webPageId);
  const late = { webPageId: killed?.webPageId ?? 0, claimId: killed?.claimId ?? 0, outcome: { issues: [] } };
  await saveCheckResults(db(), claim.reportId, 'html', [late]);
  assert.equal(await balance(accountId), 8);
  await deleteReport(db(), claim.reportId);
  assert.equal(await balance(accountId), 9);
});

test('each stored raw check costs a credit, and is not stored without one', async () => {
  const accountId = await person(7);
  const claim = await crawl(accountId, true);
  const { reportId } = claim;
  await findPages(claim, urls(3));
  const raw = packRawCheck({ json: '{}', omitted: 0 });
  const checks = await claimChecks(db(), 'html', WORKER, 10);
  const results = checks.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { issues: [ISSUE], raw } }));
  await saveCheckResults(db(), reportId, 'html', results);
  const stored = await db().selectFrom('raw_checks').select('web_page_id').execute();
  assert.equal(stored.length, 1);
  assert.equal(await balance(accountId), 0);
  assert.match((await reportRow(reportId)).crawl_error ?? '', /credits ran out/);
  await assertLedgerAddsUp(db());
  await deleteReport(db(), reportId);
});

test('a re-check without credits for its raw checks changes nothing, and existing raw checks are kept', async () => {
  const accountId = await person(5);
  const claim = await crawl(accountId, true);
  const { reportId } = claim;
  await findPages(claim, urls(2));
  await runChecks('a11y');
  const saveRaw = async (json: string) => {
    const raw = packRawCheck({ json, omitted: 0 });
    for (const { webPageId, claimId } of await claimChecks(db(), 'html', WORKER, 10)) {
      await saveCheckResults(db(), reportId, 'html', [{ webPageId, claimId, outcome: { issues: [], raw } }]);
    }
  };
  const crawlError = async () => (await reportRow(reportId)).crawl_error;
  await saveRaw('{"run":1}');
  const [first = 0, second = 0] = await pageIds(reportId);
  const kept = await Promise.all([first, second].map((id) => findRawCheck(db(), id, 'html')));
  assert.deepEqual([kept[0]?.raw, kept[1]], [{ run: 1 }, undefined]);
  assert.match((await crawlError()) ?? '', /credits ran out/);

  // Two checks and a raw check.
  await changeCredits(db(), accountId, { set: 2 });
  await assert.rejects(recheckPage(db(), reportId, first), isExhausted);
  assert.deepEqual([await balance(accountId), await statuses(reportId)], [2, { checked: 4 }]);
  await changeCredits(db(), accountId, { set: 3 });
  await recheckPage(db(), reportId, first);
  assert.notEqual(await crawlError(), null, 'the raw check of the second page is still missing');
  assert.equal(await balance(accountId), 1);
  await changeCredits(db(), accountId, { set: 0 });
  await refetch(claim, false);
  await runChecks('a11y');
  await saveRaw('{"run":2}');
  assert.deepEqual((await findRawCheck(db(), first, 'html'))?.raw, { run: 2 }, 'others spent its credit');

  await changeCredits(db(), accountId, { set: 3 });
  await recheckPage(db(), reportId, second);
  assert.equal(await crawlError(), null);
  await refetch(claim, false);
  await saveRaw('{"run":3}');
  assert.deepEqual((await findRawCheck(db(), second, 'html'))?.raw, { run: 3 });
  assert.deepEqual([await crawlError(), await balance(accountId)], [null, 0]);
  await assertLedgerAddsUp(db());
});

test('a host whose sharing ends while a guest spends pays no more', async () => {
  const [hostId, guestId] = [await person(10), await person(10)];
  const id = 'G00000000C';
  await insertGuestAccount(db(), { id, hostId, invitation: keptSecret(id), maxUsage: 10 });
  await acceptInvitation(db(), id, guestId);
  const claim = await crawl(guestId);
  const found = await db()
    .transaction()
    .execute(async (trx) => {
      await markGuestAccountDeleted(trx, id);
      const finding = findPages(claim, urls(1));
      await until(async () => {
        const { rows } = await sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db());
        return rows.length > 0;
      });
      return { finding };
    });
  await found.finding;
  assert.deepEqual([await balance(hostId), await balance(guestId)], [10, 8]);
  await assertLedgerAddsUp(db());
});

test('the work of dead workers is freed without waiting for locks', async () => {
  const claim = await crawl(await person(null));
  await findPages(claim, urls(3));
  const [held] = await claimChecks(db(), 'html', WORKER, 10);
  const claimed = async () =>
    (await db().selectFrom('checks').select('web_page_id').where('claimed_by', 'is not', null).execute()).length;
  const crawls = async () => (await reportRow(claim.reportId)).crawled_by;
  assert.deepEqual([await claimed(), await crawls()], [3, WORKER]);
  await db()
    .transaction()
    .execute(async (trx) => {
      const mine = trx
        .selectFrom('checks')
        .select('kind')
        .where('web_page_id', '=', held?.webPageId ?? 0);
      await mine.where('kind', '=', 'html').forUpdate().execute();
      await trx.selectFrom('reports').select('id').where('id', '=', claim.reportId).forNoKeyUpdate().execute();
      // Instead of waiting forever.
      await db()
        .transaction()
        .execute(async (other) => {
          await sql`SET LOCAL lock_timeout = '5s'`.execute(other);
          await freeWorkOfDeadWorkers(other);
        });
      assert.deepEqual([await claimed(), await crawls()], [1, WORKER]);
    });
  await freeWorkOfDeadWorkers(db());
  assert.deepEqual([await claimed(), await crawls()], [0, null]);
});

test("unlimited credits are not counted, a guest's usage is; the end of sharing changes the payer", async () => {
  const [hostId, guestId] = [await person(null), await person(5)];
  const id = 'G00000000A';
  await insertGuestAccount(db(), { id, hostId, invitation: keptSecret(id), maxUsage: 6 });
  await acceptInvitation(db(), id, guestId);
  const usage = async () =>
    (await db().selectFrom('guest_accounts').select('usage').where('id', '=', id).executeTakeFirstOrThrow()).usage;
  const claim = await crawl(guestId);
  await findPages(claim, urls(2));
  assert.deepEqual([await usage(), await balance(hostId), await balance(guestId)], [4, null, 5]);
  await findPages(claim, urls(2, 2));
  assert.equal(await usage(), 6);
  assert.match((await reportRow(claim.reportId)).crawl_error ?? '', /^The guest's credits for this month ran out/);
  await assert.rejects(crawl(guestId), isExhausted);
  await db().updateTable('guest_accounts').set({ usage_month: sql<Date>`usage_month - interval '1 month'` }).execute();
  const next = await crawl(guestId);
  await findPages(next, urls(1));
  assert.equal(await usage(), 2, 'a new month');
  await deleteReport(db(), next.reportId);
  assert.equal(await usage(), 0);
  const kept = await crawl(guestId);
  await findPages(kept, urls(1));
  await db().updateTable('guest_accounts').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  await findPages(kept, urls(1, 1));
  assert.equal(await balance(guestId), 3, 'on its own');
  await deleteReport(db(), kept.reportId);
  assert.equal(await balance(guestId), 5, 'to each what it paid');
  await deleteReport(db(), claim.reportId);
  await assertLedgerAddsUp(db());
  const entries = await db().selectFrom('credit_entries').select('id').where('account_id', '=', hostId).execute();
  assert.equal(entries.length, 0);
});

test('concurrent reports spend exactly the available credits', async () => {
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
  await assertLedgerAddsUp(db());
  for (const { reportId } of claims) await deleteReport(db(), reportId);
  assert.equal(await balance(accountId), 0);
});
