import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { claimCrawl, releaseCrawl } from '../../src/queue/claims.ts';
import { joinWorkers, type Worker } from '../../src/queue/worker.ts';
import { deleteReport, startPurging } from '../../src/reports/delete-report.ts';
import {
  endCrawl,
  type NewPage,
  type PageRendering,
  releaseFormerRenderings,
  saveCrawlProgress,
} from '../../src/store/crawl-progress.ts';
import { takeReportCredits } from '../../src/store/credits.ts';
import type { Executor } from '../../src/store/database.ts';
import { packDocument } from '../../src/store/documents.ts';
import { acceptInvitation, insertGuestAccount } from '../../src/store/guest-accounts.ts';
import { reserveRendering, settleRenderings } from '../../src/store/reserved-renderings.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';
import { credentialStore, keptSecret } from '../helpers/credential-store.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { until } from '../helpers/until.ts';

/** The credits that are taken before a page is rendered: none too many, and given back for what never becomes a page. */

let store: TestStore;
let worker: Worker;
const log = pino({ level: 'silent' });

before(async () => {
  store = await openTestStore();
  worker = await joinWorkers(store.connectionString, store.db, credentialStore.head, log);
});
after(async () => {
  await worker?.close();
  await store?.close();
});

async function person(name: string, credits: number | null): Promise<string> {
  return (await createAccount(store.db, { email: `${name}@example.com`, credits })).id;
}

/** A crawl of a report with the HTML check: a page costs two credits. */
async function crawlOf(accountId: string): Promise<CrawlClaim> {
  await newReport(store, 'http://site.test/', { accountId, dynamicCrawler: true });
  return claimed();
}

async function claimed(): Promise<CrawlClaim> {
  return (await claimCrawl(store.db, worker.id())) ?? assert.fail('no report waits to be crawled');
}

const url = (number: number): string => `http://site.test/${number}`;

/** Begins to render pages, all at the same time. Gives the URLs that may be. */
async function begin(claims: readonly CrawlClaim[], numbers: readonly number[]): Promise<string[]> {
  const found = await Promise.all(
    claims.flatMap((claim) =>
      numbers.map(async (number) =>
        (await reserveRendering(store.db, claim, url(number), 2)) === null ? [url(number)] : [],
      ),
    ),
  );
  await assertLedgerAddsUp(store.db);
  return found.flat();
}

async function save(claim: CrawlClaim, number: number, rendering: PageRendering | 'duplicate'): Promise<void> {
  const body = Buffer.from(`<!DOCTYPE html><title>${number}</title>`);
  const document = { url: url(number), httpStatus: 200, contentType: 'text/html', headers: [], body };
  const isPage = rendering !== 'duplicate';
  const pages: NewPage[] = isPage
    ? [
        {
          url: url(number),
          linkedFrom: null,
          turn: number,
          content: { document, stored: await packDocument(body), title: null, rendering },
        },
      ]
    : [];
  const noted = { position: number, url: url(number), linkedFrom: null, depth: 0, httpStatus: 200, detail: null };
  const outcome = isPage
    ? ({ outcome: 'page', target: null } as const)
    : ({ outcome: 'duplicate', target: url(1) } as const);
  await store.db
    .transaction()
    .execute((trx) => saveCrawlProgress(trx, claim, { pages, discovered: [{ ...noted, ...outcome }] }));
  await assertLedgerAddsUp(store.db);
}

/** What is left, and what was spent on what. */
async function accountsOf(accountId: string): Promise<unknown> {
  const { credits } = await store.db
    .selectFrom('accounts')
    .select('credits')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const rows = await store.db
    .selectFrom('credit_entries')
    .select((eb) => ['reason', eb.fn.sum<number>('amount').as('amount')])
    .where('account_id', '=', accountId)
    .groupBy('reason')
    .execute();
  return { credits, ...Object.fromEntries(rows.map(({ reason, amount }) => [reason, Number(amount)])) };
}

const RENDERED: PageRendering = { hasRun: true, error: null };

