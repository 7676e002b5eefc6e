import { AppError, CheckFailure, messageOf } from '../../platform/errors.ts';
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
    // An error of the application is of a browser that cannot be started. Any other may be how a crash looks from within.
    const blame = error instanceof AppError ? 'checker' : 'anybody';
    return new CheckFailure(`${work.name} stopped: ${messageOf(error)}`, { permanent: false, blame, cause: error });
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
      return new CheckFailure(error.message, { permanent: false, blame: 'anybody', cause: error });
    case 'aborted':
      return new CheckFailure(error.message, { permanent: false, blame: 'checker', cause: error });
  }
}
