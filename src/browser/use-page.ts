import type { CDPSession, Page } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import { CheckFault } from '../domain/check-fault.ts';
import { accessHeaders, type SignIn } from '../domain/site-access.ts';
import type { Logger } from '../platform/logger.ts';
import { BrowserFault } from './browser-fault.ts';
import type { LiveBrowser } from './browser-supervisor.ts';
import { windowsPerPage } from './limits.ts';
import type { PagePermit, StepAside } from './page-permit.ts';
import type { BrowserPage, PageSlot } from './page-slot.ts';

export type UsePage<T> = (page: BrowserPage, stepAside: StepAside) => Promise<T>;

export interface PageUse {
  /**
   * Whether no other page may be open at the same time, so that this page must be the cause of anything that happens to the
   * browser.
   */
  readonly alone?: boolean | undefined;
  readonly viewport: Viewport;
  /** Pages of one group share the HTTP cache of their slot and nothing else. Groups share nothing. */
  readonly cacheGroup: string;
  /** Credentials for the site; the same for all pages of a group. */
  readonly signIn?: SignIn | undefined;
  /** Time limit for opening the page and for `use`, without the waits for a slot and in `stepAside`. */
  readonly timeLimitMs: number;
  /** Called around the page's own `stepAside`, for callers that also limit the work in progress. */
  readonly stepAside?: StepAside | undefined;
  readonly signal: AbortSignal;
}

/**
 * Opens a page in a free slot of the browser, signs it in, and calls `use` with it.
 * @returns `result`: the result of `use`; rejects with a BrowserFault when the browser could not complete the page. `cleaned`:
 * resolves when the slot is ready for another page.
 */
export function usePage<T>(
  { browser, permit, log }: { readonly browser: LiveBrowser; readonly permit: PagePermit; readonly log: Logger },
  request: PageUse,
  use: UsePage<T>,
): { readonly result: Promise<T>; readonly cleaned: Promise<void> } {
  const slot = browser.take(request.cacheGroup);
  const watch = watchPage(browser, request, request.signal);
  const opening = slot.open(request.cacheGroup, request.viewport);
  let isOver = false;
  const stepAside: StepAside = (wait) =>
    watch.untimed(() => (request.stepAside ?? directly)(() => permit.stepAside(wait)));

  const work = async (): Promise<T> => {
    const page = await opening;
    watch.observe(page.page);
    // The request may have been canceled while the page was being opened.
    if (isOver) return watch.fault;
    return request.signIn === undefined
      ? use(page, stepAside)
      : useSignedIn(page, request.signIn, () => use(page, stepAside));
  };
  const result = Promise.race([watch.fault, work()])
    .catch((error: unknown) => {
      if (error instanceof BrowserFault || !browser.isGone()) throw error;
      throw new BrowserFault('browser_gone', { cause: error });
    })
    .finally(() => {
      isOver = true;
      watch.end();
    });
  const cleaned = result
    .then(
      () => true,
      () => false,
    )
    .then((hasSucceeded) => cleanUp({ browser, slot, log }, opening, hasSucceeded));
  return { result, cleaned };
}

const directly: StepAside = (wait) => wait();

async function useSignedIn<T>(page: BrowserPage, access: SignIn, use: () => Promise<T>): Promise<T> {
  const end = await signIn(page, access);
  try {
    return await use();
  } finally {
    await end().catch(() => undefined);
  }
}

/** Makes the slot ready for the next page: resets the page, else discards it, else kills the browser. */
async function cleanUp(
  { browser, slot, log }: { readonly browser: LiveBrowser; readonly slot: PageSlot; readonly log: Logger },
  opening: Promise<BrowserPage>,
  hasSucceeded: boolean,
): Promise<void> {
  const used = await slot.whenOpen(opening);
  if (!browser.isGone()) {
    const isClean = used !== null && ((hasSucceeded && (await slot.reset(used))) || (await slot.discard(used)));
    if (!isClean && !browser.isGone()) {
      log.warn('The browser stopped responding and was killed.');
      await browser.kill();
    }
  }
  browser.giveBack(slot);
}

/** A browser that ends closes its pages first. After this time, it is clear which of the two has happened. */
const closeVerdictMs = 200;

