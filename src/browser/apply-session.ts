import type { CDPSession, Frame, Page, Request, Response } from 'playwright-core';
import { CheckFault } from '../domain/check-fault.ts';
import type { LoginSession, SessionCookie } from '../domain/login-session.ts';
import { type Doubt, type EndSign, habitOf, leadsToLogin } from '../domain/session-end.ts';
import type { SignIn } from '../domain/site-access.ts';
import { inTimeOr } from '../platform/in-time.ts';
import { setCookie, storingScript } from './browser-state.ts';
import type { DevtoolsSession } from './devtools-session.ts';
import { endSession } from './end-session.ts';
import { endSignsMs } from './limits.ts';
import { framesPerPage } from './page-load/limits.ts';
import type { BrowserPage } from './page-slot.ts';

/** A page that has the session of a login. */
interface SessionPage {
  /** Looks at the page for signs that the session has ended. */
  look(): Promise<void>;
  /** Stops adding the session to documents. The cookies stay until the page is emptied. */
  end(): Promise<void>;
}

interface Applied extends Pick<SignIn, 'access' | 'origins' | 'onDoubt' | 'onBlockedWrite' | 'keepsStorage'> {
  readonly session: LoginSession;
}

/**
 * Gives a page the session of a login: cookies now, and the storage whenever a document of its origin begins. Calls `onDoubt`
 * for each sign that the session has ended.
 * @throws CheckFault when the browser rejects a cookie
 */
export async function applySession(
  { page }: BrowserPage,
  { access, session, origins, onDoubt, onBlockedWrite, keepsStorage = false }: Applied,
): Promise<SessionPage> {
  const cdp = await page.context().newCDPSession(page);
  for (const cookie of session.cookies) await setOwnCookie(cdp, cookie, origins);
  await cdp.send('Page.enable');
  const script = { source: storingScript(session), runImmediately: false };
  const { identifier } = await cdp.send('Page.addScriptToEvaluateOnNewDocument', script);
  const onNavigated = (frame: Frame): void => {
    const isFilled = frame.parentFrame() === null && URL.parse(frame.url())?.origin === session.origin;
    // This fails if the page has ended, or if the script has already been removed.
    if (isFilled) void cdp.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(() => undefined);
  };
  if (keepsStorage) page.on('framenavigated', onNavigated);
  if (onBlockedWrite !== undefined) await blockRequests(cdp, SAFE_METHODS, onBlockedWrite);
  const watch = watchForLogin(session, origins, onDoubt);
  page.on('request', watch.onRequest);
  page.on('response', watch.onResponse);
  return {
    async look() {
      const { signed_in: test = null } = access.login ?? {};
      const shown = { fields: session.loginFields, test: test && { selector: test.selector, text: test.text } };
      // A page that hangs after its check shows no signs.
      const signs = await inTimeOr(page.evaluate<EndSign[]>(signsIn(shown)), endSignsMs, []);
      for (const sign of signs) watch.doubt({ sign, url: page.url() });
    },
    async end() {
      page.off('framenavigated', onNavigated);
      page.off('request', watch.onRequest);
      page.off('response', watch.onResponse);
      await endSession(cdp);
    },
  };
}

/** Whether the page shows a field for a password. */
export const ASKS_PASSWORD = `[...document.querySelectorAll('input[type=password]')].some((field) => field.checkVisibility({ visibilityProperty: true }))`;

/** Returns an expression for the signs on a page that its session has ended. */
function signsIn(wanted: { readonly fields: readonly string[]; readonly test: PartOfTest | null }): string {
  return `(({ fields, test }) => {
    const shows = (element) => element.checkVisibility({ visibilityProperty: true });
    const flat = (words) => words.replaceAll(/\\s+/g, ' ').trim();
    const inputs = [...document.querySelectorAll('input, textarea')].filter(shows);
    const passes = ({ selector, text }) =>
      (text === undefined || flat(document.body?.innerText ?? '').includes(flat(text))) &&
      (selector === undefined || [...document.querySelectorAll(selector)].some(shows));
    return [
      ...(inputs.some(({ name, id }) => fields.includes(name || id)) ? ['field'] : []),
      ...(inputs.some(({ type }) => type === 'password') ? ['password'] : []),
      ...(test !== null && !passes(test) ? ['test'] : []),
    ];
  })(${JSON.stringify(wanted)})`;
}

/** The parts of `signed_in` that may hold for all pages, not only for the last page of the login. */
interface PartOfTest {
  readonly selector: string | undefined;
  readonly text: string | undefined;
}

