import type { Failure } from '../../src/domain/failures/failure.ts';

export const ANSWERED_404 = { code: 'error_status', params: { status: 404 } } as const satisfies Failure;
/** A failure with this sentence. */
export function saying(text: string): Failure {
  return { code: 'check_error', params: { text } };
}
