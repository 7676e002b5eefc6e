import type { BrowserContext, Page } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import { inTimeOr } from '../platform/in-time.ts';
import { defaultUserAgent } from './devices.ts';
import type { DevtoolsSession } from './devtools-session.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { contextsPerSlot, pageGraceMs } from './limits.ts';

/** An empty page. It keeps nothing of earlier pages except the HTTP cache of its group. */
export interface BrowserPage {
  readonly page: Page;
  /** A session whose domain `Page` is enabled. */
  readonly cdp: DevtoolsSession;
}

interface GroupContext {
  readonly key: string;
  readonly cacheGroup: string;
  readonly context: BrowserContext;
  open: BrowserPage | null;
}

/** Shows one page at a time, and keeps the browser contexts of recent groups. */
export interface PageSlot {
  /** Whether the slot has the group's HTTP cache, because it has shown pages of the group. */
  hasCacheOf(cacheGroup: string): boolean;
  /** Returns an empty page for a group and viewport. */
  open(cacheGroup: string, viewport: Viewport): Promise<BrowserPage>;
  /** Waits for a page that is being opened; null when the browser does not open it within `pageGraceMs`. */
  whenOpen(opening: Promise<BrowserPage>): Promise<BrowserPage | null>;
  /**
   * Empties the page for the next use: its document, storage, cookies and windows. Keeps the page itself, because opening one
   * for each document takes a quarter more CPU time.
   * @returns false when the page cannot be emptied within `pageGraceMs`
   */
  reset(used: BrowserPage): Promise<boolean>;
  /**
   * Collects the garbage of earlier documents in the empty page, if there were at least `pagesMin` since the last time. Without
   * this, the page does so only at several hundred megabytes. Never rejects.
   */
  collectGarbage(pagesMin: number): Promise<void>;
  /**
   * Closes the page and its context.
   * @returns false when the browser did not close them in time and must be killed
   */
  discard(used: BrowserPage): Promise<boolean>;
}

export function createPageSlot(chromium: RunningChromium): PageSlot {
  /** Contexts in the order of their last use, the most recent last. */
  let contexts: GroupContext[] = [];
  let uncollected = 0;

  async function contextFor(cacheGroup: string, viewport: Viewport): Promise<GroupContext> {
    const key = JSON.stringify([cacheGroup, viewport]);
    const known = contexts.find((candidate) => candidate.key === key);
    const chosen = known ?? { key, cacheGroup, context: await guardedContext(chromium, viewport), open: null };
    contexts = [...contexts.filter((candidate) => candidate !== chosen), chosen];
    // An idle page holds a process. The cache belongs to the context.
    for (const idle of contexts.slice(0, -1)) {
      const unused = idle.open;
      idle.open = null;
      await unused?.page.close();
    }
    for (const surplus of contexts.splice(0, contexts.length - contextsPerSlot)) await surplus.context.close();
    return chosen;
  }

  /** Closes the context of a page that has crashed while it was idle. */
  function forget(crashed: BrowserPage): void {
    const group = contexts.find((candidate) => candidate.open === crashed);
    if (group === undefined) return;
    contexts = contexts.filter((candidate) => candidate !== group);
    void group.context.close().catch(() => undefined);
  }

  return {
    hasCacheOf(cacheGroup) {
      return contexts.some((candidate) => candidate.cacheGroup === cacheGroup);
    },
    async open(cacheGroup, viewport) {
      uncollected += 1;
      const group = await contextFor(cacheGroup, viewport);
      if (group.open === null) {
        const page = await group.context.newPage();
        keepRequestEvents(page);
        const cdp = await chromium.openSession(page);
        await Promise.all([cdp.send('Page.enable'), emulateViewport(cdp, viewport)]);
        const opened = { page, cdp };
        page.once('crash', () => forget(opened));
        group.open = opened;
      }
      return group.open;
    },
    async whenOpen(opening) {
      return inTimeOr(opening, pageGraceMs, null);
    },
    async reset(used) {
      return inTimeOr(empty(used).then(always), pageGraceMs, false);
    },
    async collectGarbage(pagesMin) {
      const idle = contexts.at(-1)?.open;
      if (uncollected < pagesMin || idle === null || idle === undefined) return;
      uncollected = 0;
      await inTimeOr(idle.cdp.send('HeapProfiler.collectGarbage'), pageGraceMs, null);
    },
    async discard(used) {
      contexts = contexts.filter((candidate) => candidate.open !== used);
      return inTimeOr(used.page.context().close().then(always), pageGraceMs, false);
    },
  };
}

/**
 * Playwright forwards these events while they have a listener. Starting and stopping that would take a message for each event and
 * document.
 */
function keepRequestEvents(page: Page): void {
  const ignore = (): void => undefined;
  page.on('request', ignore).on('response', ignore).on('requestfinished', ignore).on('requestfailed', ignore);
}

async function empty({ page, cdp }: BrowserPage): Promise<void> {
  await page.goto('about:blank', { waitUntil: 'commit' });
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await Promise.all([
    cdp.send('Runtime.evaluate', { expression: 'window.name = ""' }),
    // An opaque origin means all origins (Chromium's StoragePartition::ClearData). `all` includes cookies, but not the HTTP
    // cache. Cookies are cleared twice, because a leftover one would change the issues of the next page.
    cdp.send('Storage.clearDataForOrigin', { origin: 'null', storageTypes: 'all' }),
    cdp.send('Network.clearBrowserCookies'),
  ]);
}

/** Changes the viewport of a page in both sessions that emulate it. */
export async function setViewport({ page, cdp }: BrowserPage, viewport: Viewport): Promise<void> {
  await page.setViewportSize({ width: viewport.width, height: viewport.height });
  await emulateViewport(cdp, viewport);
}

/**
 * Emulates the viewport of a page in another session, as Playwright does in its own, so the page does not change. A session
 * without emulation takes screenshots in the resolution of the machine, and makes the page discard everything that it has loaded.
 */
async function emulateViewport(
  cdp: DevtoolsSession,
  { width, height, screen = { width, height }, deviceScaleFactor, isMobile }: Viewport,
): Promise<void> {
  const isPortrait = isMobile && screen.width <= screen.height;
  await cdp.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    screenWidth: screen.width,
    screenHeight: screen.height,
    deviceScaleFactor,
    mobile: isMobile,
    screenOrientation: {
      type: isPortrait ? 'portraitPrimary' : 'landscapePrimary',
      angle: isMobile && !isPortrait ? 90 : 0,
    },
  });
}

function always(): boolean {
  return true;
}

/**
 * Creates a context, with its own HTTP cache, for the pages of one report. Downloads and permissions are denied.
 *
 * Service workers are blocked: on a first visit, none controls the page while it loads, and a worker would go on fetching and
 * storing while the next page is checked.
 */
async function guardedContext(chromium: RunningChromium, viewport: Viewport): Promise<BrowserContext> {
  // The browser's own user agent differs between machines, and the process that serves the API does not know it.
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
  // A dialog blocks the page's scripts until it is closed.
  context.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  return context;
}
