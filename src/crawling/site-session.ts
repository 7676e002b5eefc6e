import { isBrowserMissing } from '../browser/browser-fault.ts';
import { viewportOf } from '../browser/devices.ts';
import { refusesCredentials } from '../domain/access-refusal.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type FailedPage, type FetchedPage, failedPage } from '../domain/fetched-page.ts';
import type { Login } from '../domain/login.ts';
import { type LoginSession, secretsOfSession } from '../domain/login-session.ts';
import { createGrowingRedaction, type Redaction } from '../domain/redaction.ts';
import { type Doubt, hidesPage, leadsToLogin } from '../domain/session-end.ts';
import type { SignIn, SiteAccess } from '../domain/site-access.ts';
import { maskedValuesMax, sessionEndsMax } from '../logins/limits.ts';
import { withMasked } from '../logins/masked-values.ts';
import type { NumberedSession } from '../logins/renew-session.ts';
import type { ReportSessions } from '../logins/report-sessions.ts';
import { createCookieJar } from '../spider/cookie-jar.ts';
import { type CookieJar, type Credentials, createCredentials } from '../spider/credentials.ts';
import { hasField } from '../spider/has-field.ts';
import type { Report } from '../store/schema.ts';
import type { RenderPage } from './rendering/render-page.ts';

interface SessionOptions {
  readonly sessions: ReportSessions;
  readonly report: Report;
  readonly access: SiteAccess & { readonly login: Login };
  /** The user agent of the device; null for the default device. */
  readonly userAgent: string | null;
  readonly signal: AbortSignal;
}

/** The session of a crawl, which is replaced when it ends. */
export interface SiteSession {
  /** The credentials of the current session. */
  credentials(): Credentials;
  /** The number of the current session, counted within the report. */
  number(): number;
  /** Checks whether the session has ended. @returns whether there is another session */
  lookAgain(): Promise<boolean>;
  /**
   * Fetches a page, and fetches it again if the session has ended.
   * @param timesMax how often a page is requested if the session has ended each time
   */
  fetch(
    url: string,
    request: (credentials: Credentials) => Promise<FetchedPage>,
    timesMax: number,
  ): Promise<FetchedPage>;
  /** Uses a page in the browser, and uses it again if the session has ended. */
  browse: Browse;
  /** Renders a page, and renders it again if the session has ended. */
  render: (renderPage: RenderPage) => RenderPage;
  readonly redaction: Redaction;
  moveTo(siteUrl: string): void;
  /** Stores the cookies that the site has changed. */
  save(): Promise<void>;
}

/**
 * @param options.timesMax how often a page is used if the session has ended each time
 * @param options.isFinal whether a result is kept although the session has ended. Default: no result is
 * @param options.onKept called if such a result is kept
 * @returns what `use` returns, or the failure if the session has ended and there is no other
 */
