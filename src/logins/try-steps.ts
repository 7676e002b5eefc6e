import { isBrowserMissing } from '../browser/browser-fault.ts';
import type { BrowserPage } from '../browser/page-slot.ts';
import type { Viewport } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { Journey } from '../domain/journey.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { AppError } from '../platform/errors.ts';
import { endTry, reserveTry } from '../store/accounts/tries.ts';
import type { Database } from '../store/database.ts';
import { tryLeaseMs } from './limits.ts';
import type { TakeCode } from './perform-step.ts';
import { showPage } from './show-page.ts';
import { addingTo } from './take-code.ts';

/** The result of steps that were tried. */
export interface StepsTest {
  /** Null if they worked. */
  readonly failure: Failure | null;
  /** The index of the step that failed; null if none did. */
  readonly failedStep: number | null;
  /** The page after each step that was performed, in WebP; null if it shows a secret. */
  readonly screenshots: readonly (Buffer | null)[];
}

/** A journey to be tried, and the site that it belongs to. */
export interface JourneyToTest {
  readonly journey: Journey;
  readonly access: SiteAccess;
  readonly startingUrl: string;
  readonly viewport: Viewport;
}

/** Tries a journey, without a report: signs in if the site has a login, and performs its steps. @throws AppError conflict */
export type TestJourney = (accountId: string, toTest: JourneyToTest) => Promise<StepsTest>;

export interface TryMeans {
  readonly takeCode: TakeCode;
  readonly signal: AbortSignal;
  /** Takes a screenshot after a step. */
  readonly onStep: (page: BrowserPage, index: number) => Promise<void>;
}

interface StepsToTry {
  readonly accountId: string;
  /** No screenshot shows them. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  /** Returns the failure which says that the login or the journey did not work, and why. */
  readonly failed: (why: Failure) => Failure;
}

/**
 * Tries steps. Only one request of an account can do so at a time, across all processes.
 * @param perform performs the steps. @returns why they failed
 * @throws AppError conflict
 */
export async function trySteps(
  { db, takeCode }: { readonly db: Database; readonly takeCode: TakeCode },
  { accountId, secrets, timeoutMs, failed }: StepsToTry,
  perform: (means: TryMeans) => Promise<Pick<StepsTest, 'failure' | 'failedStep'>>,
): Promise<StepsTest> {
  const until = await reserveTry(db, accountId, tryLeaseMs);
  if (until === null) {
    throw new AppError('conflict', 'You are already trying a login or journey. Wait until that test ends.');
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const screenshots: (Buffer | null)[] = [];
  const hidden = [...secrets];
  const onStep = async (page: BrowserPage, index: number): Promise<void> => {
    screenshots[index] = await showPage(page, hidden);
  };
  try {
    return { ...(await perform({ takeCode: addingTo(hidden, takeCode), signal, onStep })), screenshots };
  } catch (error) {
    const why = whyNotTried(error, signal, timeoutMs);
    if (why === null) throw error;
    return { failure: failed(why), failedStep: null, screenshots };
  } finally {
    await endTry(db, accountId, until);
  }
}

/** Returns null if the error is unexpected. */
function whyNotTried(error: unknown, signal: AbortSignal, timeoutMs: number): Failure | null {
  if (signal.aborted) return { code: 'login_not_tried_in_time', params: { seconds: timeoutMs / 1_000 } };
  return isBrowserMissing(error) ? { code: 'browser_unavailable', params: { text: error.message } } : null;
}
