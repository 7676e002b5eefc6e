import { setTimeout as delay } from 'node:timers/promises';
import { type CDPSession, errors, type Page } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { StepAside } from '../page-place.ts';
import { type FrameWorld, mainWorld } from './frame-world.ts';
import { loadingAnewPollMs, openedQuietMs, type PageLoadLimits, probeIntervalMs } from './limits.ts';
import type { OpeningWatch } from './opening-watch.ts';
import { IS_NEARLY_EMPTY } from './page-contents.ts';
import { drawnAsSent, hasScripts, untilDrawn } from './page-rest.ts';
import type { RequestWatch } from './request-watch.ts';
import { stillAnimations } from './still-animations.ts';

export interface SettleMeans {
  readonly requests: RequestWatch;
  readonly opening: OpeningWatch;
  /** Resolves when the page is about to leave, rejects when nobody can see it then. */
  readonly departure: Promise<void>;
  /** What the page is waited for beside others that are worked on. */
  readonly stepAside: StepAside;
  /** A CSS selector of what a page with scripts is waited for; null for its rest. */
  readonly waitFor: string | null;
  readonly limits: PageLoadLimits;
}

/**
 * Waits until the page has come to rest: its `load` event, its fonts and two frames drawn; then, where it has scripts, until
 * nothing is under way and nothing changes for a while, or until `waitFor` is there. Brings its animations to rest: text half
 * faded in has the wrong contrast. Each step is bounded; a page that goes on loading is taken as it stands, provided that
 * its document is parsed to the end, or is one that a script has opened and does not close.
 * @returns what is to be noted of the page
 * @throws CheckFailure when a script does not let go of the page, or a blocking script never arrives
 */
export async function settlePage(page: Page, cdp: CDPSession, means: SettleMeans): Promise<CheckNote[]> {
  const { requests, opening, departure, limits, stepAside, waitFor } = means;
  const world = (): Promise<FrameWorld> => mainWorld(cdp);
  const pulse = createPulse(limits.unresponsiveMs);
  const inPage = (expression: string): Promise<unknown> =>
    pulse.answer(world().then((main) => main.evaluate(expression)));
  const settle = (asItStands: boolean): Promise<unknown> =>
    inPage(`(${settleInPage.toString()})(${limits.settleTimeoutMs}, ${asItStands})`);
  const deadline = performance.now() + limits.loadTimeoutMs;
  let busyAt = performance.now();
  for (;;) {
    // A page that is about to leave has no `load` event any more, nor has one whose script runs without end.
    await whileResponsive(Promise.race([loaded(page, deadline), departure]), world, pulse);
    if ((await settle(false)) !== 'loading') break;
    // It counted as loaded a moment ago: it has just begun to load itself again, or a script has opened its document.
    const now = performance.now();
    if (!opening.wasOpened() || requests.oldestPending() !== null) busyAt = now;
    if (opening.wasOpened() && (now >= deadline || now - busyAt >= openedQuietMs)) {
      await settle(true);
      break;
    }
    if (now >= deadline) throw stillLoading(requests.oldestPending(), limits.loadTimeoutMs);
    await delay(loadingAnewPollMs);
  }
  const drawing = { page, cdp, requests, waitFor, restMs: limits.restMs, restTimeoutMs: limits.restTimeoutMs };
  const isScripted = await pulse.answer(hasScripts(drawing));
  const note = isScripted
    ? await stepAside(() => whileResponsive(untilDrawn(drawing), world, pulse))
    : await drawnAsSent(drawing);
  if (isScripted) await settle(true);
  await inPage(stillAnimations(limits.settleTimeoutMs));
  const isShell = isScripted && (await inPage(IS_NEARLY_EMPTY)) === true;
  return [...(note === null ? [] : [note]), ...(isShell ? [{ code: 'nearly_empty', params: {} } as const] : [])];
}

function stillLoading(culprit: string | null, limitMs: number): CheckFailure {
  const params = { seconds: limitMs / 1_000, waiting_for: culprit };
  return new CheckFailure({ code: 'still_loading', params }, { permanent: false });
}

/** Resolves with the page's `load` event, and at the deadline. */
async function loaded(page: Page, deadline: number): Promise<void> {
  // Playwright takes 0 for no limit.
  const timeout = Math.max(1, deadline - performance.now());
  try {
    await page.waitForLoadState('load', { timeout });
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
  }
}

interface Pulse {
  /** @throws CheckFailure when the page has not answered anything for as long as the limit */
  answer<T>(work: Promise<T>): Promise<T>;
}

/** Awaits answers of a page. Time without one counts on from one wait to the next. */
function createPulse(limitMs: number): Pulse {
  let answeredAt = performance.now();
  return {
    async answer(work) {
      const result = await responsive(work, answeredAt + limitMs - performance.now());
      answeredAt = performance.now();
      return result;
    },
  };
}

/**
 * Awaits what the page does in its own time, as long as its main thread is free now and then.
 * @throws CheckFailure when it is not
 */
async function whileResponsive<T>(work: Promise<T>, world: () => Promise<FrameWorld>, pulse: Pulse): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (;;) {
    await Promise.race([over, delay(probeIntervalMs, undefined, { ref: false })]);
    if (isOver) return over;
    // A page that loads itself again takes the probe with it.
    const probe = world()
      .then((main) => main.evaluate('0'))
      .catch(() => undefined);
    await Promise.race([over, pulse.answer(probe)]);
  }
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
  throw new CheckFailure({ code: 'script_without_end', params: {} }, { permanent: true });
}

/** The parts of the page's world that `settleInPage` touches; this file is not checked against a browser's types. */
declare const document: {
  readonly readyState: string;
  readonly fonts: { readonly ready: Promise<unknown> };
};
declare function requestAnimationFrame(callback: () => void): void;

/** Runs in the page, and so stands alone. */
async function settleInPage(limitMs: number, asItStands: boolean): Promise<string> {
  if (document.readyState === 'loading' && !asItStands) return 'loading';
  const frames = (count: number): Promise<unknown> =>
    count === 0
      ? Promise.resolve()
      : new Promise<void>((drawn) => requestAnimationFrame(drawn)).then(() => frames(count - 1));
  const rest = async (): Promise<void> => {
    await document.fonts.ready;
    await frames(2);
  };
  await Promise.race([rest(), new Promise((over) => setTimeout(over, limitMs))]);
  return document.readyState;
}
