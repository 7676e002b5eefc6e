import { CheckFault } from '../domain/check-fault.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type Redaction, redacted } from '../domain/redaction.ts';
import { messageOf } from '../platform/errors.ts';
import { faultOf } from './check-retries.ts';

/** Returns the fault of a check. In its failure, the secrets of the site's session are masked, too. */
export function maskedFault(cause: unknown, redaction: Redaction | null): CheckFault {
  const { permanent, blame } = faultOf(cause);
  return new CheckFault(redacted(failureOf(cause), redaction), { permanent, blame, cause });
}

/** Returns the failure of an error; for an unexpected one, with its message. */
export function failureOf(error: unknown): Failure {
  return error instanceof CheckFault ? error.failure : { code: 'check_error', params: { text: messageOf(error) } };
}
