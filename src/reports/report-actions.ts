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

/** What can be done to reports and their pages. Who may do it is decided before, in `accounts/access.ts`. */
export interface ReportActions {
  /** Creates the report and sets the spider to work; gives the report's id. */
  createReport(input: NewReportInput): Promise<string>;
  setShared(reportId: string, shared: boolean): Promise<void>;
  /** The report is gone for everybody at once; its rows are removed in the background. */
  deleteReport(reportId: string): Promise<void>;
  /** Fetches the page again and runs its enabled checks anew. */
  recheckPage(reportId: string, webPageId: number): Promise<void>;
  /** Removes the page and excludes its URL; with the last page the report goes as well. */
  deletePage(reportId: string, webPageId: number): Promise<void>;
}
