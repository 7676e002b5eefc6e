import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { CheckFault } from '../../domain/check-fault.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { messageOf } from '../../platform/errors.ts';
import { inTime } from '../../platform/in-time.ts';
import type { DevtoolsSession } from '../devtools-session.ts';
import type { StepAside } from '../page-permit.ts';
import type { BrowserPage } from '../page-slot.ts';
import { finishAnimations } from './finish-animations.ts';
import { type FrameWorld, innerWorlds, mainWorld, withinFrameLimit } from './frame-world.ts';
import {
  type FulfilledDocument,
  fulfilDocument,
  type OpeningWatch,
  type ShownDocument,
  watchOpening,
} from './fulfil-document.ts';
import { HAS_SCRIPTS, IS_NEARLY_EMPTY, untilContent, untilDrawn, untilElement, untilQuiet } from './in-page.ts';
import {
  noteUrlCharactersMax,
  openedQuietMs,
  type PageLoadLimits,
  probeIntervalMs,
  reloadingPollMs,
} from './limits.ts';
import { type LoadRecord, recordLoad } from './load-record.ts';
import { type RequestWatch, watchRequests } from './request-watch.ts';

export interface DocumentToShow {
  readonly url: string;
  readonly document: ShownDocument;
  /** CSS selector of the element to wait for in a page with scripts; null to wait until the page is settled. */
  readonly waitFor: string | null;
  readonly stepAside: StepAside;
  /** Whether to record what the page loads. */
  readonly isRecorded: boolean;
}

/** A page that is settled. */
export interface ShownPage extends BrowserPage {
  readonly main: FrameWorld;
  /** Notes on how it settled. */
  readonly notes: readonly CheckNote[];
  /** The style sheets, scripts and fonts that it was shown with, as `RequestWatch.resources`. */
  readonly resources: string;
  /** Whether scripts may have changed it. */
  readonly isScripted: boolean;
  /** Everything that the page has loaded so far, as `LoadRecord.responses`; null unless recording was requested. */
  responses: LoadRecord['responses'];
  /** The first URL that the page tried to navigate to, by a script or `refresh`; null for none. */
  navigationTarget(): string | null;
}

/** A page that can be used. */
export interface OperatedPage extends ShownPage {
  /** Waits until the page is settled again, for at most `limitMs`. */
  settle(limitMs: number): Promise<void>;
}

/**
 * Shows a document in a page, waits until it is settled, and calls `use` with it.
 * @throws CheckFault when the page cannot be shown, does not settle, or replaces itself with another document
 */
export async function showDocument<T>(
  { page, cdp }: BrowserPage,
  { url, document, waitFor, stepAside, isRecorded }: DocumentToShow,
  limits: PageLoadLimits,
  use: (shown: OperatedPage) => Promise<T>,
): Promise<T> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const record = isRecorded ? await recordLoad(page, cdp) : null;
  const requests = watchRequests(page);
  const opening = watchOpening(cdp, frameTree.frame.id);
  const fulfilled = await fulfilDocument(cdp, frameTree.frame.id, document);
  try {
    await openPage(page, url, limits);
    const result = await whileReloading(fulfilled, async () => {
      const { navigation, navigationTarget } = fulfilled;
      const { notes: ofLoad, isScripted } = await settlePage(page, cdp, {
        requests,
        opening,
        navigation,
        stepAside,
        waitFor,
        limits,
      });
      const isEmpty = ofLoad.some(({ code }) => code === 'nearly_empty');
      const { origin } = new URL(url);
      const missing = isEmpty ? requests.missingScript(origin) : null;
      // A short outage would otherwise make a page without content look as if its issues were fixed.
      if (missing !== null) throw new CheckFault({ code: 'script_missing', params: missing }, { permanent: false });
      const missingData = requests.missingData(origin);
      const notes = [
        ...ofLoad,
        ...(missingData === null ? [] : [{ code: 'data_missing', params: missingData } as const]),
      ];
      const resources = requests.resources();
      const responses = () => record?.responses() ?? null;
      const main = await mainWorld(cdp);
      const settle = async (settleTimeoutMs: number): Promise<void> => {
        await settlesInTime({ page, cdp, requests, limits: { ...limits, settleTimeoutMs } });
        await main.evaluate(untilDrawn(limits.fontsTimeoutMs, true));
        await main.evaluate(finishAnimations(limits.fontsTimeoutMs));
      };
      return use({ page, cdp, main, notes, resources, isScripted, responses, navigationTarget, settle });
    });
    const replacement = fulfilled.replacedBy();
    if (replacement !== null) throw replaced(replacement);
    return result;
  } finally {
    requests.end();
    record?.end();
    opening.end();
    await fulfilled.end().catch(() => undefined);
  }
}

