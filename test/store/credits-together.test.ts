import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeCredits } from '../../src/accounts/accounts.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { type ClaimedCheck, claimChecks, releaseCheck } from '../../src/queue/claims.ts';
import { acceptInvitation, insertGuestAccount, updateGuestAccount } from '../../src/store/accounts/guest-accounts.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { urls } from '../helpers/accounts-store.ts';
import { keptSecret } from '../helpers/credential-store.ts';
import { saying } from '../helpers/failures.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { ISSUE, isExhausted, startPaying } from '../helpers/paying.ts';
import { WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';

/** The kinds of checks of the reports here. */
const CHECK_KINDS = ['html', 'a11y'] as const;

const { db, person, balance, crawl, findPages, pageIds, refetch } = startPaying();
const GUEST_TOKEN = 'G0000000AB';

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

/** The credits of one host and its guest, counted independently of the ledger. */
interface Tally {
  readonly hostId: string;
  granted: number;
  /** Checks that began for a credit of their own. */
  runs: number;
  guestRuns: number;
  readonly guestReports: Set<string>;
}

/** @returns false if a deletion or a re-check came while the check was claimed, so that it counts as run */
function release(kind: CheckKind, check: ClaimedCheck): Promise<boolean> {
  return db()
    .transaction()
    .execute(async (trx) => {
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
      await releaseCheck(trx, kind, check, 'unstarted');
      return held.length > 0;
    });
}

async function checkOne(kind: CheckKind, end: string, tally: Tally): Promise<void> {
  const [check] = await claimChecks(db(), kind, WORKER, 1);
  if (check === undefined) return;
  const { reportId, webPageId, claimId } = check;
  if (end === 'released' && (await release(kind, check))) return;
  if (check.attempts === 1) {
    tally.runs += 1;
    if (tally.guestReports.has(reportId)) tally.guestRuns += 1;
  }
  if (end === 'released') return;
  if (end === 'killed') {
    await db()
      .updateTable('checks')
      .set({ claimed_by: null, claim_id: null })
      .where('web_page_id', '=', webPageId)
      .where('kind', '=', kind)
      .where('claim_id', '=', claimId)
      .execute();
    return;
  }
  const outcome = end === 'failed' ? { error: saying('It hangs') } : { issues: [ISSUE] };
  await saveCheckResults(db(), reportId, kind, [{ webPageId, claimId, outcome }]);
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
        await recheckPage(db(), claim.reportId, await page(step.page));
      } catch (error) {
        if (!isExhausted(error)) throw error;
      }
      return refetch(claim, step.isGone);
    case 'delete page':
      return deletePage(db(), claim.reportId, await page(step.page));
    case 'delete report':
      return deleteReport(db(), claim.reportId);
    case 'grant':
      tally.granted += step.credits;
      await changeCredits(db(), tally.hostId, { add: step.credits });
  }
}

test('the ledger adds up and every credit is a check, under concurrency', async () => {
  const hostId = await person(0);
  const guestId = await person(0);
  await insertGuestAccount(db(), { id: GUEST_TOKEN, hostId, invitation: keptSecret(GUEST_TOKEN), maxUsage: 10 });
  await acceptInvitation(db(), GUEST_TOKEN, guestId);
  const lane = fc.array(action, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.tuple(lane, lane, lane), fc.nat(30), async (lanes, credits) => {
      await changeCredits(db(), hostId, { set: credits + 1 });
      await updateGuestAccount(db(), GUEST_TOKEN, { currentUsage: 0 });
      const tally: Tally = { hostId, granted: credits + 1, runs: 0, guestRuns: 0, guestReports: new Set() };
      const claims = [await crawl(hostId), await crawl(guestId), await crawl(hostId)];
      tally.guestReports.add(claims[1]?.reportId ?? '');
      let isDone = false;
      const watch = (async () => {
        while (!isDone) await assertLedgerAddsUp(db());
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
        db()
          .selectFrom('checks')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('status', '=', 'pending')
          .where('attempts', '=', 0)
          .where(paid ? 'paid_by' : 'usage_month', 'is not', null)
          .executeTakeFirstOrThrow();
      assert.equal(await balance(hostId), tally.granted - tally.runs - (await waiting(true)).count);
      const { usage } = await db()
        .selectFrom('guest_accounts')
        .select('usage')
        .where('id', '=', GUEST_TOKEN)
        .executeTakeFirstOrThrow();
      assert.equal(usage, tally.guestRuns + (await waiting(false)).count);
      for (const { reportId } of claims) await deleteReport(db(), reportId);
      assert.equal(await balance(hostId), tally.granted - tally.runs);
      await assertLedgerAddsUp(db());
    }),
    // A smaller example after a failure would start from what the failed one left.
    { numRuns: 6, endOnFailure: true },
  );
});
