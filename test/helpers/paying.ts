import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import { refetchPages } from '../../src/crawling/start-crawling.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import { AppError } from '../../src/platform/errors.ts';
import { type ClaimedCheck, claimChecks, claimCrawl } from '../../src/queue/claims.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { type NewPage, saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { newReport, openTestStore, reportOf, type TestStore } from './crawler.ts';
import { ANSWERED_404 } from './failures.ts';
import { identified } from './identities.ts';

/** The id of a worker that does not exist. */
export const WORKER = 1_000_000;

export const ISSUE = packIssue(
  identified({
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
  }),
);
export const urls = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `http://site.test/${from + index}`);

export const isExhausted = (error: unknown): boolean => error instanceof AppError && error.code === 'credits_exhausted';

/** A store for tests of credits, with their operations. It ends with the test file. */
export function startPaying() {
  let store: TestStore;
  let people = 0;
  before(async () => {
    store = await openTestStore();
  });
  after(() => store.close());
  // Work that one test leaves is not claimed by the next.
  afterEach(() => store.db.deleteFrom('reports').execute());

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

  /** A report that this test crawls itself. */
  async function crawl(
    accountId: string,
    storesRaw = false,
    checks: readonly CheckKind[] = ['html', 'a11y'],
  ): Promise<CrawlClaim> {
    const reportId = await newReport(store, 'http://site.test/', {
      accountId,
      checks,
      store_raw_checks: storesRaw ? ['html'] : [],
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
        return { url, linkedFrom: null, turn: index + 1, content: await documentPage(document) };
      }),
    );
    await saveCrawlProgress(store.db, claim, { pages, discovered: [] });
  }

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
        ? failedPage(ANSWERED_404, { httpStatus: 404 })
        : documentPage({ url, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.from('<p>New') });
    await refetchPages(store.db, claim, answer, new AbortController().signal);
  }

  async function runChecks(kind: CheckKind, limit = 100): Promise<ClaimedCheck[]> {
    const checks = await claimChecks(store.db, kind, WORKER, limit);
    for (const { reportId, webPageId, claimId } of checks) {
      await saveCheckResults(store.db, reportId, kind, [{ webPageId, claimId, outcome: { issues: [ISSUE] } }]);
    }
    return checks;
  }

  const reportRow = (reportId: string) => reportOf(store, reportId);

  async function statuses(reportId: string): Promise<Record<string, number>> {
    const checks = await store.db.selectFrom('checks').select(['status']).where('report_id', '=', reportId).execute();
    return Object.fromEntries(
      Object.entries(Object.groupBy(checks, (check) => check.status)).map(([status, rows]) => [status, rows.length]),
    );
  }

  return { db: () => store.db, person, balance, crawl, findPages, pageIds, refetch, runChecks, reportRow, statuses };
}
