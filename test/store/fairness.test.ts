import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePlanLimits } from '../../src/accounts/plans.ts';
import { createCheckClaims } from '../../src/queue/check-claims.ts';
import { claimChecks, claimCrawl } from '../../src/queue/claims.ts';
import type { CrawlCaps } from '../../src/queue/fair-shares.ts';
import type { NewReportInput } from '../../src/reports/create-report.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { SITE, startAccountsStore, urls } from '../helpers/accounts-store.ts';
import { newReport } from '../helpers/crawler.ts';
import { inviteGuest } from '../helpers/people.ts';
import { WORKER } from '../helpers/played-report.ts';

/** One account with more work than there are places, and others that come later. */

const OTHER_WORKER = WORKER + 1;

const accounts = startAccountsStore();
const { person } = accounts;
const db = () => accounts.store().db;

async function reportsOf(accountId: string, count: number, startingUrl = SITE): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push(await newReport(accounts.store(), startingUrl, { accountId }));
  return ids;
}

/** A guest of the host, whose reports count as the host's. */
async function guestOf(hostId: string): Promise<string> {
  const guestId = await person();
  await inviteGuest(db(), { id: hostId, plan: 'enterprise' }, { id: guestId, plan: 'enterprise' });
  return guestId;
}

describe('crawls', () => {
  const owners = async (ids: readonly string[]): Promise<Map<string, string>> => {
    const rows = await db().selectFrom('reports').select(['id', 'account_id']).where('id', 'in', ids).execute();
    return new Map(rows.map(({ id, account_id }) => [id, account_id]));
  };
  /** Claims this often, or until nothing is left; returns the owners of the reports. */
  const claim = async (times: number, workerId = WORKER, caps?: CrawlCaps): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < times; index += 1) {
      const claimed = await claimCrawl(db(), workerId, caps && { caps });
      if (claimed !== null) ids.push(claimed.reportId);
    }
    const ownerOf = ids.length === 0 ? new Map() : await owners(ids);
    return ids.map((id) => ownerOf.get(id) ?? '');
  };
  const caps = (text: string, ofProcess = 1_000): CrawlCaps => ({ ofPlans: parsePlanLimits(text), ofProcess });

  test('are claimed from the account with the fewest, however many other accounts have waiting', async () => {
    const [many, few, fewer] = [await person(), await person(), await person()];
    const [oldest] = await reportsOf(many, 20);
    await reportsOf(few, 2);
    await reportsOf(fewer, 1);
    assert.equal((await claimCrawl(db(), OTHER_WORKER))?.reportId, oldest, 'the oldest if all have none');
    assert.deepEqual(await claim(5), [few, fewer, many, few, many]);
  });

  test("of a guest count as its host's", async () => {
    const [host, other] = [await person(), await person()];
    const guest = await guestOf(host);
    await reportsOf(guest, 2);
    await reportsOf(host, 1);
    await reportsOf(other, 2);
    assert.deepEqual(await claim(5), [guest, other, guest, other, host]);
    await reportsOf(guest, 1);
    assert.deepEqual(await claim(1, WORKER, caps('running_reports=3')), []);
    assert.deepEqual(await claim(1, WORKER, caps('running_reports=4')), [guest]);
  });

  test('of one account never take all places of a process', async () => {
    const [greedy, second, third] = [await person(), await person(), await person()];
    await reportsOf(greedy, 10);
    assert.deepEqual(await claim(10, WORKER, caps('', 8)), [greedy, greedy, greedy, greedy]);
    await reportsOf(second, 10);
    assert.deepEqual(await claim(10, WORKER, caps('', 8)), [second, second]);
    await reportsOf(third, 1);
    assert.deepEqual(await claim(10, WORKER, caps('', 8)), [third]);
    // Another process has its own places.
    assert.deepEqual(await claim(1, OTHER_WORKER, caps('', 8)), [second]);
  });

  test('at a time are as many as the plan allows, however many processes claim at once', async () => {
    const [free, enterprise] = [await person({ plan: 'free' }), await person()];
    await reportsOf(free, 8);
    await reportsOf(enterprise, 8);
    const limits = caps('free.running_reports=3, enterprise.running_reports=5');
    const workers = Array.from({ length: 8 }, (_, index) => WORKER + index);
    const claimed = (await Promise.all(workers.map((worker) => claim(3, worker, limits)))).flat();
    assert.deepEqual(
      [free, enterprise].map((id) => claimed.filter((owner) => owner === id).length),
      [3, 5],
    );
  });
});

