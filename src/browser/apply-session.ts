import type { CDPSession, Frame, Request, Response } from 'playwright-core';
import { CheckFault } from '../domain/check-fault.ts';
import { addressOf, type LoginSession, type SessionCookie } from '../domain/login-session.ts';
import { looksLikeSignIn } from '../domain/session-urls.ts';
import type { SignIn } from '../domain/site-access.ts';
import type { BrowserPage } from './page-slot.ts';

/** A page that has the session of a login. */
interface SessionPage {
  /** Looks at the page for signs that the session has ended. */
  look(): Promise<void>;
  /** Stops adding the session to documents. The cookies stay until the page is emptied. */
  end(): Promise<void>;
}

interface Applied extends Pick<SignIn, 'origins' | 'onDoubt' | 'onBlockedWrite' | 'keepsStorage'> {
  readonly session: LoginSession;
}

/**
 * Gives a page the session of a login: cookies now, and the storage whenever a document of its origin begins. Calls `onDoubt`
 * once if the page leads to a login page, shows one, or gets a 401 of its own site.
 * @throws CheckFault when the browser rejects a cookie
 */
export async function applySession(
  { page }: BrowserPage,
  { session, origins, onDoubt, onBlockedWrite, keepsStorage = false }: Applied,
): Promise<SessionPage> {
  const cdp = await page.context().newCDPSession(page);
  for (const cookie of session.cookies) await setCookie(cdp, cookie, origins);
  await cdp.send('Page.enable');
  const script = { source: storeScript(session), runImmediately: false };
  const { identifier } = await cdp.send('Page.addScriptToEvaluateOnNewDocument', script);
  const onNavigated = (frame: Frame): void => {
    const isFilled = frame.parentFrame() === null && URL.parse(frame.url())?.origin === session.origin;
    // It fails if the page has ended, or if it has been removed already.
    if (isFilled) void cdp.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(() => undefined);
  };
  if (keepsStorage) page.on('framenavigated', onNavigated);
  if (onBlockedWrite !== undefined) await blockWrites(cdp, onBlockedWrite);
  const watch = watchForLogin(session, origins, onDoubt);
  page.on('request', watch.onRequest);
  page.on('response', watch.onResponse);
  return {
    async look() {
      if (watch.isLoginPage()) return;
      if ((await page.evaluate(ASKS_PASSWORD).catch(() => false)) === true) watch.doubt();
    },
    async end() {
      page.off('framenavigated', onNavigated);
      page.off('request', watch.onRequest);
      page.off('response', watch.onResponse);
      await cdp.detach();
    },
  };
}

/** Whether the page shows a field for a password. */
export const ASKS_PASSWORD = `[...document.querySelectorAll('input[type=password]')].some((field) => field.checkVisibility({ visibilityProperty: true }))`;

/** Methods that change nothing (RFC 9110, 9.2.1), and that pages can send. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Blocks the requests of a page that may change something. Looks only at types of requests that can have another method. */
async function blockWrites(cdp: CDPSession, onBlockedWrite: (url: string) => void): Promise<void> {
  cdp.on('Fetch.requestPaused', ({ requestId, request: { method, url } }) => {
    const isSafe = SAFE_METHODS.includes(method);
    if (!isSafe) onBlockedWrite(url);
    const answer = isSafe
      ? cdp.send('Fetch.continueRequest', { requestId })
      : cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    // The request may be gone by now, together with its frame.
    answer.catch(() => undefined);
  });
  const types = ['XHR', 'Fetch', 'Ping', 'Document'] as const;
  await cdp.send('Fetch.enable', { patterns: types.map((resourceType) => ({ resourceType })) });
}

function watchForLogin(session: LoginSession, origins: ReadonlySet<string>, onDoubt: (() => void) | undefined) {
  const known = new Set(session.loginPages);
  const isLogin = (url: string): boolean => URL.canParse(url) && (looksLikeSignIn(url) || known.has(addressOf(url)));
  let own: string | null = null;
  let isOver = false;
  const doubt = (): void => {
    if (!isOver) onDoubt?.();
    isOver = true;
  };
  return {
    doubt,
    /** Whether the page itself is a login page. */
    isLoginPage: () => own !== null && isLogin(own),
    onRequest(request: Request): void {
      if (!request.isNavigationRequest() || request.frame().parentFrame() !== null) return;
      own ??= request.url();
      if (request.url() !== own && isLogin(request.url()) && !isLogin(own)) doubt();
    },
    onResponse(response: Response): void {
      const url = response.url();
      const isOwn = URL.canParse(url) && origins.has(new URL(url).origin);
      const leadsToLogin = response.request().redirectedFrom() !== null && isLogin(url);
      if ((isOwn && response.status() === 401) || leadsToLogin) doubt();
    },
  };
}

async function setCookie(cdp: CDPSession, cookie: SessionCookie, origins: ReadonlySet<string>): Promise<void> {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, port } = cookie;
  const isForSubdomains = domain.startsWith('.');
  const scheme = secure ? 'https' : 'http';
  const address = isForSubdomains
    ? { domain }
    : { url: `${scheme}://${domain}${port === null ? '' : `:${port}`}${path}` };
  const options = {
    ...(expires !== null && { expires }),
    ...(sameSite !== null && { sameSite }),
    ...(port !== null && { sourcePort: port }),
  };
  await cdp
    .send('Network.setCookie', { name, value, path, httpOnly, secure, ...address, ...options })
    .catch((cause) => {
      const isOwn = [...origins].some((origin) => new URL(origin).hostname === domain);
      // Without it, the page would look as it does for visitors who are not signed in.
      if (isOwn) throw new CheckFault({ code: 'cookie_refused', params: {} }, { permanent: false, cause });
    });
}

/** Returns the script that fills the storage of the session's origin before the scripts of a page run. */
function storeScript({ origin, localStorage, sessionStorage }: LoginSession): string {
  const stored = JSON.stringify({ origin, localStorage, sessionStorage });
  return `(({ origin, localStorage: local, sessionStorage: session }) => {
    if (window !== window.top || location.origin !== origin) return;
    for (const [name, value] of local) localStorage.setItem(name, value);
    for (const [name, value] of session) sessionStorage.setItem(name, value);
  })(${stored});`;
}