/** Watches for faults of one page. */
interface PageWatch {
  /** Rejects with a BrowserFault at the first fault; never resolves. */
  readonly fault: Promise<never>;
  /** Watches the page, too, once it is open. */
  observe(page: Page): void;
  /** Runs work that does not count toward the time limit. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  end(): void;
}

function watchPage(
  browser: LiveBrowser,
  { timeLimitMs, alone = false }: { readonly timeLimitMs: number; readonly alone?: boolean | undefined },
  signal: AbortSignal,
): PageWatch {
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // It may reject when nothing awaits it.
  fault.catch(() => undefined);
  const endings: (() => void)[] = [];
  const fail = (kind: BrowserFault['kind']): void => reject(new BrowserFault(kind));

  const timer = createPausableTimer(timeLimitMs, () => fail('time_limit'));
  endings.push(timer.end);

  const abort = (): void => fail('aborted');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  endings.push(() => signal.removeEventListener('abort', abort));

  const onGone = (): void => fail(alone && browser.memory.killedForMemory() === 'browser' ? 'memory' : 'browser_gone');
  endings.push(browser.onGone(onGone));
  const onCrash = (): void => fail(browser.memory.killedForMemory() === 'page' ? 'memory' : 'crashed');

  return {
    fault,
    observe(page) {
      let windows = 0;
      const closeWindow = (window: Page): void => {
        windows += 1;
        if (windows > windowsPerPage) fail('windows');
        void window.close().catch(() => undefined);
      };
      const onClose = (): void => void setTimeout(fail, closeVerdictMs, 'closed');
      page.on('crash', onCrash);
      page.on('close', onClose);
      page.context().on('page', closeWindow);
      endings.push(() => {
        page.off('crash', onCrash);
        page.off('close', onClose);
        page.context().off('page', closeWindow);
      });
    },
    async untimed(work) {
      timer.pause();
      try {
        return await work();
      } finally {
        timer.resume();
      }
    },
    end() {
      for (const ending of endings) ending();
    },
  };
}

interface PausableTimer {
  pause(): void;
  resume(): void;
  end(): void;
}

/** Calls back after `timeMs`, not counting the time while it is paused. */
function createPausableTimer(timeMs: number, callback: () => void): PausableTimer {
  let leftMs = timeMs;
  let startedAt = performance.now();
  let isOver = false;
  let timer = setTimeout(callback, leftMs);
  return {
    pause() {
      clearTimeout(timer);
      leftMs -= performance.now() - startedAt;
    },
    resume() {
      startedAt = performance.now();
      if (!isOver) timer = setTimeout(callback, leftMs);
    },
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Signs a page in: sets the cookies, and adds the headers to all requests for the site's own origins, including requests of
 * subresources and workers. Redirects to other origins do not get the headers. WebSockets get only the cookies: headers cannot
 * be added to their handshakes.
 *
 * Intercepts on a separate DevTools session, and only documents and requests for the site's own origins, which leaves the HTTP
 * cache on.
 * @returns a function that stops adding headers; the cookies stay until the page is emptied
 * @throws CheckFault when the browser rejects a cookie
 */
async function signIn({ page }: BrowserPage, { access, origins }: SignIn): Promise<() => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  await setCookies(cdp, { access, origins });
  const added = accessHeaders(access);
  if (Object.keys(added).length === 0) return () => cdp.detach();

  const isOwn = (url: string | undefined): boolean => url !== undefined && origins.has(new URL(url).origin);
  /** Whether every document requested in a frame was the site's own. */
  const ownFrames = new Map<string, boolean>();
  // Frames of other sites must not send credentials, since they could read the responses. A frame that has requested another
  // site's document stays foreign: that document remains if the site's own is empty (204) or a download.
  const mayAuthenticate = ({ request, resourceType, frameId }: PausedRequest): boolean => {
    if (resourceType === 'Document') ownFrames.set(frameId, isOwn(request.url) && ownFrames.get(frameId) !== false);
    // A frame without a requested document, such as one with `srcdoc`, has the origin of its parent or an opaque one, and
    // cannot send the Referer of another origin.
    return isOwn(request.url) && (ownFrames.get(frameId) ?? isOwn(request.headers['Referer']));
  };
  const answer = async (event: PausedRequest): Promise<void> => {
    const { requestId, request } = event;
    const headers = mayAuthenticate(event) ? withHeaders(request.headers, added) : undefined;
    await cdp.send('Fetch.continueRequest', headers === undefined ? { requestId } : { requestId, headers });
  };
  // The request may be gone by now, together with its frame.
  cdp.on('Fetch.requestPaused', (event: PausedRequest) => void answer(event).catch(() => undefined));
  await cdp.send('Fetch.enable', {
    patterns: [{ resourceType: 'Document' }, ...[...origins].map((origin) => ({ urlPattern: `${origin}/*` }))],
  });
  return () => cdp.detach();
}

/**
 * Sets the cookies like session cookies: for the site's origins only, and not for scripts, since third-party scripts could read
 * and send them. If an origin is on plain http, sets them only for http: browsers may reject an insecure cookie next to a secure
 * one of the same name.
 */
async function setCookies(cdp: CDPSession, { access, origins }: SignIn): Promise<void> {
  const secure = [...origins].every((origin) => origin.startsWith('https:'));
  for (const origin of origins) {
    if (origin.startsWith('https:') !== secure) continue;
    for (const [name, value] of Object.entries(access.cookies)) {
      const sourcePort = Number(new URL(origin).port) || (secure ? 443 : 80);
      const cookie = { name, value, url: `${origin}/`, secure, httpOnly: true, sameSite: 'Lax', sourcePort } as const;
      await cdp.send('Network.setCookie', cookie).catch((cause: unknown) => {
        // Without it, the page would look as it does for visitors who are not signed in.
        throw new CheckFault({ code: 'cookie_refused', params: {} }, { permanent: false, cause });
      });
    }
  }
}

/** Adds headers to a request. Headers that the page sends itself take precedence. */
function withHeaders(sent: Headers, added: Headers): { name: string; value: string }[] {
  const names = new Set(Object.keys(sent).map((name) => name.toLowerCase()));
  const missing = Object.entries(added).filter(([name]) => !names.has(name));
  return [...Object.entries(sent), ...missing].map(([name, value]) => ({ name, value }));
}

type Headers = Readonly<Record<string, string>>;

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly headers: Headers };
}