export type Browse = <Result>(
  use: (signIn: SignIn | undefined) => Promise<Result>,
  options?: {
    readonly timesMax?: number;
    readonly isFinal?: (result: Result) => boolean;
    readonly onKept?: () => void;
  },
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
    return { id: report.id, access, startingUrl, siteUrl, viewport, blocksWrites: report.block_writes };
  };
  const masked = createMask(access);
  const begin = async ({ number, session }: NumberedSession): Promise<Current> => {
    const jar = await createCookieJar(session.cookies);
    masked.begin(session);
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
  let beginning: Promise<Current> | null = null;
  let saved = { jar: current.jar, changes: 0, cookies: JSON.stringify(current.jar.cookies()) };

  /** Returns the failure if the session has ended and there is no other; else whether there is another one. */
  const renew = async (number: number, doubts?: readonly Doubt[]): Promise<boolean | { readonly failure: Failure }> => {
    if (current.number > number) return true;
    const state = await sessions.verify(owner(), number, signal, doubts);
    if ('failure' in state) return state;
    if (state.number > current.number) {
      // Pages that ask at the same time share one jar.
      beginning ??= begin(state);
      current = await beginning;
      beginning = null;
    }
    return current.number > number;
  };

  const browse = createBrowse(() => current, renew);

  return {
    credentials: () => current.credentials,
    number: () => current.number,
    lookAgain: async () => (await renew(current.number)) === true,
    browse,
    async fetch(url, request, timesMax) {
      for (let times = 1; ; times += 1) {
        const used = current;
        const page = await request(used.credentials);
        // Cookies that the site has just set are masked, too.
        masked.add(used.jar.takeNewValues());
        const doubt = used.credentials.sentTo(url) === null ? null : doubtAbout(url, page, used);
        if (doubt === null) return page;
        const renewed = await renew(used.number, [doubt]);
        if (typeof renewed !== 'boolean') return refused(renewed.failure);
        if (!renewed) return page;
        if (times >= timesMax) return notKept(times);
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
      inPage: (text) => masked.redaction().inPage(text),
      inMessage: (message) => masked.redaction().inMessage(message),
    },
    moveTo(url) {
      siteUrl = url;
      current.credentials.moveTo(url);
    },
    async save() {
      const { number, session, jar } = current;
      const changes = jar.changes();
      if (jar === saved.jar && changes === saved.changes) return;
      const cookies = jar.cookies();
      const now = { jar, changes, cookies: JSON.stringify(cookies) };
      // Many sites set the same cookies again with each response.
      if (now.cookies !== saved.cookies) await sessions.keep(report.id, { number, session: { ...session, cookies } });
      saved = now;
    },
  };
}

/** @param renew as in `openSiteSession` */
function createBrowse(
  current: () => Current,
  renew: (number: number, doubts: readonly Doubt[]) => Promise<boolean | { readonly failure: Failure }>,
): Browse {
  return async (use, { timesMax = sessionEndsMax, isFinal = () => false, onKept } = {}) => {
    for (let times = 1; ; times += 1) {
      const { number, credentials } = current();
      const doubts: Doubt[] = [];
      const signIn = credentials.signIn();
      const result = await use(signIn && { ...signIn, onDoubt: (doubt) => void doubts.push(doubt) });
      const renewed =
        doubts.length > 0 &&
        (await renew(number, doubts).catch((error: unknown) => {
          if (isBrowserMissing(error) && isFinal(result)) return true;
          throw error;
        }));
      if (renewed === false) return result;
      if (isFinal(result)) {
        onKept?.();
        return result;
      }
      if (renewed !== true) return renewed;
      if (times >= timesMax) return { failure: notKept(times).failure };
    }
  };
}

/** Masks the credentials and the values of all sessions so far. */
function createMask(access: SiteAccess) {
  let values = new Set<string>();
  let ofSession: readonly string[] = [];
  let redaction = createGrowingRedaction(access);
  let numAdded = 0;
  return {
    begin(session: LoginSession): void {
      ofSession = secretsOfSession(session);
      this.add([]);
    },
    /** Adds values of cookies. The values of the current session stay among the newest. */
    add(cookies: readonly string[]): void {
      const added = [...ofSession, ...cookies];
      const fresh = added.filter((value) => !values.has(value));
      if (fresh.length === 0) return;
      values = new Set(withMasked(values, added));
      numAdded += fresh.length;
      if (numAdded <= 2 * maskedValuesMax) {
        redaction.add(fresh);
        return;
      }
      // Without the values that are too old by now.
      redaction = createGrowingRedaction(access);
      redaction.add([...values]);
      numAdded = values.size;
    },
    redaction: () => redaction,
  };
}

/** Returns why the response to a request for a page suggests that the session has ended; null if it does not. */
function doubtAbout(url: string, page: FetchedPage, { session }: Current): Doubt | null {
  switch (page.kind) {
    case 'failed':
      if (!refusesCredentials(page)) return hidesPage(page.httpStatus) ? { sign: 'missing', url } : null;
      return { sign: page.httpStatus === 401 ? 'status' : 'redirect', url };
    case 'redirect':
      return leadsToLogin(session, page.location) ? { sign: 'redirect', url } : null;
    case 'document':
      if (hasField(page.document, session.loginFields)) return { sign: 'field', url };
      return page.hasPasswordField === true && !session.hasPasswordField ? { sign: 'password', url } : null;
    default:
      return null;
  }
}

/** The failure of a page if the session ended each time that the page was requested. */
export function notKept(times: number): FailedPage {
  return refused({ code: 'login_not_kept', params: { times } });
}

function refused(failure: Failure): FailedPage {
  return failedPage(failure, { refusesAccess: true });
}
