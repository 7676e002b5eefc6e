import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { claimCrawl } from '../../src/queue/claims.ts';
import type { NewReportInput } from '../../src/reports/create-report.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { type NewPage, saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { newReport, openTestStore, type TestStore } from './crawler.ts';
import { WORKER } from './played-report.ts';

/** The starting URL of the reports. */
export const SITE = 'http://site.test/';

export const urls = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `${SITE}${from + index}`);

/** A store with several accounts, whose reports the test crawls itself. It ends with the test file. */
export function startAccountsStore() {
  let store: TestStore;
  let people = 0;
  before(async () => {
    store = await openTestStore();
  });
  after(() => store.close());
  // Work that one test leaves is not claimed by the next.
  afterEach(() => store.db.deleteFrom('reports').execute());

  async function person(account: Partial<Parameters<typeof createAccount>[1]> = {}): Promise<string> {
    people += 1;
    return (await createAccount(store.db, { email: `person-${people}@example.com`, ...account })).id;
  }

  /** A report that this test crawls itself. */
  async function crawl(accountId: string, changes: Partial<NewReportInput> = {}): Promise<CrawlClaim> {
    const reportId = await newReport(store, SITE, { accountId, ...changes });
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

  return { store: () => store, person, crawl, findPages };
}
