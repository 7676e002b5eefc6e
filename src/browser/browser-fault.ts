import { CheckFault } from '../domain/check-fault.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { windowsPerPage } from './limits.ts';

/**
 * Why the browser could not complete a page:
 * - `crashed`: the page's renderer process ended
 * - `closed`: the page closed itself
 * - `memory`: the page was killed because it used too much memory
 * - `time_limit`: the page did not complete in time
 * - `windows`: the page opened too many windows
 * - `browser_gone`: the browser ended for another reason, not known to be this page's fault
 * - `aborted`: the caller's signal was aborted
 */
export type BrowserFaultKind = 'crashed' | 'closed' | 'memory' | 'time_limit' | 'windows' | 'browser_gone' | 'aborted';

/** Thrown when the browser could not complete a page. */
export class BrowserFault extends Error {
  override readonly name = 'BrowserFault';
  readonly kind: BrowserFaultKind;

  constructor(kind: BrowserFaultKind, options?: { cause?: unknown }) {
    super(`The browser could not complete a page: ${kind}`, options);
    this.kind = kind;
  }
}

const FAULTS_OF_PAGES: readonly BrowserFaultKind[] = ['crashed', 'closed', 'memory', 'time_limit', 'windows'];

/** Returns whether a page ended because of what it did, and not because its browser or its caller ended. */
export function isFaultOfPage(error: unknown): boolean {
  return error instanceof BrowserFault && FAULTS_OF_PAGES.includes(error.kind);
}

/** Whether the browser could not be started, which says nothing about the page. */
export function isBrowserMissing(error: unknown): error is AppError {
  return error instanceof AppError && ['browser_missing', 'browser_failed_to_start'].includes(error.code);
}

/** What the page was opened for. */
export interface PageWork {
  readonly work: 'check' | 'rendering' | 'login' | 'journey';
  readonly timeLimitMs: number;
}

/** Converts an error of a page in the browser to a failure that shows its origin and whether a retry may help. */
export function pageFailure(error: unknown, { work, timeLimitMs }: PageWork): CheckFault {
  if (error instanceof CheckFault) return error;
  const fail = (failure: Failure, options: Pick<CheckFault, 'permanent' | 'blame'>): CheckFault =>
    new CheckFault(failure, { ...options, cause: error });
  if (!(error instanceof BrowserFault)) {
    // Other errors may result from a crash.
    const blame = isBrowserMissing(error) ? 'engine' : 'anybody';
    // The message may contain what a login or a journey has entered.
    const isSecret = work === 'login' || work === 'journey';
    const failure: Failure = isSecret
      ? { code: 'page_given_up', params: {} }
      : { code: 'page_work_stopped', params: { work, text: messageOf(error) } };
    return fail(failure, { permanent: false, blame });
  }
  const ofPage = { permanent: true, blame: 'page' } as const;
  const ofAnybody = { permanent: false, blame: 'anybody' } as const;
  switch (error.kind) {
    case 'time_limit':
      return fail({ code: 'page_timeout', params: { work, seconds: timeLimitMs / 1_000 } }, ofPage);
    case 'memory':
      return fail({ code: 'page_memory', params: {} }, ofPage);
    case 'windows':
      return fail({ code: 'page_windows', params: { max: windowsPerPage } }, ofPage);
    case 'crashed':
      return fail({ code: 'page_crashed', params: {} }, ofAnybody);
    case 'closed':
      return fail({ code: 'page_closed_itself', params: {} }, ofAnybody);
    case 'browser_gone':
      return fail({ code: 'browser_ended', params: {} }, ofAnybody);
    case 'aborted':
      return fail({ code: 'page_given_up', params: {} }, { permanent: false, blame: 'engine' });
  }
}
