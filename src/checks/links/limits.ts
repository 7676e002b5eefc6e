/** Limits of the link check of one page. */
export interface LinkLimits {
  /** Links of a page that are requested. The others count as not checked. Ordinary pages have fewer than 300. */
  readonly linksPerPageMax: number;
  /** Milliseconds for all links of a page, most of which is waiting for rate limits. */
  readonly pageTimeoutMs: number;
  /** Milliseconds for a request, without the wait for rate limits. */
  readonly requestTimeoutMs: number;
}

export const LINK_LIMITS: LinkLimits = { linksPerPageMax: 1_000, pageTimeoutMs: 600_000, requestTimeoutMs: 20_000 };

/** Pages whose links a process requests at a time. They mostly wait. */
export const linkPagesMax = 8;

/** Links of a page that are requested at a time. */
export const linksAtATimeMax = 8;

/** Requests per second of a report to hosts other than its own, which have not asked to be checked. */
export const foreignRequestsPerSecond = 1;

/** Redirects that are followed from a link. Browsers give up after 20. */
export const redirectsMax = 10;

/** Reports that a process remembers, and hosts and answers per report, which take about 200 bytes each. */
export const rememberedReportsMax = 16;
export const rememberedHostsMax = 1_000;
export const rememberedAnswersMax = 10_000;
