import type { CheckKind } from '../domain/check.ts';

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
  readonly performHtmlChecks: boolean;
  readonly performA11yChecks: boolean;
  /** Id of a device of `browser/devices.ts`; null for the default one. */
  readonly deviceId: string | null;
  readonly deviceRotated: boolean;
  readonly shared: boolean;
  /** Trimmed, each once. */
  readonly tags: readonly string[];
}

export interface NewReportInput extends ReportDefinition {
  readonly accountId: string;
  /** The kinds of checks whose raw output is kept, too. */
  readonly storeRawChecks: readonly CheckKind[];
}
