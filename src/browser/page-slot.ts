import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import { defaultUserAgent } from './devices.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { contextsPerSlot, pageGraceMs } from './limits.ts';

/** An empty page in which nothing of an earlier one is left, except the HTTP cache of its group. */
export interface BrowserPage {
  readonly page: Page;
  readonly cdp: CDPSession;
}

interface GroupContext {
  readonly key: string;
  readonly cacheGroup: string;
  readonly context: BrowserContext;
  open: BrowserPage | null;
}

/** A place in a browser in which one page is shown at a time. */
export interface PageSlot {
  /** Whether the slot has shown pages of the group, and so has their style sheets and scripts at hand. */
  knows(cacheGroup: string): boolean;
  /** The page for a group and viewport, empty. */
  open(cacheGroup: string, viewport: Viewport): Promise<BrowserPage>;
  /** The page that is being opened; null when the browser does not get it open in time. */
  opened(opening: Promise<BrowserPage>): Promise<BrowserPage | null>;
  /**
   * Empties the page for the next one: its document, storage, cookies and windows. The page itself is kept, because a
   * new one for each document costs a quarter more processor time.
   * @returns false when the page did not let itself be emptied
   */
  reset(used: BrowserPage): Promise<boolean>;
  /**
   * Has the empty page collect what earlier ones left in its process, if it has shown any since the last time. Left to
   * itself it does so at several hundred megabytes. Never rejects.
   */
  collectGarbage(): Promise<void>;
  /**
   * Throws the page and its context away.
   * @returns false when the browser did not do it in time, and has to be killed
   */
  discard(used: BrowserPage): Promise<boolean>;
}

export function createPageSlot(chromium: RunningChromium): PageSlot {
  /** In the order of use, the latest last. */
  let contexts: GroupContext[] = [];
  let hasGarbage = false;

  async function contextFor(cacheGroup: string, viewport: Viewport): Promise<GroupContext> {
    const key = JSON.stringify([cacheGroup, viewport]);
    const known = contexts.find((candidate) => candidate.key === key);
    const chosen = known ?? { key, cacheGroup, context: await guardedContext(chromium, viewport), open: null };
    contexts = [...contexts.filter((candidate) => candidate !== chosen), chosen];
    // An idle page holds a process; the cache lives in the context.
    for (const idle of contexts.slice(0, -1)) {
      const unused = idle.open;
      idle.open = null;
      await unused?.page.close();
    }
    for (const surplus of contexts.splice(0, contexts.length - contextsPerSlot)) await surplus.context.close();
    return chosen;
  }

  /** A page whose process has ended while it was idle is of no use, and its context goes with it. */
  function forget(crashed: BrowserPage): void {
    const group = contexts.find((candidate) => candidate.open === crashed);
    if (group === undefined) return;
    contexts = contexts.filter((candidate) => candidate !== group);
    void group.context.close().catch(() => undefined);
  }

  return {
    knows(cacheGroup) {
      return contexts.some((candidate) => candidate.cacheGroup === cacheGroup);
    },
    async open(cacheGroup, viewport) {
      hasGarbage = true;
      const group = await contextFor(cacheGroup, viewport);
      if (group.open === null) {
        const page = await group.context.newPage();
        const opened = { page, cdp: await group.context.newCDPSession(page) };
        page.once('crash', () => forget(opened));
        group.open = opened;
        return opened;
      }
      return group.open;
    },
    async opened(opening) {
      return inTime(opening, null);
    },
    async reset(used) {
      return inTime(empty(used).then(always), false);
    },
    async collectGarbage() {
      const idle = contexts.at(-1)?.open;
      if (!hasGarbage || idle === null || idle === undefined) return;
      hasGarbage = false;
      await inTime(idle.cdp.send('HeapProfiler.collectGarbage'), null);
    },
    async discard(used) {
      contexts = contexts.filter((candidate) => candidate.open !== used);
      return inTime(used.page.context().close().then(always), false);
    },
  };
}

async function empty({ page, cdp }: BrowserPage): Promise<void> {
  await page.goto('about:blank', { waitUntil: 'commit' });
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await Promise.all([
    page.evaluate('window.name = ""'),
    // An opaque origin stands for all origins (Chromium's StoragePartition::ClearData); cookies are part of `all`, the
    // HTTP cache is not. Cookies are named again, since a carried-over one would change the next page's findings.
    cdp.send('Storage.clearDataForOrigin', { origin: 'null', storageTypes: 'all' }),
    page.context().clearCookies(),
  ]);
}

function always(): boolean {
  return true;
}

/** The result of a piece of work; another value when it fails, or does not end before the grace is over. */
async function inTime<T, U>(work: Promise<T>, otherwise: U): Promise<T | U> {
  const limit = new AbortController();
  try {
    return await Promise.race([work.catch(() => otherwise), delay(pageGraceMs, otherwise, { signal: limit.signal })]);
  } finally {
    limit.abort();
  }
}

/**
 * A context with which pages of one report are shown: its HTTP cache is theirs alone. Downloads are denied, and
 * permissions are never granted.
 *
 * Service workers are not registered: a first visitor's page is not controlled by one while it loads, and a worker
 * outlives its page, fetching and storing while the next page is already being checked.
 */
async function guardedContext(chromium: RunningChromium, viewport: Viewport): Promise<BrowserContext> {
  // Not the browser's own, which differs from machine to machine, and is not known where the API is served.
  const userAgent = chromium.userAgentFor(viewport.userAgent ?? defaultUserAgent());
  const context = await chromium.browser.newContext({
    viewport: { width: viewport.width, height: viewport.height },
    ...(viewport.screen && { screen: viewport.screen }),
    deviceScaleFactor: viewport.deviceScaleFactor,
    isMobile: viewport.isMobile,
    hasTouch: viewport.hasTouch,
    userAgent,
    acceptDownloads: false,
    serviceWorkers: 'block',
  });
  // A dialog stops the page's script until it is answered.
  context.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  return context;
}
