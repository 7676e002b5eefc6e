import type { JourneyParts } from '../../src/crawling/journeys/journeys-of-report.ts';
import type { CrawlingParts } from '../../src/crawling/start-crawling.ts';
import type { ReportSessions } from '../../src/logins/report-sessions.ts';

/** For reports without a login. */
export const NO_SESSIONS: ReportSessions = {
  open: () => Promise.reject(new Error('There is no browser in this test.')),
  verify: () => Promise.reject(new Error('There is no browser in this test.')),
  secrets: async () => [],
  keep: async () => undefined,
};

/** A browser that reports which need one may wait for. */
export const WORKING_BROWSER: CrawlingParts['browser'] = { isReady: async () => true, isBroken: () => false };

/** Parts of a crawl for reports without journeys. */
export const NO_JOURNEYS: JourneyParts['journeys'] = {
  pool: { withPage: () => Promise.reject(new Error('There is no browser.')) },
  engines: [],
  limits: {},
};
