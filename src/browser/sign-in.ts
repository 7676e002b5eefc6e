import type { CDPSession } from 'playwright-core';
import { CheckFault } from '../domain/check-fault.ts';
import { accessHeaders, type SignIn } from '../domain/site-access.ts';
import { applySession } from './apply-session.ts';
import { endSession } from './end-session.ts';
import type { BrowserPage } from './page-slot.ts';

/** Signs a page in while `use` works with it. */
export async function useSignedIn<T>(page: BrowserPage, access: SignIn, use: () => Promise<T>): Promise<T> {
  const end = await signIn(page, access);
  try {
    const session =
      access.session === undefined ? null : await applySession(page, { ...access, session: access.session });
    try {
      const result = await use();
      await session?.look();
      return result;
    } finally {
      await session?.end().catch(() => undefined);
    }
  } finally {
    await end().catch(() => undefined);
  }
}

/**
 * Signs a page in: sets the cookies, and adds the headers to all requests for the site's own origins, including requests of
 * subresources and workers. Redirects to other origins do not get the headers. WebSockets get only the cookies: headers cannot be
 * added to their handshakes.
 *
 * Intercepts only documents and requests for the site's own origins, on a separate DevTools session, which leaves the HTTP cache
 * on.
 * @returns a function that stops adding headers; the cookies stay until the page is emptied
 * @throws CheckFault when the browser rejects a cookie
 */
async function signIn({ page }: BrowserPage, { access, origins }: SignIn): Promise<() => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  await setCookies(cdp, { access, origins });
  const added = accessHeaders(access);
  if (Object.keys(added).length === 0) return () => endSession(cdp);

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
  // The request may be gone by now, along with its frame.
  cdp.on('Fetch.requestPaused', (event: PausedRequest) => void answer(event).catch(() => undefined));
  await cdp.send('Fetch.enable', {
    patterns: [{ resourceType: 'Document' }, ...[...origins].map((origin) => ({ urlPattern: `${origin}/*` }))],
  });
  return () => endSession(cdp);
}

/**
 * Sets the cookies like session cookies: for the site's origins only, and not for scripts, since third-party scripts could read
 * and send them. If an origin uses plain http, sets them only for http: browsers may reject an insecure cookie next to a secure
 * cookie with the same name.
 */
async function setCookies(cdp: CDPSession, { access, origins }: SignIn): Promise<void> {
  const secure = [...origins].every((origin) => origin.startsWith('https:'));
  for (const origin of origins) {
    if (origin.startsWith('https:') !== secure) continue;
    for (const [name, value] of Object.entries(access.cookies)) {
      const sourcePort = Number(new URL(origin).port) || (secure ? 443 : 80);
      const cookie = { name, value, url: `${origin}/`, secure, httpOnly: true, sameSite: 'Lax', sourcePort } as const;
      await cdp.send('Network.setCookie', cookie).catch((cause: unknown) => {
        // Without the cookie, the page would look as it does for visitors who are not signed in.
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
