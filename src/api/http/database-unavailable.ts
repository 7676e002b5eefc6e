import { isCancelled, isPassing } from '../../platform/database-errors.ts';
import { RetryLater } from '../../platform/errors.ts';
import { unavailableRetryS } from '../limits.ts';

/** The database does not serve a request now, and will later. */
export class DatabaseUnavailable extends RetryLater {
  readonly retryAfterSeconds = unavailableRetryS;

  constructor(cause: unknown) {
    const detail = isCancelled(cause)
      ? 'The database took too long over this request. Ask for less, with a narrower filter or smaller pages, or later.'
      : 'The database does not answer right now. Ask again in a moment.';
    super('unavailable', detail, { cause });
  }
}

/** What a passing error of the database is to a client; undefined for any other error. */
export function fromDatabase(error: unknown): DatabaseUnavailable | undefined {
  return isPassing(error) ? new DatabaseUnavailable(error) : undefined;
}
