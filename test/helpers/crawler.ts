import { after } from 'node:test';
import { pino } from 'pino';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { DEFAULT_LIMITS, type LimitsOfPlans } from '../../src/accounts/plans.ts';
import { createCrawledHosts } from '../../src/crawling/crawled-hosts.ts';
import type { RenderPage } from '../../src/crawling/rendering/render-page.ts';
import { type CrawlingParts, startCrawling } from '../../src/crawling/start-crawling.ts';
import { fullSentenceOf, sentenceOf } from '../../src/domain/failures/failure.ts';
import { DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/egress/http-client.ts';
import type { ReportSessions } from '../../src/logins/report-sessions.ts';
import type { Logger } from '../../src/platform/logger.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { createReport, type NewReportInput } from '../../src/reports/create-report.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { createMemoryBudget, type MemoryBudget } from '../../src/spider/memory-budget.ts';
import { createSharedLimiters, type SharedLimiters } from '../../src/spider/rate-limiter.ts';
import { createRobotsFetcher } from '../../src/spider/robots.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { CredentialStore } from '../../src/store/reports/credential-store.ts';
import { credentialStore } from './credential-store.ts';
import { createTestDatabase } from './database.ts';
import { NO_JOURNEYS, NO_SESSIONS, WORKING_BROWSER } from './no-sessions.ts';
import { PATIENT_DATABASE, PATIENT_HTTP } from './patience.ts';
import type { TestSite } from './test-site.ts';
import { until } from './until.ts';

export interface TestStore {
  readonly db: Database;
  readonly connectionString: string;
  readonly accountId: string;
  close(): Promise<void>;
}

/** A database of its own at the newest schema, with an account in it. */
export async function openTestStore(): Promise<TestStore> {
  const { connectionString, drop } = await createTestDatabase();
  return openStoreIn(connectionString, drop);
}

/** An empty database at the current schema. @param end runs last when it is closed */
export async function openStoreIn(connectionString: string, end: () => Promise<void>): Promise<TestStore> {
  const { db, close } = openDatabase(connectionString, () => undefined, PATIENT_DATABASE);
  await migrate(db);
  const { id: accountId } = await ensureFirstAccount(db);
  return {
    db,
    connectionString,
    accountId,
    async close() {
      await close();
      await end();
    },
  };
}

/** A report of the HTML check, crawled deeply and fast, unless said otherwise. */
export function newReport(
  store: TestStore,
  startingUrl: string,
  changes: Partial<NewReportInput> = {},
): Promise<string> {
  return createReport(store.db, credentialStore, {
    ...DEFAULT_DEFINITION,
    checks: ['html'],
    accountId: store.accountId,
    siteAccess: NO_ACCESS,
    starting_url: startingUrl,
    max_pages: 100,
    rate_limit: 100,
    ...changes,
  });
}

/** The crawling part of a process, without engines. */
export async function startTestCrawler(
  store: TestStore,
  renderPage: RenderPage = () => Promise.reject(new Error('There is no browser in this test.')),
  options: {
    readonly credentialStore?: CredentialStore;
    readonly sessions?: ReportSessions;
    readonly ca?: string;
    readonly http?: HttpClientOptions['limits'];
    readonly hostRateLimit?: number;
    /** Shared with link checks. */
    readonly limiters?: SharedLimiters;
    readonly budget?: MemoryBudget;
    readonly planLimits?: LimitsOfPlans;
    readonly log?: Logger;
    readonly journeys?: CrawlingParts['journeys'];
    /** Default: a browser that works. */
    readonly browser?: CrawlingParts['browser'];
  } = {},
): Promise<{ stop(): Promise<void> }> {
  const log = options.log ?? pino({ level: 'silent' });
  const ownStore = options.credentialStore ?? credentialStore;
  const worker = await joinWorkers(store.connectionString, store.db, log);
  const httpClient = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: 'sitewarden/test',
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    limits: { ...PATIENT_HTTP, ...options.http },
  });
  const limiters = options.limiters ?? createSharedLimiters(options.hostRateLimit ?? 100);
  const hosts = createCrawledHosts({ db: store.db, limiters, log });
  const crawling = startCrawling({
    db: store.db,
    hosts,
    limiters,
    userAgent: 'sitewarden/test',
    credentialStore: ownStore,
    sessions: options.sessions ?? NO_SESSIONS,
    journeys: options.journeys ?? NO_JOURNEYS,
    fetchPage: createPageFetcher({ httpClient }),
    fetchRobots: createRobotsFetcher({ httpClient }),
    budget: options.budget ?? createMemoryBudget(),
    renderPage,
    browser: options.browser ?? WORKING_BROWSER,
    planLimits: options.planLimits ?? DEFAULT_LIMITS,
    worker,
    log,
  });
  return {
    async stop() {
      hosts.stopWaiting();
      await crawling.stop();
      await hosts.close();
      await worker.close();
      await httpClient.close();
    },
  };
}

/** Waits until the spider has nothing left to do for the report. */
export function crawled(store: TestStore, reportId: string): Promise<unknown> {
  return until(async () => {
    const report = await store.db
      .selectFrom('reports')
      .select(['crawl_pending', 'crawled_by'])
      .where('id', '=', reportId)
      .executeTakeFirst();
    return report === undefined || !report.crawl_pending;
  });
}

/** A store with a running spider. Both end with the test file. */
export async function startTestCrawl(renderPage?: RenderPage): Promise<{
  readonly store: TestStore;
  /** The spider, which can be stopped and started like a process. */
  readonly crawler: { stop(): Promise<void>; start(): Promise<void> };
}> {
  const store = await openTestStore();
  let running = await startTestCrawler(store, renderPage);
  const crawler = {
    stop: () => running.stop(),
    async start() {
      running = await startTestCrawler(store, renderPage);
    },
  };
  after(async () => {
    await crawler.stop();
    await store.close();
  });
  return { store, crawler };
}

/**
 * Crawls a site from a path until nothing is left to do.
 * @returns the report's id
 */
export async function crawl(
  store: TestStore,
  site: Pick<TestSite, 'origin'>,
  changes: Partial<NewReportInput> = {},
  path = '/',
): Promise<string> {
  const reportId = await newReport(store, `${site.origin}${path}`, changes);
  await crawled(store, reportId);
  return reportId;
}

export async function reportOf(store: TestStore, reportId: string) {
  const report = await store.db.selectFrom('reports').selectAll().where('id', '=', reportId).executeTakeFirstOrThrow();
  return { ...report, crawl_error: fullSentenceOf(report.crawl_error) };
}

/** The pages of a report, in order of creation. */
export async function pagesOf(store: TestStore, reportId: string) {
  const pages = await store.db
    .selectFrom('web_pages as p')
    .leftJoin('discovered_urls as d', (join) =>
      join.onRef('d.report_id', '=', 'p.report_id').onRef('d.url', '=', 'p.url').on('d.outcome', '=', 'failed'),
    )
    .selectAll('p')
    .select('d.detail')
    .where('p.report_id', '=', reportId)
    .orderBy('p.id')
    .execute();
  return pages.map(({ detail, render_error: error, ...page }) => {
    return { ...page, fetch_error: detail && sentenceOf(detail), render_error: error && sentenceOf(error) };
  });
}
