import { CheckFailure, messageOf } from '../../platform/errors.ts';
import { BrowserFault } from '../browser-fault.ts';

/** What was done with a page, for the sentences that say why it came to nothing. */
export interface PageWork {
  /** With its article, in the words of the page's owner. */
  readonly name: string;
  readonly timeLimitMs: number;
}

/** Whatever went wrong with a page in the browser as a failure: whose fault it was, and whether a retry may help. */
export function pageFailure(error: unknown, work: PageWork): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (!(error instanceof BrowserFault)) {
    return new CheckFailure(`${work.name} stopped: ${messageOf(error)}`, { permanent: false, cause: error });
  }
  switch (error.kind) {
    case 'time_limit':
      return new CheckFailure(
        `${work.name} of the page did not end within ${work.timeLimitMs / 1000} seconds. ` +
          'The page is very large, or a script keeps it busy.',
        { permanent: true, cause: error },
      );
    case 'memory':
    case 'windows':
      return new CheckFailure(error.message, { permanent: true, cause: error });
    case 'crashed':
    case 'browser_gone':
    case 'aborted':
      return new CheckFailure(error.message, { permanent: false, cause: error });
  }
}
