import { refetchPages } from '../../src/crawling/start-crawling.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import { AppError } from '../../src/platform/errors.ts';
import { type ClaimedCheck, claimChecks } from '../../src/queue/claims.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { startAccountsStore } from './accounts-store.ts';
import { reportOf } from './crawler.ts';
import { ANSWERED_404 } from './failures.ts';
import { identified } from './identities.ts';
import { WORKER } from './played-report.ts';

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

export const isExhausted = (error: unknown): boolean => error instanceof AppError && error.code === 'credits_exhausted';

/** A store for tests of credits, with their operations. It ends with the test file. */
export function startPaying() {
  const accounts = startAccountsStore();
  const { findPages } = accounts;
  const db = () => accounts.store().db;
  const person = (credits: number | null): Promise<string> => accounts.person({ credits });

  async function balance(accountId: string): Promise<number | null> {
    const row = await db()
      .selectFrom('accounts')
      .select('credits')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    return row.credits;
  }

  /** A report that this test crawls itself. */
  const crawl = (
    accountId: string,
    storesRaw = false,
    checks: readonly CheckKind[] = ['html', 'a11y'],
  ): Promise<CrawlClaim> => accounts.crawl(accountId, { checks, store_raw_checks: storesRaw ? ['html'] : [] });

  async function pageIds(reportId: string): Promise<number[]> {
    const rows = await db()
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
    await refetchPages(db(), claim, answer, new AbortController().signal);
  }

  async function runChecks(kind: CheckKind, limit = 100): Promise<ClaimedCheck[]> {
    const checks = await claimChecks(db(), kind, WORKER, limit);
    for (const { reportId, webPageId, claimId } of checks) {
      await saveCheckResults(db(), reportId, kind, [{ webPageId, claimId, outcome: { issues: [ISSUE] } }]);
    }
    return checks;
  }

  const reportRow = (reportId: string) => reportOf(accounts.store(), reportId);

  async function statuses(reportId: string): Promise<Record<string, number>> {
    const checks = await db().selectFrom('checks').select(['status']).where('report_id', '=', reportId).execute();
    return Object.fromEntries(
      Object.entries(Object.groupBy(checks, (check) => check.status)).map(([status, rows]) => [status, rows.length]),
    );
  }

  return { db, person, balance, crawl, findPages, pageIds, refetch, runChecks, reportRow, statuses };
}
