/** Limits of the link check of one page. */
export interface LinkLimits {
  /** Links of a page that are requested; the rest is reported as not checked. Ordinary pages have fewer than 300. */
  readonly linksPerPageMax: number;
  /** Milliseconds for all links of a page, most of which is waiting for the turn at a host. */
  readonly pageTimeoutMs: number;
  /** Milliseconds for one request, after its turn has come. Slower servers count as silent. */
  readonly requestTimeoutMs: number;
}

export const LINK_LIMITS: LinkLimits = { linksPerPageMax: 1_000, pageTimeoutMs: 600_000, requestTimeoutMs: 20_000 };

/** Pages whose links are requested at a time in a process: they mostly wait. */
export const linkPagesMax = 8;

/** Links of a page that are requested at a time. */
export const linksAtATimeMax = 8;

/** Requests per second to a host that is not the report's own: it did not ask to be checked. */
export const foreignRequestsPerSecond = 1;

/** Redirects that are followed from a link. Browsers give up after 20. */
export const redirectsMax = 10;

/** Reports of which a process remembers something; of each, hosts and answers, which take about 200 bytes each. */
export const rememberedReportsMax = 16;
export const rememberedHostsMax = 1_000;
export const rememberedAnswersMax = 10_000;
