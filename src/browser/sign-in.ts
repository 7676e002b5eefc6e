import type { CDPSession } from 'playwright-core';
import { CheckFailure } from '../domain/check-failure.ts';
import { accessHeaders, type SignIn } from '../domain/site-access.ts';
import type { BrowserPage } from './page-slot.ts';

/**
 * Signs a page in: from now on, what it requests of the site's own origins carries the headers, whether it is a document, a
 * style sheet or a worker's fetch, and the cookies are the browser's. A redirect to another origin takes none of the
 * headers along. WebSockets get the cookies alone: browsers let nobody add to their handshakes.
 *
 * Requests are intercepted on a session of their own, beside whatever else is done with documents, and only those of own
 * origins and for documents, which leaves the HTTP cache on.
 * @returns ends it; the cookies stay until the page is emptied
 * @throws CheckFailure when the browser does not take a cookie
 */
export async function signIn({ page }: BrowserPage, { access, origins }: SignIn): Promise<() => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  await setCookies(cdp, { access, origins });
  const added = accessHeaders(access);
  if (Object.keys(added).length === 0) return () => cdp.detach();

  const isOwn = (url: string | undefined): boolean => url !== undefined && origins.has(new URL(url).origin);
  /** Whether all documents of a frame were the site's own, as far as they were requested. */
  const ownFrames = new Map<string, boolean>();
  // What others' frames request of the site, it must answer as it answers strangers: they might read it. A frame in which
  // others have been stays theirs, since their document stays where the site's is empty (204) or a download.
  const isLetIn = ({ request, resourceType, frameId }: PausedRequest): boolean => {
    if (resourceType === 'Document') ownFrames.set(frameId, isOwn(request.url) && ownFrames.get(frameId) !== false);
    // A frame without any, such as one with `srcdoc`, has the origin of whoever made it, or none: nobody can send the
    // Referer of another origin.
    return isOwn(request.url) && (ownFrames.get(frameId) ?? isOwn(request.headers['Referer']));
  };
  const answer = async (event: PausedRequest): Promise<void> => {
    const { requestId, request } = event;
    const headers = isLetIn(event) ? withHeaders(request.headers, added) : undefined;
    await cdp.send('Fetch.continueRequest', headers === undefined ? { requestId } : { requestId, headers });
  };
  // A request may be gone by the time it is answered, together with its frame.
  cdp.on('Fetch.requestPaused', (event: PausedRequest) => void answer(event).catch(() => undefined));
  await cdp.send('Fetch.enable', {
    patterns: [{ resourceType: 'Document' }, ...[...origins].map((origin) => ({ urlPattern: `${origin}/*` }))],
  });
  return () => cdp.detach();
}

/**
 * Cookies as a person's browser has those of sessions: of their origins alone, and not for scripts, since any script that a
 * page has of others could read them and tell them to anybody. Where the site is on plain http they are of its http alone:
 * browsers may take none beside a secure one of the same name.
 */
async function setCookies(cdp: CDPSession, { access, origins }: SignIn): Promise<void> {
  const secure = [...origins].every((origin) => origin.startsWith('https:'));
  for (const origin of origins) {
    if (origin.startsWith('https:') !== secure) continue;
    for (const [name, value] of Object.entries(access.cookies)) {
      const sourcePort = Number(new URL(origin).port) || (secure ? 443 : 80);
      const cookie = { name, value, url: `${origin}/`, secure, httpOnly: true, sameSite: 'Lax', sourcePort } as const;
      await cdp.send('Network.setCookie', cookie).catch((cause: unknown) => {
        // Shown without it, the page would be the one that strangers see.
        throw new CheckFailure({ code: 'cookie_refused', params: {} }, { permanent: false, cause });
      });
    }
  }
}

/** The headers of a request, and those added that it does not have yet: the page means what it sends itself. */
function withHeaders(own: Headers, added: Headers): { name: string; value: string }[] {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const missing = Object.entries(added).filter(([name]) => !names.has(name));
  return [...Object.entries(own), ...missing].map(([name, value]) => ({ name, value }));
}

type Headers = Readonly<Record<string, string>>;

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly headers: Headers };
}
