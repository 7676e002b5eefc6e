import { CheckFault } from '../domain/check-fault.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type Redaction, redacted } from '../domain/redaction.ts';
import { messageOf } from '../platform/errors.ts';
import { faultOf } from './check-retries.ts';

/** Returns an error of a check with its failure, in which the session of the site is also masked. */
export function maskedFault(cause: unknown, redaction: Redaction | null): CheckFault {
  const { permanent, blame } = faultOf(cause);
  return new CheckFault(redacted(failureOf(cause), redaction), { permanent, blame, cause });
}

/** Returns the failure of an error; for an unexpected one, with its message. */
export function failureOf(error: unknown): Failure {
  return error instanceof CheckFault ? error.failure : { code: 'check_error', params: { text: messageOf(error) } };
}
