import type { ErrorCode } from '../platform/errors.ts';

/** Exit statuses of the commands. Scripts rely on them. */
export const ExitStatus = {
  /** Success; a site passed its checks. */
  passed: 0,
  /** `check`: more issues or unchecked pages than allowed, or a budget exceeded. No other outcome of `check` has this status. */
  issues: 1,
  /** Other commands: something that they need does not work, such as the database. The message names it. */
  fault: 1,
  wrongUsage: 2,
  /** The site could not be checked. */
  notCheckable: 3,
  /** An error in sitewarden. `EX_SOFTWARE` in sysexits.h. */
  internal: 70,
  /** Stopped by Ctrl-C or another signal. Shells use the same status. */
  interrupted: 130,
} as const;

/** The site cannot be checked: because of the site itself, or because a validator or the browser does not start or print. */
const NOT_CHECKABLE: readonly ErrorCode[] = [
  'site_not_checkable',
  'java_missing',
  'validator_failed_to_start',
  'browser_missing',
  'browser_failed_to_start',
  'not_printable',
  'too_large_to_print',
];
const WRONG_USAGE: readonly ErrorCode[] = [
  'invalid_usage',
  'invalid_configuration',
  'invalid',
  'account_not_found',
  'token_not_found',
  'conflict',
];

/** Returns the exit status of a command that failed; for `check`, see `checkStatusOf`. */
export function exitStatusOf(code: ErrorCode): number {
  if (code === 'internal') return ExitStatus.internal;
  if (NOT_CHECKABLE.includes(code)) return ExitStatus.notCheckable;
  return WRONG_USAGE.includes(code) ? ExitStatus.wrongUsage : ExitStatus.fault;
}

/** Returns the exit status of a `check` that failed. It differs from the status of a check that found issues. */
export function checkStatusOf(code: ErrorCode): number {
  const status = exitStatusOf(code);
  return status === ExitStatus.fault ? ExitStatus.notCheckable : status;
}
