import { AppError } from '../../platform/errors.ts';

/** A mistake on the command line, worded without a final period. */
export function usage(problem: string, cause?: unknown): AppError {
  return new AppError('invalid_usage', `${problem}.`, { cause });
}
