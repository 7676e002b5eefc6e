import assert from 'node:assert/strict';
import { refetchPages } from '../../src/crawling/start-crawling.ts';
import { type CheckKind, IMPACTS } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import { claimChecks, claimCrawl } from '../../src/queue/claims.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { type IdentifiedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { endCrawl } from '../../src/store/reports/report-end.ts';
import { newReport, pagesOf, type TestStore } from './crawler.ts';
import { ANSWERED_404 } from './failures.ts';
import { identified } from './identities.ts';
import { fc } from './random.ts';

/** Reports with pages whose checks are simulated by the test, as a worker with this id. */
export const WORKER = 1_000_000;

/** Anything that an engine can find on a page. */
export const foundIssue: fc.Arbitrary<IdentifiedIssue> = fc
  .record({
    type: fc.constantFrom('error', 'warning'),
    subType: fc.constantFrom(null, 'info'),
    message: fc.constantFrom('One', 'Two', 'It’s “Two”', 'Nul \0 and lone \ud800'),
    ruleId: fc.constantFrom(null, 'image-alt', 'one'),
    helpUrl: fc.constant(null),
    impact: fc.constantFrom(...IMPACTS),
    url: fc.constantFrom('http://site.test/0', 'http://site.test/frame'),
    howMany: fc.integer({ min: 1, max: 5 }),
    occurrences: fc.constant([{ html: '<b>' }]),
  })
  .map((issue) => identified({ ...issue, tags: tagsOf(issue.ruleId) }));

/** A rule of standards, a best practice, and an issue without either. */
export function tagsOf(ruleId: string | null): string[] {
  if (ruleId === null) return ['tag "quoted"', 'b'];
  return ruleId === 'one' ? ['best-practice'] : ['wcag2a', 'wcag111', 'EN-301-549'];
}

async function claimedCrawl(store: Pick<TestStore, 'db'>, reportId: string): Promise<CrawlClaim> {
  const claim = await claimCrawl(store.db, WORKER);
  assert.equal(claim?.reportId, reportId);
  return claim;
}

/** A report with four pages and their documents, not checked yet. If no text is given, each report has other documents. */
export async function reportWithPages(
  store: TestStore,
  text?: string,
): Promise<{ reportId: string; pageIds: number[] }> {
  const reportId = await newReport(store, 'http://site.test/', {
    checks: ['html', 'a11y'],
    store_raw_checks: ['html'],
  });
  const pages = await Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      // Two pages share their document.
      const body = Buffer.from(`<!DOCTYPE html><title>${Math.floor(index / 2)} of ${text ?? reportId}</title>`);
      const url = `http://site.test/${index}`;
      const document = { url, httpStatus: 200, contentType: 'text/html', headers: [], body };
      return { url, linkedFrom: null, turn: index + 1, content: await documentPage(document) };
    }),
  );
  const claim = await claimedCrawl(store, reportId);
  await saveCrawlProgress(store.db, claim, { pages, discovered: [] });
  await endCrawl(store.db, claim);
  return { reportId, pageIds: (await pagesOf(store, reportId)).map(({ id }) => id) };
}

/** Fetches waiting pages; every other time the page is gone. */
export async function refetch(store: Pick<TestStore, 'db'>, reportId: string, count: number): Promise<void> {
  const signal = new AbortController().signal;
  const answer = async (url: string) =>
    count % 2 === 0
      ? failedPage(ANSWERED_404, { httpStatus: 404 })
      : documentPage({ url, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.from(`<p>${count}`) });
  const claim = await claimCrawl(store.db, WORKER);
  if (claim === null) return;
  assert.equal(claim.reportId, reportId);
  await refetchPages(store.db, claim, answer, signal);
  await endCrawl(store.db, claim);
}

/** Claims up to `limit` checks, and saves the same issues as the result of each. */
export async function saveIssues(
  { db }: Pick<TestStore, 'db'>,
  kind: CheckKind,
  issues: readonly IdentifiedIssue[],
  limit = 1,
): Promise<void> {
  const checks = await claimChecks(db, kind, WORKER, limit);
  for (const reportId of new Set(checks.map((check) => check.reportId))) {
    const results = checks
      .filter((check) => check.reportId === reportId)
      .map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { issues: issues.map(packIssue) } }));
    await saveCheckResults(db, reportId, kind, results);
  }
}