test('however many renderings are begun at the same time, none is begun without a credit', async () => {
  const accountId = await person('owner', 5);
  const claims = [await crawlOf(accountId), await crawlOf(accountId)];
  // The last credit would leave none for the check of its page.
  assert.equal((await begin(claims, [1, 2, 3, 4, 5, 6])).length, 4);
  assert.deepEqual(await accountsOf(accountId), { credits: 1, granted: 5, rendered_pages: -4 });
  for (const claim of claims) await endCrawl(store.db, claim);
  assert.deepEqual(await accountsOf(accountId), { credits: 5, granted: 5, rendered_pages: 0 });

  const host = await person('host', null);
  const guest = await person('guest', 0);
  await insertGuestAccount(store.db, { id: 'G000000001', hostId: host, invitation: keptSecret('secret'), maxUsage: 5 });
  await acceptInvitation(store.db, 'G000000001', guest);
  const usage = async () =>
    (await store.db.selectFrom('guest_accounts').select('usage').executeTakeFirstOrThrow()).usage;
  const ofGuest = [await crawlOf(guest), await crawlOf(guest)];
  assert.equal((await begin(ofGuest, [1, 2, 3, 4, 5, 6])).length, 4);
  assert.equal(await usage(), 4);
  for (const claim of ofGuest) await endCrawl(store.db, claim);
  assert.equal(await usage(), 0);
  await assertLedgerAddsUp(store.db);
});

test('who gives credits back and takes others locks the guest account before the account', async () => {
  const host = await person('other-host', 100);
  const guest = await person('other-guest', 0);
  await insertGuestAccount(store.db, { id: 'G000000002', hostId: host, invitation: keptSecret('other'), maxUsage: 50 });
  await acceptInvitation(store.db, 'G000000002', guest);
  const { reportId } = await crawlOf(guest);
  await store.db
    .insertInto('reserved_renderings')
    .values({ report_id: reportId, url: url(1), paid_by: host, usage_month: new Date('2020-01-01') })
    .execute();
  const locked = (db: Executor, table: 'guest_accounts' | 'accounts', id: string) =>
    sql`SELECT FROM ${sql.table(table)} WHERE id = ${id} FOR NO KEY UPDATE NOWAIT`.execute(db);
  const waiting = sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let saving = Promise.resolve();
  await store.db.transaction().execute(async (other) => {
    await locked(other, 'guest_accounts', 'G000000002');
    // As `saveCrawlProgress` does.
    saving = store.db.transaction().execute(async (trx) => {
      await settleRenderings(trx, reportId, { settled: [url(1)], spent: [] });
      await takeReportCredits(trx, reportId, 1, 'checks');
    });
    await until(async () => (await waiting.execute(store.db)).rows.length > 0);
    await locked(other, 'accounts', host);
  });
  await saving;
  assert.deepEqual(await accountsOf(host), { credits: 100, granted: 100, rendered_pages: 1, checks: -1 });
});

test('what was taken for a rendering is given back unless its page is saved, also after a kill and for what is deleted', async () => {
  const accountId = await person('spender', 100);
  const first = await crawlOf(accountId);
  assert.equal((await begin([first], [1, 2, 3, 4])).length, 4);
  assert.deepEqual(await begin([first], [4]), [url(4)], 'a page is taken for once');
  await save(first, 1, RENDERED);
  await save(first, 2, 'duplicate');
  await save(first, 3, { hasRun: false, error: 'No browser.' });
  assert.deepEqual(await accountsOf(accountId), { credits: 96, granted: 100, rendered_pages: -2, checks: -2 });

  // The next process takes the crawl over. What the one before had under way is nobody's.
  await releaseCrawl(store.db, first, true);
  const second = await claimed();
  await releaseFormerRenderings(store.db, second);
  const afterKill = { credits: 97, granted: 100, rendered_pages: -1, checks: -2 };
  assert.deepEqual(await accountsOf(accountId), afterKill);
  await begin([first], [5]);
  assert.deepEqual(await accountsOf(accountId), afterKill, 'who has lost the crawl takes nothing');

  await begin([second], [5, 6]);
  await deleteReport(store.db, second.reportId);
  await begin([second], [7]);
  const purging = startPurging({ db: store.db, worker, log });
  await until(async () => {
    const rows = await store.db.selectFrom('reports').select('id').where('id', '=', second.reportId).execute();
    return rows.length === 0;
  });
  await purging.stop();
  // Neither of the two checks had run.
  assert.deepEqual(await accountsOf(accountId), {
    credits: 99,
    granted: 100,
    rendered_pages: -1,
    checks: -2,
    refund: 2,
  });
  await assertLedgerAddsUp(store.db);
});