/** The activity in a page that steps use, since its last mark. */
export interface LiveWatch {
  readonly requests: RequestWatch;
  readonly opening: OpeningWatch;
  end(): void;
}

export async function watchLivePage({ page, cdp }: BrowserPage): Promise<LiveWatch> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const [requests, opening] = [watchRequests(page), watchOpening(cdp, frameTree.frame.id)];
  return {
    requests,
    opening,
    end() {
      requests.end();
      opening.end();
    },
  };
}

/**
 * Waits until a page that steps use has settled.
 * @throws CheckFault when a script blocks the page, or when its document is not parsed in time
 */
export async function settleLivePage(
  { page, cdp }: BrowserPage,
  { requests, opening }: LiveWatch,
  stepAside: StepAside,
  limits: PageLoadLimits,
): Promise<ShownPage> {
  const navigation = new Promise<void>(() => undefined);
  const context = { requests, opening, navigation, stepAside, waitFor: null, limits };
  const { notes, isScripted } = await settlePage(page, cdp, context);
  const none = () => null;
  const shown = { main: await mainWorld(cdp), notes, isScripted, resources: requests.resources() };
  return { page, cdp, ...shown, responses: none, navigationTarget: none };
}

/** Repeats work when the page has reloaded itself and so interrupted it. */
async function whileReloading<T>({ loads }: FulfilledDocument, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = loads();
    try {
      return await work();
    } catch (error) {
      if (error instanceof CheckFault || loads() === before) throw error;
    }
  }
}

function replaced(url: string): CheckFault {
  return new CheckFault({ code: 'replaces_itself', params: { url } }, { permanent: true });
}

/**
 * Navigates to the page and waits until its document is committed.
 * @throws CheckFault when the page cannot be shown
 */
async function openPage(page: Page, url: string, limits: PageLoadLimits): Promise<void> {
  const timeout = limits.loadTimeoutMs;
  await page.goto(url, { waitUntil: 'commit', timeout }).catch((error: unknown) => {
    throw openingFailure(error, timeout);
  });
}

/**
 * Explains why a page could not be opened. Its document is local: unless this page is certainly the cause, another page or a
 * browser process that has ended may have caused the failure.
 * @returns a CheckFault; the error itself if the page is not the cause
 */
export function openingFailure(error: unknown, timeoutMs: number): unknown {
  const message = messageOf(error);
  if (error instanceof Error && error.name === 'TimeoutError') {
    const params = { seconds: timeoutMs / 1_000 };
    return new CheckFault({ code: 'page_late', params }, { permanent: false, blame: 'anybody', cause: error });
  }
  if (/Download is starting/.test(message)) {
    return new CheckFault({ code: 'page_is_download', params: {} }, { permanent: true, cause: error });
  }
  const text = /net::ERR_[A-Z_]+|invalid URL/.exec(message)?.[0];
  if (text === undefined) return error;
  const permanent = text === 'invalid URL';
  return new CheckFault({ code: 'page_not_shown', params: { text } }, { permanent, blame: 'anybody', cause: error });
}

interface SettleContext extends Pick<DocumentToShow, 'stepAside' | 'waitFor'> {
  readonly requests: RequestWatch;
  readonly opening: OpeningWatch;
  /** Resolves when the page tries to navigate away; rejects when it does so before it is parsed. */
  readonly navigation: Promise<void>;
  readonly limits: PageLoadLimits;
}

