/** Limits of the link check of one page. */
export interface LinkLimits {
  /** Links of a page that are requested. The others count as not checked. Ordinary pages have fewer than 300. */
  readonly linksPerPageMax: number;
  /** Milliseconds for all links of a page, most of which is waiting for rate limits. */
  readonly pageTimeoutMs: number;
  /** Milliseconds for a request, without the wait for rate limits. */
  readonly requestTimeoutMs: number;
  /** Milliseconds between a failed name lookup and the second lookup. */
  readonly lookUpAgainAfterMs: number;
}

export const LINK_LIMITS: LinkLimits = {
  linksPerPageMax: 1_000,
  pageTimeoutMs: 600_000,
  requestTimeoutMs: 20_000,
  lookUpAgainAfterMs: 5_000,
};

/** Pages whose links a process requests at a time, of which one account alone uses half. They mostly wait. */
export const linkPagesMax = 16;

/** Links of a page that are requested at a time. */
export const linksAtATimeMax = 8;

/** Hosts that a process looks up at a time, with two queries each. Small name servers refuse more than 150. */
export const lookupsAtATimeMax = 64;

/**
 * Milliseconds that the result of a lookup is remembered, and number of remembered hosts: all hosts of the pages that are checked
 * at a time.
 */
export const rememberedLookupMs = 60_000;
export const rememberedLookupsMax = linkPagesMax * LINK_LIMITS.linksPerPageMax;

/** Requests per second of a report to hosts other than its own, which have not asked to be checked. */
export const foreignRequestsPerSecond = 1;

/** Redirects that are followed from a link. Browsers follow 20. */
export const redirectsMax = 10;

/** Reports that a process remembers, and hosts per report. */
export const rememberedReportsMax = 16;
export const rememberedHostsMax = 1_000;

/**
 * Memory for the pages of a report and the results of their links: about 10,000 with URLs of ordinary length, 900 with the
 * longest.
 */
export const rememberedPerReportBytes = 4 * 1_024 * 1_024;

/** Memory for a remembered page or result in addition to its URLs. */
export const rememberedEntryBytes = 300;
