import type { PageEnd } from './page-end.ts';

/** A page of a crawl, as it was found. */
interface FoundPage {
  readonly url: string;
  /** Its place among the pages of the report, from 1. */
  readonly turn: number;
  readonly content: Extract<PageEnd, { kind: 'document' | 'failed' }>;
}

/** Single pages may be closed to whoever has signed in; so many in a row are hardly. */
const REFUSED_IN_A_ROW = 3;

/**
 * Notices when a site that let a report in does not do so any more, such as when a session expires.
 * @param isTold whether the report has a `crawl_error` already
 * @returns takes the pages of a crawl in their order, and gives the sentence for `crawl_error`, once
 */
export function createRefusalWatch(isTold: boolean): (pages: readonly FoundPage[]) => string | undefined {
  let isDone = isTold;
  let refused: string[] = [];
  return (pages) => {
    for (const { url, turn, content } of pages) {
      const isRefused = content.kind === 'failed' && content.refusesAccess === true;
      refused = isRefused ? [...refused, `${url}: ${content.message}`] : [];
      // Where the starting URL itself fails, the report says so.
      isDone ||= isRefused && turn === 1;
      if (isDone || refused.length < REFUSED_IN_A_ROW) continue;
      isDone = true;
      return `The site did not let the report in ${REFUSED_IN_A_ROW} times in a row, although it signs in, first at ${refused[0]}. If all pages fail from there on, the session has ended: sign in with one that lasts, and exclude what ends it.`;
    }
    return undefined;
  };
}
