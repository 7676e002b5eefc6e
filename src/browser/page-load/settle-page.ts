import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { StepAside } from '../page-place.ts';
import { finishAnimations } from './finish-animations.ts';
import { type FrameWorld, innerWorlds, mainWorld, withinFrameLimit } from './frame-world.ts';
import type { OpeningWatch } from './fulfil-document.ts';
import { createHangDetector } from './hang-detector.ts';
import { HAS_SCRIPTS, IS_NEARLY_EMPTY, untilDrawn, untilElement, untilQuiet } from './in-page.ts';
import { noteUrlCharactersMax, openedQuietMs, type PageLoadLimits, reloadingPollMs } from './limits.ts';
import type { RequestWatch } from './request-watch.ts';

export interface SettleContext {
  readonly requests: RequestWatch;
  readonly opening: OpeningWatch;
  /** Resolves when the page tries to navigate away; rejects when it does so before it is parsed. */
  readonly navigation: Promise<void>;
  readonly stepAside: StepAside;
  /** CSS selector of the element to wait for in a page with scripts; null to wait until the page is settled. */
  readonly waitFor: string | null;
  readonly limits: PageLoadLimits;
}

/**
 * Waits until the page is settled: for its `load` event, its fonts and two frames; then, if it has scripts, until it has no
 * pending requests and no changes for a while, or until `waitFor` matches. Finishes animations, because half-faded text has the
 * wrong contrast. Each step has a time limit. A page that is still loading is used as it is, if its document is parsed, or was
 * opened by a script that does not close it.
 * @returns notes on how the page settled
 * @throws CheckFailure when a script blocks the page, or when its document is not parsed in time
 */
export async function settlePage(page: Page, cdp: CDPSession, context: SettleContext): Promise<CheckNote[]> {
  const { requests, opening, navigation, limits, stepAside, waitFor } = context;
  const world = (): Promise<FrameWorld> => mainWorld(cdp);
  const hangs = createHangDetector(limits.unresponsiveMs);
  const inPage = (expression: string): Promise<unknown> =>
    hangs.watch(world().then((main) => main.evaluate(expression)));
  // A reload ends the probe.
  const probe = (): Promise<unknown> =>
    world()
      .then((main) => main.evaluate('0'))
      .catch(() => undefined);
  const deadline = performance.now() + limits.loadTimeoutMs;
  let busyAt = performance.now();
  for (;;) {
    // A page that navigates away, or whose script never ends, has no `load` event.
    await hangs.whileResponsive(Promise.race([loaded(page, deadline), navigation]), probe);
    if ((await inPage(untilDrawn(limits.fontsTimeoutMs, false))) !== 'loading') break;
    // It was loaded a moment ago, so it is reloading, or a script has opened its document.
    const now = performance.now();
    if (!opening.wasOpened() || requests.oldestPending() !== null) busyAt = now;
    if (opening.wasOpened() && (now >= deadline || now - busyAt >= openedQuietMs)) {
      await inPage(untilDrawn(limits.fontsTimeoutMs, true));
      break;
    }
    if (now >= deadline) throw stillLoading(requests.oldestPending(), limits.loadTimeoutMs);
    await delay(reloadingPollMs);
  }
  const shown = { page, cdp, requests, waitFor, limits };
  const isScripted = await hangs.watch(hasScripts(shown));
  const note = isScripted
    ? await stepAside(() => hangs.whileResponsive(untilSettled(shown), probe))
    : await checkWaitFor(shown);
  if (isScripted) await inPage(untilDrawn(limits.fontsTimeoutMs, true));
  await inPage(finishAnimations(limits.fontsTimeoutMs));
  const isShell = isScripted && (await inPage(IS_NEARLY_EMPTY)) === true;
  return [...(note === null ? [] : [note]), ...(isShell ? [{ code: 'nearly_empty', params: {} } as const] : [])];
}

function stillLoading(pendingUrl: string | null, limitMs: number): CheckFailure {
  const params = { seconds: limitMs / 1_000, waiting_for: pendingUrl };
  return new CheckFailure({ code: 'still_loading', params }, { permanent: false });
}

/** Resolves with the page's `load` event, or at the deadline. */
async function loaded(page: Page, deadline: number): Promise<void> {
  // For Playwright, 0 means no limit.
  const timeout = Math.max(1, deadline - performance.now());
  try {
    await page.waitForLoadState('load', { timeout });
  } catch (error) {
    const { errors } = await import('playwright-core');
    if (!(error instanceof errors.TimeoutError)) throw error;
  }
}

interface SettlingPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly requests: RequestWatch;
  /** CSS selector of the element to wait for instead; null to wait until the page is settled. */
  readonly waitFor: string | null;
  readonly limits: PageLoadLimits;
}

/** Returns whether scripts may change the page or its frames. Pages without scripts need no waiting. */
async function hasScripts({ page, cdp, requests }: Pick<SettlingPage, 'page' | 'cdp' | 'requests'>): Promise<boolean> {
  if (requests.hasLoadedScript()) return true;
  const runs = async (world: FrameWorld): Promise<boolean> => (await world.evaluate(HAS_SCRIPTS)) === true;
  if (await runs(await mainWorld(cdp))) return true;
  const inner = await innerWorlds(page, cdp);
  return (await Promise.all(inner.map((world) => withinFrameLimit(runs(world))))).includes(true);
}

/**
 * Waits until a page is settled: until it has no pending requests, and neither it nor its frames have changed for a while; or
 * until an element matches `waitFor`. Stops waiting after `settleTimeoutMs`.
 * @returns a note when it stopped waiting; otherwise null
 */
async function untilSettled(page: SettlingPage): Promise<CheckNote | null> {
  const { cdp, requests, waitFor } = page;
  const { settleTimeoutMs } = page.limits;
  const seconds = settleTimeoutMs / 1000;
  if (waitFor === null) {
    if (await settlesInTime(page)) return null;
    const url = requests.oldestPending()?.slice(0, noteUrlCharactersMax) ?? null;
    return { code: 'never_at_rest', params: { seconds, waiting_for: url } };
  }
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, settleTimeoutMs));
  return isThere === true ? null : missing(waitFor, seconds);
}

/** Returns a note when `waitFor` does not match in a page without scripts, which needs no waiting; otherwise null. */
async function checkWaitFor({ cdp, waitFor }: Pick<SettlingPage, 'cdp' | 'waitFor'>): Promise<CheckNote | null> {
  if (waitFor === null) return null;
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, 0));
  return isThere === true ? null : missing(waitFor, 0);
}

function missing(selector: string, seconds: number): CheckNote {
  return { code: 'wait_for_missing', params: { selector, seconds } };
}

/** Returns whether the page is settled before `settleTimeoutMs` is over. */
async function settlesInTime({ page, cdp, requests, limits }: SettlingPage): Promise<boolean> {
  const deadline = performance.now() + limits.settleTimeoutMs;
  const left = (): number => Math.max(0, deadline - performance.now());
  for (;;) {
    await requests.idle(left());
    if (left() === 0) return false;
    const events = requests.events();
    const main = await mainWorld(cdp);
    const inner = await innerWorlds(page, cdp);
    const quiet = untilQuiet(limits.quietMs, left());
    const frames = inner.map((world) => Promise.race([world.evaluate(quiet).catch(() => false), delay(left(), true)]));
    const changes = await Promise.all([main.evaluate(quiet), ...frames]);
    // With several documents, one may have changed after its own wait was over.
    const isQuiet = inner.length === 0 || !changes.includes(true);
    if (left() > 0 && isQuiet && requests.events() === events) return true;
  }
}
