import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaidRenderer, type PaidRenderer } from '../../src/crawling/rendering/page-renderings.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import type { PageRendering } from '../../src/domain/fetched-page.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { acceptInvitation, insertGuestAccount } from '../../src/store/accounts/guest-accounts.ts';
import { type NewPage, saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { keptSecret } from '../helpers/credential-store.ts';
import { saying } from '../helpers/failures.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { startPaying } from '../helpers/paying.ts';

/** The credits of renderings: taken when the page is saved, and only if a browser worked on it. */

const { db, person, balance, crawl } = startPaying();
const RENDERED: PageRendering = { hasRun: true, error: null };
const DONE = Promise.resolve();
/** A rendering and the two checks of a page. */
const PAGE_PRICE = 3;

async function save(claim: CrawlClaim, renderings: readonly PageRendering[], from = 0): Promise<void> {
  const pages = await Promise.all(
    renderings.map(async (rendering, index): Promise<NewPage> => {
      const url = `http://site.test/${from + index}`;
      const body = Buffer.from(`<!DOCTYPE html><title>${url}</title>`);
      const document = { url, httpStatus: 200, contentType: 'text/html', headers: [], body };
      const content = { ...(await documentPage(document)), rendering };
      return { url, linkedFrom: null, turn: from + index + 1, content };
    }),
  );
  await saveCrawlProgress(db(), claim, { pages, discovered: [] });
  await assertLedgerAddsUp(db());
}

async function spentBy(accountId: string): Promise<Record<string, number>> {
  const rows = await db()
    .selectFrom('credit_entries')
    .select((eb) => ['reason', eb.fn.sum<number>('amount').as('amount')])
    .where('account_id', '=', accountId)
    .where('reason', '<>', 'granted')
    .groupBy('reason')
    .execute();
  return Object.fromEntries(rows.map(({ reason, amount }) => [reason, Number(amount)]));
}

function rendererOf({ reportId }: CrawlClaim): Promise<PaidRenderer> {
  const notAsked = async () => assert.fail('nothing is rendered here');
  return createPaidRenderer(db(), notAsked, reportId, { waitFor: null, signal: new AbortController().signal });
}

test('a page that a browser rendered costs one more credit', async () => {
  const accountId = await person(100);
  const claim = await crawl(accountId);
  await save(claim, [
    RENDERED,
    { hasRun: true, error: saying('It hangs.') },
    { hasRun: false, error: saying('No browser.') },
  ]);
  assert.deepEqual(await spentBy(accountId), { rendered_pages: -2, checks: -6 });
  assert.equal(await balance(accountId), 92);
});

test('a guest pays from its month', async () => {
  const host = await person(null);
  const guest = await person(0);
  const invitation = keptSecret('secret');
  await insertGuestAccount(db(), { id: 'G000000001', hostId: host, invitation, maxUsage: 5 });
  await acceptInvitation(db(), 'G000000001', guest);
  const claim = await crawl(guest);
  const renderer = await rendererOf(claim);
  assert.equal(await renderer.refusal(DONE), null);
  await save(claim, [RENDERED]);
  const { usage } = await db().selectFrom('guest_accounts').select('usage').executeTakeFirstOrThrow();
  assert.equal(usage, PAGE_PRICE);
  const refusal = await renderer.refusal(DONE);
  assert.ok(refusal?.kind === 'failed' && !refusal.hasRun);
  assert.match(sentenceOf(refusal.error), /guest has no credits left this month: the page was not rendered/);
});

test('with few credits, a page waits until earlier ones are paid for', async () => {
  const accountId = await person(2 * PAGE_PRICE - 1);
  const claim = await crawl(accountId);
  const renderer = await rendererOf(claim);
  assert.equal(await renderer.refusal(DONE), null);
  const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>();
  const second = renderer.refusal(turn);
  await save(claim, [RENDERED]);
  giveTurn();
  assert.equal((await second)?.kind, 'failed');
});

test('when another report spends the last credits, checks come first and nothing is lost', async () => {
  const accountId = await person(PAGE_PRICE + 2);
  const [one, other] = [await crawl(accountId), await crawl(accountId)];
  for (const claim of [one, other]) assert.equal(await (await rendererOf(claim)).refusal(DONE), null);
  await save(one, [RENDERED]);
  await save(other, [RENDERED]);
  assert.deepEqual(await spentBy(accountId), { rendered_pages: -1, checks: -4 });
  const errors = await db().selectFrom('web_pages').select('render_error').execute();
  assert.deepEqual(errors, [{ render_error: null }, { render_error: null }]);
});
