import { viewportOf } from '../browser/devices.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type FetchedPage, failedPage } from '../domain/fetched-page.ts';
import type { Login } from '../domain/login.ts';
import { addressOf, secretsOfSession } from '../domain/login-session.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import { looksLikeSignIn } from '../domain/session-urls.ts';
import type { SignIn, SiteAccess } from '../domain/site-access.ts';
import type { NumberedSession, ReportSessions } from '../logins/report-sessions.ts';
import { createCookieJar } from '../spider/cookie-jar.ts';
import { type CookieJar, type Credentials, createCredentials } from '../spider/credentials.ts';
import type { Report } from '../store/schema.ts';
import type { RenderPage } from './rendering/render-page.ts';

/** How often a page is requested whose session has ended each time: the page may be what ends it. */
export const ENDS_MAX = 5;

interface SessionOptions {
  readonly sessions: ReportSessions;
  readonly report: Report;
  readonly access: SiteAccess & { readonly login: Login };
  /** Of the device; null for the default one. */
  readonly userAgent: string | null;
  readonly signal: AbortSignal;
}

/** The session of a crawl, which is replaced when it ends. */
export interface SiteSession {
  /** The credentials of the present session. */
  credentials(): Credentials;
  /** Fetches a page, and again if the session has ended. */
  fetch(url: string, request: (credentials: Credentials) => Promise<FetchedPage>): Promise<FetchedPage>;
  /** Uses a page in the browser, and again if the session has ended: up to `timesMax` times. */
  browse: Browse;
  /** Renders a page, and again if the session has ended. */
  render: (renderPage: RenderPage) => RenderPage;
  readonly redaction: Redaction;
  moveTo(siteUrl: string): void;
  /** Stores the cookies that the site has changed. */
  save(): Promise<void>;
}

/** @returns what `use` returns, or the failure if the session has ended and there is no other */
export type Browse = <Result>(
  use: (signIn: SignIn | undefined) => Promise<Result>,
  timesMax?: number,
) => Promise<Result | { readonly failure: Failure }>;

interface Current extends NumberedSession {
  readonly jar: CookieJar;
  readonly credentials: Credentials;
}

/** Signs a crawl in. @returns the failure if the login does not work */
export async function openSiteSession(options: SessionOptions): Promise<SiteSession | { readonly failure: Failure }> {
  const { sessions, report, access, userAgent, signal } = options;
  const { starting_url: startingUrl } = report;
  let siteUrl = report.site_url;
  const owner = () => {
    const viewport = viewportOf(report.device_id, report.device_rotated) ?? DEFAULT_VIEWPORT;
    return { id: report.id, access, startingUrl, siteUrl, viewport };
  };
  let redaction = createRedaction(access);
  const begin = async ({ number, session }: NumberedSession): Promise<Current> => {
    const jar = await createCookieJar(session.cookies);
    redaction = createRedaction(access, secretsOfSession(session));
    return {
      number,
      session,
      jar,
      credentials: createCredentials(access, { startingUrl, siteUrl, userAgent, session: { session, jar } }),
    };
  };
  const first = await sessions.open(owner(), signal, { retries: true });
  if ('failure' in first) return first;
  let current = await begin(first);
  let saved = JSON.stringify(current.jar.cookies());

  /** Returns the failure if the session has ended and there is no other; else whether there is another one. */
  const renew = async (number: number): Promise<boolean | { readonly failure: Failure }> => {
    if (current.number > number) return true;
    const state = await sessions.verify(owner(), number, signal);
    if ('failure' in state) return state;
    if (state.number > current.number) current = await begin(state);
    return current.number > number;
  };

  const browse: Browse = async (use, timesMax = ENDS_MAX) => {
    for (let times = 1; ; times += 1) {
      const { number, credentials } = current;
      let isDoubted = false;
      const onDoubt = (): void => {
        isDoubted = true;
      };
      const signIn = credentials.signIn();
      const result = await use(signIn && { ...signIn, onDoubt });
      if (!isDoubted || times >= timesMax) return result;
      const renewed = await renew(number);
      if (typeof renewed !== 'boolean') return renewed;
      if (!renewed) return result;
    }
  };

  return {
    credentials: () => current.credentials,
    browse,
    async fetch(url, request) {
      for (let times = 1; ; times += 1) {
        const used = current;
        const page = await request(used.credentials);
        if (used.credentials.sentTo(url) === null || !suggestsEnd(url, page, used)) return page;
        if (times >= ENDS_MAX) return refused({ code: 'login_not_kept', params: { times } });
        const renewed = await renew(used.number);
        if (typeof renewed !== 'boolean') return refused(renewed.failure);
        if (!renewed) return page;
      }
    },
    render: (renderPage) => async (document, wanted) => {
      const blocking = report.block_writes && { onBlockedWrite: () => undefined };
      const rendering = await browse((signIn) =>
        renderPage(document, { ...wanted, signIn: signIn && { ...signIn, ...blocking } }),
      );
      return 'failure' in rendering ? { kind: 'failed', error: rendering.failure, hasRun: true } : rendering;
    },
    redaction: {
      inPage: (text) => redaction?.inPage(text) ?? text,
      inMessage: (message) => redaction?.inMessage(message) ?? message,
    },
    moveTo(url) {
      siteUrl = url;
      current.credentials.moveTo(url);
    },
    async save() {
      const { number, session, jar } = current;
      const cookies = jar.cookies();
      const now = JSON.stringify(cookies);
      if (now === saved) return;
      await sessions.keep(report.id, { number, session: { ...session, cookies } });
      saved = now;
    },
  };
}

/** Whether the response for a page suggests that the session has ended. */
function suggestsEnd(url: string, page: FetchedPage, { session }: Current): boolean {
  const isLogin = (of: string): boolean => looksLikeSignIn(of) || session.loginPages.includes(addressOf(of));
  if (isLogin(url)) return false;
  switch (page.kind) {
    case 'failed':
      return page.refusesAccess === true && page.httpStatus !== 403;
    case 'redirect':
      return isLogin(page.location);
    case 'document':
      return page.hasPasswordField === true;
    default:
      return false;
  }
}

function refused(failure: Failure): FetchedPage {
  return failedPage(failure, { refusesAccess: true });
}