/** Methods that change nothing (RFC 9110, 9.2.1), and that pages can send. */
export const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Blocks requests of a page with other methods. Intercepts only types of requests that can have a method other than GET. */
export async function blockRequests(
  cdp: DevtoolsSession,
  methods: readonly string[],
  onBlocked: (url: string) => void,
): Promise<void> {
  cdp.on('Fetch.requestPaused', ({ requestId, resourceType, request: { method, url } }) => {
    const isSafe = methods.includes(method);
    if (!isSafe) onBlocked(url);
    // With this reason, the page stays unchanged. With another, it would show an error page.
    const errorReason = resourceType === 'Document' ? 'Aborted' : 'BlockedByClient';
    const answer = isSafe
      ? cdp.send('Fetch.continueRequest', { requestId })
      : cdp.send('Fetch.failRequest', { requestId, errorReason });
    // The request may be gone by now, along with its frame.
    answer.catch(() => undefined);
  });
  const types = ['XHR', 'Fetch', 'Ping', 'Document'] as const;
  await cdp.send('Fetch.enable', { patterns: types.map((resourceType) => ({ resourceType })) });
}

/**
 * Blocks requests of a page with other methods, including requests of frames in separate processes, except for those that such
 * frames send at the moment when they are added or removed.
 * @returns a function that stops blocking
 */
export async function guardPage(page: Page, methods: readonly string[]): Promise<() => Promise<void>> {
  const sessions = new Set<CDPSession>();
  /** Frames with a session, or whose session is being opened. */
  const guarded = new Set<Frame>();
  let isOver = false;
  const guard = async (target: Page | Frame, onClose: () => void = () => undefined): Promise<void> => {
    const session = await page.context().newCDPSession(target);
    sessions.add(session);
    session.on('close', () => {
      sessions.delete(session);
      onClose();
    });
    if (isOver) await endSession(session);
    else await blockRequests(session, methods, () => undefined);
  };
  const guardFrame = async (frame: Frame): Promise<void> => {
    if (frame === page.mainFrame() || guarded.has(frame) || guarded.size >= framesPerPage) return;
    guarded.add(frame);
    // Rejects for a frame in its parent's process. The frame leaves that process when it navigates to another site.
    await guard(frame, () => guarded.delete(frame)).catch(() => guarded.delete(frame));
  };
  const end = async (): Promise<void> => {
    isOver = true;
    page.off('framenavigated', guardFrame);
    await Promise.all([...sessions].map(endSession));
  };
  page.on('framenavigated', guardFrame);
  try {
    await Promise.all([guard(page), ...page.frames().map(guardFrame)]);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Maximum number of doubts reported for one page. */
const doubtsMax = 20;

function watchForLogin(session: LoginSession, origins: ReadonlySet<string>, onDoubt: SignIn['onDoubt']) {
  const reported = new Set<string>();
  let own: string | null = null;
  const doubt = (found: Doubt): void => {
    const habit = habitOf(found) ?? found.sign;
    if (reported.has(habit) || reported.size >= doubtsMax) return;
    reported.add(habit);
    onDoubt?.(found);
  };
  const isWhole = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame().parentFrame() === null;
  return {
    doubt,
    onRequest(request: Request): void {
      if (!isWhole(request)) return;
      const url = request.url();
      own ??= url;
      if (url !== own && leadsToLogin(session, url)) doubt({ sign: 'redirect', url });
    },
    onResponse(response: Response): void {
      const url = response.url();
      const isOwn = URL.canParse(url) && origins.has(new URL(url).origin);
      if (isOwn && response.status() === 401) doubt({ sign: 'status', url });
      const request = response.request();
      if (request.redirectedFrom() === null || isWhole(request)) return;
      if (leadsToLogin(session, url)) doubt({ sign: 'resource', url });
    },
  };
}

/** @throws CheckFault when the browser rejects a cookie of the site */
async function setOwnCookie(cdp: DevtoolsSession, cookie: SessionCookie, origins: ReadonlySet<string>): Promise<void> {
  await setCookie(cdp, cookie).catch((cause: unknown) => {
    const isOwn = [...origins].some((origin) => new URL(origin).hostname === cookie.domain);
    // Without the cookie, the page would look as it does for visitors who are not signed in.
    if (isOwn) throw new CheckFault({ code: 'cookie_refused', params: {} }, { permanent: false, cause });
  });
}
