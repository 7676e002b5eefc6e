import { type SentAccess, wantsNoPassword } from '../domain/access-refusal.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { WebPageContent } from '../domain/fetched-page.ts';

/** A page of a crawl, as it was found. */
interface FoundPage {
  readonly url: string;
  /** Its place among the pages of the report, from 1. */
  readonly turn: number;
  readonly content: WebPageContent;
}

/** Single pages may be closed to whoever has signed in, or ask for a password; so many in a row hardly do. */
const REFUSED_IN_A_ROW = 3;

/**
 * Notices when a site that let a report in does not do so any more, such as when a session expires.
 * @param isTold whether the report has a `crawl_error` already
 * @param sentTo what a request for the URL signs in with
 * @returns takes the pages of a crawl in their order, and gives what `crawl_error` is to say, once
 */
export function createRefusalWatch(
  isTold: boolean,
  sentTo: (url: string) => SentAccess | null,
): (pages: readonly FoundPage[]) => Failure | undefined {
  let isDone = isTold;
  let refused: { readonly url: string; readonly why: Failure }[] = [];
  let asking: string[] = [];

  const failureAt = ({ url, content }: FoundPage): Failure | undefined => {
    if (content.kind === 'failed') {
      refused = content.refusesAccess === true ? [...refused, { url, why: content.failure }] : [];
      const [first] = refused;
      if (first === undefined || refused.length < REFUSED_IN_A_ROW) return undefined;
      return { code: 'signed_out_by_refusal', params: { times: REFUSED_IN_A_ROW, ...first } };
    }
    refused = [];
    const sent = sentTo(url);
    if (!wantsNoPassword(url, sent)) return undefined;
    asking = content.hasPasswordField === true ? [...asking, url] : [];
    const [first] = asking;
    if (first === undefined || asking.length < REFUSED_IN_A_ROW) return undefined;
    return { code: 'signed_out_by_password', params: { times: REFUSED_IN_A_ROW, url: first, names: sent.names } };
  };

  return (pages) => {
    for (const page of pages) {
      if (isDone) break;
      const failure = failureAt(page);
      // Where it is the starting URL itself, the report says so.
      isDone = failure !== undefined || (page.turn === 1 && refused.length + asking.length > 0);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}