/**
 * Waits until the page is settled: for its `load` event, its fonts and two frames; then, if it has scripts, until it has no
 * pending requests and no changes for a while and is not nearly empty, or until `waitFor` matches. Finishes animations, because
 * half-faded text has the wrong contrast. Each step has a time limit. A page that is still loading is used in its current state
 * if its document is parsed, or was opened by a script that does not close it.
 * @returns notes on how the page settled, and whether scripts may have changed it
 * @throws CheckFault when a script blocks the page, or when its document is not parsed in time
 */
async function settlePage(
  page: Page,
  cdp: DevtoolsSession,
  context: SettleContext,
): Promise<{ readonly notes: readonly CheckNote[]; readonly isScripted: boolean }> {
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
  const emptiness = isShell ? [{ code: 'nearly_empty', params: {} } as const] : [];
  return { notes: [...(note === null ? [] : [note]), ...emptiness], isScripted };
}

function stillLoading(pendingUrl: string | null, limitMs: number): CheckFault {
  const params = { seconds: limitMs / 1_000, waiting_for: pendingUrl };
  return new CheckFault({ code: 'still_loading', params }, { permanent: false });
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

interface SettlingPage extends Pick<SettleContext, 'requests' | 'waitFor' | 'limits'> {
  readonly page: Page;
  readonly cdp: DevtoolsSession;
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

/** Returns whether the page settles within `settleTimeoutMs`. A nearly empty page is given all that time to show content. */
async function settlesInTime({ page, cdp, requests, limits }: Omit<SettlingPage, 'waitFor'>): Promise<boolean> {
  const deadline = performance.now() + limits.settleTimeoutMs;
  const left = (): number => Math.max(0, deadline - performance.now());
  for (;;) {
    await requests.idle(left());
    if (left() === 0) return false;
    const events = requests.events();
    const main = await mainWorld(cdp);
    const inner = await innerWorlds(page, cdp);
    const quiet = untilQuiet(limits.quietMs, left());
    const frames = inner.map((world) =>
      inTime(
        world.evaluate(quiet).catch(() => false),
        left(),
        () => true,
      ),
    );
    const changes = await Promise.all([main.evaluate(quiet), ...frames]);
    // With several documents, one may have changed after its own wait was over.
    const isQuiet = inner.length === 0 || !changes.includes(true);
    if (left() === 0 || !isQuiet || requests.events() !== events) continue;
    if ((await main.evaluate(IS_NEARLY_EMPTY)) !== true) return true;
    // A timer may still fill this shell. If it stays empty, it still counts as settled.
    if ((await main.evaluate(untilContent(left()))) === true) return true;
  }
}

/** Finds pages whose scripts never end: their main thread never responds. */
export interface HangDetector {
  /** Awaits a response of the page. @throws CheckFault when the page has not responded within the limit */
  watch<T>(answer: Promise<T>): Promise<T>;
  /**
   * Awaits work in the page that may take any time, while periodically probing whether the main thread responds.
   * @throws CheckFault when it does not
   */
  whileResponsive<T>(work: Promise<T>, probe: () => Promise<unknown>): Promise<T>;
}

/**
 * The limit counts from the first probe to which the page has not responded, over several calls. Time without probes does not
 * count: after waiting for its turn among other pages, a page may be as responsive as before.
 */
export function createHangDetector(limitMs: number): HangDetector {
  let owesSince: number | null = null;
  const watch = async <T>(answer: Promise<T>): Promise<T> => {
    owesSince ??= performance.now();
    try {
      return await inTime(answer, Math.max(0, owesSince + limitMs - performance.now()), () => {
        throw new CheckFault({ code: 'script_without_end', params: {} }, { permanent: true });
      });
    } finally {
      owesSince = null;
    }
  };
  return {
    watch,
    async whileResponsive(work, probe) {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      for (;;) {
        await inTime(over, probeIntervalMs, () => undefined);
        if (isOver) return over;
        await Promise.race([over, watch(probe())]);
      }
    },
  };
}