describe('checks', () => {
  /** A report with some pages. */
  async function withPages(accountId: string, count: number, changes: Partial<NewReportInput> = {}): Promise<string> {
    const claim = await accounts.crawl(accountId, changes);
    await accounts.findPages(claim, urls(count));
    return claim.reportId;
  }
  /** How many checks of each report are claimed. */
  const claim = async (limit: number, workerId = WORKER, except: string[] = []): Promise<Record<string, number>> => {
    const checks = await claimChecks(db(), 'html', workerId, limit, except);
    const groups = Map.groupBy(checks, ({ reportId }) => reportId);
    return Object.fromEntries([...groups].map(([reportId, group]) => [reportId, group.length]));
  };

  test('of a small report are claimed at once, however many others are waiting', async () => {
    const [many, few] = [await person(), await person()];
    for (let index = 0; index < 12; index += 1) await withPages(many, 30);
    await claim(10);
    const small = await withPages(few, 2);
    assert.equal((await claim(4, OTHER_WORKER))[small], 2);
  });

  test('are distributed in lots, and what one account does not need goes to the others', async () => {
    const [first, second, third] = [await person(), await person(), await person()];
    const a = await withPages(first, 50);
    const b = await withPages(second, 50);
    const c = await withPages(third, 1);
    assert.deepEqual(await claim(9), { [a]: 4, [b]: 4, [c]: 1 });
    assert.deepEqual(await claim(6, OTHER_WORKER), { [a]: 3, [b]: 3 });
    assert.deepEqual(await claim(100), { [a]: 43, [b]: 43 });
    assert.deepEqual(await claim(100), {});
  });

  test('under way are where claims go on after a slow search, until they find too few', async () => {
    const [first, second] = [await person(), await person()];
    const a = await withPages(first, 40);
    const claimMore = createCheckClaims(db(), 'html', { slowSearchMs: 0, pauseFactor: Number.POSITIVE_INFINITY });
    const turnsOf = async (limit: number): Promise<(string | number)[]> => {
      const checks = await claimMore(WORKER, limit);
      return checks.map(({ reportId, url }) => `${reportId === a ? 'a' : 'b'} ${urls(40).indexOf(url) + 1}`);
    };
    await claimMore(WORKER, 10);
    await withPages(second, 2);
    assert.deepEqual(await turnsOf(2), ['a 11', 'a 12']);
    assert.deepEqual((await turnsOf(30)).slice(-3), ['a 40', 'b 1', 'b 2']);
    assert.deepEqual(await turnsOf(1), []);
  });

  test('of an account that has enough waiting are left out', async () => {
    const [busy, modest] = [await person(), await person()];
    await withPages(busy, 10);
    const small = await withPages(modest, 2);
    assert.deepEqual(await claim(5, WORKER, [busy]), { [small]: 2 });
    assert.deepEqual(await claim(5, WORKER, [busy]), {});
  });

  test('of the first pages go first within an account, eight of a report at a time', async () => {
    const owner = await person();
    const large = await withPages(owner, 30);
    const small = await withPages(owner, 2);
    assert.deepEqual(await claim(10), { [large]: 8, [small]: 2 });
    const claimed = db().selectFrom('checks').select('turn').where('claimed_by', 'is not', null);
    const turns = await claimed.where('report_id', '=', large).execute();
    assert.deepEqual(
      turns.map(({ turn }) => turn).sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(await claim(4, OTHER_WORKER), { [large]: 4 });
  });

  describe('that cannot be claimed', () => {
    /**
     * Claims next to an account with many running and many waiting checks. Accounts of which nothing can be claimed have
     * fewer running: they are more than a claim has shares.
     */
    const assertNothingHeldUp = async (makeUnclaimable: (accountId: string) => Promise<unknown>): Promise<void> => {
      const busy = await withPages(await person(), 40);
      await claim(20, OTHER_WORKER);
      for (let index = 0; index < 7; index += 1) await makeUnclaimable(await person());
      assert.deepEqual(await claim(5), { [busy]: 5 });
      assert.deepEqual(await claim(100), { [busy]: 15 });
    };

    test('because their report was deleted, block no other account and are no longer waiting', async () => {
      const deleted: string[] = [];
      await assertNothingHeldUp(async (accountId) => {
        const reportId = await withPages(accountId, 10);
        deleted.push(reportId);
        await deleteReport(db(), reportId);
      });
      const waiting = db().selectFrom('checks').select('web_page_id').where('runnable', '=', true);
      assert.deepEqual(await waiting.where('report_id', 'in', deleted).execute(), []);
    });

    test('because another process is claiming them, block no other account', async () => {
      const busy = await withPages(await person(), 40);
      await claim(20, OTHER_WORKER);
      const locked = await withPages(await person(), 10);
      await db()
        .transaction()
        .execute(async (trx) => {
          await trx.selectFrom('checks').select('web_page_id').where('report_id', '=', locked).forUpdate().execute();
          assert.deepEqual(await claim(5), { [busy]: 5 });
        });
      assert.deepEqual(await claim(5), { [locked]: 5 });
    });
  });

  test('are claimed once each by concurrent processes', async () => {
    for (let index = 0; index < 4; index += 1) await withPages(await person(), 25);
    const workers = Array.from({ length: 6 }, (_, index) => WORKER + index);
    const claims = await Promise.all(workers.map((worker) => claimChecks(db(), 'html', worker, 12)));
    const pages = claims.flat().map(({ webPageId }) => webPageId);
    assert.deepEqual([pages.length, new Set(pages).size], [72, 72]);
  });
});
