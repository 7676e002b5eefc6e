import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Page } from 'playwright-core';
import { CheckFailure } from '../../platform/errors.ts';
import type { FrameWorld } from './frame-world.ts';
import type { ShowingLimits } from './limits.ts';
import type { RequestWatch } from './request-watch.ts';

export interface SettleMeans {
  readonly requests: RequestWatch;
  /** Resolves when the page is about to leave, rejects when nobody can see it then. */
  readonly departure: Promise<void>;
  readonly limits: ShowingLimits;
}

/**
 * Waits until the page has come to rest: its `load` event, then its fonts, the animations that end by themselves (text
 * half faded in has the wrong contrast), two frames drawn, and the requests that were under way by then.
 * Each step is bounded; a page that goes on loading or moving is taken as it stands, provided that its document is
 * parsed to the end.
 * @throws CheckFailure when a script does not let go of the page, or a blocking script never arrives
 */
export async function settlePage(page: Page, world: () => Promise<FrameWorld>, means: SettleMeans): Promise<void> {
  const { requests, departure, limits } = means;
  const load = page.waitForLoadState('load', { timeout: limits.loadTimeoutMs }).catch((error: unknown) => {
    if (!(error instanceof errors.TimeoutError)) throw error;
  });
  load.catch(() => undefined);
  // A page that is about to leave has no `load` event any more.
  await Promise.race([load, departure]);
  const state = await responsive(
    world().then((main) => main.evaluate(`(${settleInPage.toString()})(${limits.settleTimeoutMs})`)),
    limits.unresponsiveMs,
  );
  if (state === 'loading') {
    const culprit = requests.oldestPending();
    throw new CheckFailure(
      `The page was still loading after ${limits.loadTimeoutMs / 1000} seconds` +
        `${culprit === null ? '' : `, waiting for ${culprit}`}. Nobody sees its content before.`,
      { permanent: false },
    );
  }
  await requests.quiet(limits.networkQuietMs, limits.networkTimeoutMs);
}

/** @throws CheckFailure when the page's main thread is not free within its limit */
async function responsive<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work, delay(limitMs, null, { signal: waiting.signal }).then(unresponsive)]);
  } finally {
    waiting.abort();
    work.catch(() => undefined);
  }
}

function unresponsive(): never {
  throw new CheckFailure(
    'A script on the page runs without end (or opens dialogs without end), so that the page never becomes usable. ' +
      'Open the page in a browser and look at its scripts with the developer tools.',
    { permanent: true },
  );
}

/** The parts of the page's world that `settleInPage` touches; this file is not checked against a browser's types. */
interface PageAnimation {
  readonly playState: string;
  readonly finished: Promise<unknown>;
  readonly effect: { getComputedTiming(): { readonly endTime: number } } | null;
}
declare const document: {
  readonly readyState: string;
  readonly fonts: { readonly ready: Promise<unknown> };
  getAnimations(): PageAnimation[];
};
declare function requestAnimationFrame(callback: () => void): void;

/** Runs in the page, and so stands alone. */
async function settleInPage(limitMs: number): Promise<string> {
  if (document.readyState === 'loading') return 'loading';
  const frames = (count: number): Promise<unknown> =>
    count === 0
      ? Promise.resolve()
      : new Promise<void>((drawn) => requestAnimationFrame(drawn)).then(() => frames(count - 1));
  const rest = async (): Promise<void> => {
    await document.fonts.ready;
    await frames(2);
    const ending = document
      .getAnimations()
      .filter((animation) => animation.playState === 'running')
      .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map((animation) => animation.finished));
  };
  await Promise.race([rest(), new Promise((over) => setTimeout(over, limitMs))]);
  return document.readyState;
}
