import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { CheckNote } from '../../domain/check-note.ts';
import { type FrameWorld, innerWorlds, mainWorld, withinFrameLimit } from './frame-world.ts';
import { noteUrlCharactersMax } from './limits.ts';
import { HAS_SCRIPTS, untilElement } from './page-contents.ts';
import { untilQuiet } from './page-quiet.ts';
import type { RequestWatch } from './request-watch.ts';

export interface RestMeans {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly requests: RequestWatch;
  /** A CSS selector of what is waited for instead; null for rest. */
  readonly waitFor: string | null;
  /** For how long nothing may happen in a page at rest, in ms. */
  readonly restMs: number;
  readonly restTimeoutMs: number;
}

/** Whether scripts may still change the page or the frames in it. What has none is waited for by nobody. */
export async function hasScripts({
  page,
  cdp,
  requests,
}: Pick<RestMeans, 'page' | 'cdp' | 'requests'>): Promise<boolean> {
  if (requests.hasLoadedScript()) return true;
  const runs = async (world: FrameWorld): Promise<boolean> => (await world.evaluate(HAS_SCRIPTS)) === true;
  if (await runs(await mainWorld(cdp))) return true;
  const inner = await innerWorlds(page, cdp);
  return (await Promise.all(inner.map((world) => withinFrameLimit(runs(world))))).includes(true);
}

/**
 * Waits until a page has drawn itself: until no request is under way and nothing in it, nor in its frames, has changed for a
 * while; or until an element matches a selector. Takes it as it stands when the time is over.
 * @returns what is to be noted of it; null when it came to rest
 */
export async function untilDrawn(means: RestMeans): Promise<CheckNote | null> {
  const { cdp, requests, waitFor, restTimeoutMs } = means;
  const seconds = restTimeoutMs / 1000;
  if (waitFor === null) {
    if (await comesToRest(means)) return null;
    const url = requests.oldestPending()?.slice(0, noteUrlCharactersMax) ?? null;
    return { code: 'never_at_rest', params: { seconds, waiting_for: url } };
  }
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, restTimeoutMs));
  return isThere === true ? null : missing(waitFor, seconds);
}

/** What is to be noted of a page that nobody waits for, because nothing in it will change. */
export async function drawnAsSent({ cdp, waitFor }: Pick<RestMeans, 'cdp' | 'waitFor'>): Promise<CheckNote | null> {
  if (waitFor === null) return null;
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, 0));
  return isThere === true ? null : missing(waitFor, 0);
}

function missing(selector: string, seconds: number): CheckNote {
  return { code: 'wait_for_missing', params: { selector, seconds } };
}

/** @returns whether the page came to rest in time */
async function comesToRest({ page, cdp, requests, restMs, restTimeoutMs }: RestMeans): Promise<boolean> {
  const deadline = performance.now() + restTimeoutMs;
  const left = (): number => Math.max(0, deadline - performance.now());
  for (;;) {
    await requests.idle(left());
    if (left() === 0) return false;
    const events = requests.events();
    const main = await mainWorld(cdp);
    const inner = await innerWorlds(page, cdp);
    const quiet = untilQuiet(restMs, left());
    const frames = inner.map((world) => Promise.race([world.evaluate(quiet).catch(() => false), delay(left(), true)]));
    const changes = await Promise.all([main.evaluate(quiet), ...frames]);
    // Where there are several documents, one may have changed while another was waited for.
    const isQuiet = inner.length === 0 || !changes.includes(true);
    if (left() > 0 && isQuiet && requests.events() === events) return true;
  }
}
