import type { CheckKind } from './check.ts';

/** What a report is made of, parsed and normalised: URLs as the URL Standard serialises them, without fragment. */
export interface ReportDefinition {
  readonly startingUrl: string;
  readonly initialUrls: readonly string[];
  /** URLs or parts of paths that the spider skips, as given. */
  readonly exclusions: readonly string[];
  readonly maxPages: number;
  /** Requests per second. */
  readonly rateLimit: number;
  readonly deepCrawl: boolean;
  readonly preferCanonicalUrls: boolean;
  /** Whether pages are rendered in a browser to find the links that scripts make. */
  readonly dynamicCrawler: boolean;
  /** Whether the spider keeps to the site's robots.txt. */
  readonly respectRobotsTxt: boolean;
  /** The kinds of checks that pages get. */
  readonly checks: readonly CheckKind[];
  /** Id of a device of `browser/devices.ts`; null for the default one. */
  readonly deviceId: string | null;
  readonly deviceRotated: boolean;
  /** A CSS selector of what a page with scripts is waited for; null for its rest. */
  readonly waitFor: string | null;
  readonly shared: boolean;
  /** Trimmed, each once. */
  readonly tags: readonly string[];
  /** The kinds of checks whose raw output is kept, too. */
  readonly storeRawChecks: readonly CheckKind[];
}

/** What a new report is when nothing is said but its starting URL. */
export const DEFAULT_DEFINITION: ReportDefinition = {
  startingUrl: '',
  initialUrls: [],
  exclusions: [],
  maxPages: 10,
  rateLimit: 1,
  deepCrawl: true,
  preferCanonicalUrls: true,
  dynamicCrawler: false,
  respectRobotsTxt: false,
  checks: ['html'],
  deviceId: null,
  deviceRotated: false,
  waitFor: null,
  shared: false,
  tags: [],
  storeRawChecks: [],
};
