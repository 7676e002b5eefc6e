import { type SentAccess, wantsNoPassword } from '../domain/access-refusal.ts';
import type { PageEnd } from './page-end.ts';

/** A page of a crawl, as it was found. */
interface FoundPage {
  readonly url: string;
  /** Its place among the pages of the report, from 1. */
  readonly turn: number;
  readonly content: Extract<PageEnd, { kind: 'document' | 'failed' }>;
}

/** Single pages may be closed to whoever has signed in, or ask for a password; so many in a row hardly do. */
const REFUSED_IN_A_ROW = 3;

/**
 * Notices when a site that let a report in does not do so any more, such as when a session expires.
 * @param isTold whether the report has a `crawl_error` already
 * @param sentTo what a request for the URL signs in with
 * @returns takes the pages of a crawl in their order, and gives the sentence for `crawl_error`, once
 */
export function createRefusalWatch(
  isTold: boolean,
  sentTo: (url: string) => SentAccess | null,
): (pages: readonly FoundPage[]) => string | undefined {
  let isDone = isTold;
  let refused: string[] = [];
  let asking: string[] = [];

  const sentenceAt = ({ url, content }: FoundPage): string | undefined => {
    if (content.kind === 'failed') {
      refused = content.refusesAccess === true ? [...refused, `${url}: ${content.message}`] : [];
      if (refused.length < REFUSED_IN_A_ROW) return undefined;
      return `The site did not let the report in ${REFUSED_IN_A_ROW} times in a row, although it signs in, first at ${refused[0]}. If all pages fail from there on, the session has ended: sign in with one that lasts, and exclude what ends it.`;
    }
    refused = [];
    const sent = sentTo(url);
    if (!wantsNoPassword(url, sent)) return undefined;
    asking = content.hasPasswordField === true ? [...asking, url] : [];
    if (asking.length < REFUSED_IN_A_ROW) return undefined;
    return `From ${asking[0]} on, ${REFUSED_IN_A_ROW} pages in a row ask for a password, although the report signs in (${sent.names}). Perhaps the session has ended: sign in with one that lasts, and exclude what ends it.`;
  };

  return (pages) => {
    for (const page of pages) {
      if (isDone) break;
      const sentence = sentenceAt(page);
      // Where it is the starting URL itself, the report says so.
      isDone = sentence !== undefined || (page.turn === 1 && refused.length + asking.length > 0);
      if (sentence !== undefined) return sentence;
    }
    return undefined;
  };
}
