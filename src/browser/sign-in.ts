import type { CDPSession } from 'playwright-core';
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
 */
export async function signIn({ page }: BrowserPage, { access, origins }: SignIn): Promise<() => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  await setCookies(cdp, { access, origins });
  const added = Object.entries(accessHeaders(access)).map(([name, value]) => ({ name, value }));
  if (added.length === 0) return () => cdp.detach();

  /** Where each frame's document comes from, as far as it was requested. */
  const documents = new Map<string, string>();
  const answer = async ({ requestId, request, resourceType, frameId }: PausedRequest): Promise<void> => {
    const { origin } = new URL(request.url);
    if (resourceType === 'Document') documents.set(frameId, origin);
    // What others' frames request of the site, it must answer as it answers strangers: they might read it.
    const from = documents.get(frameId) ?? origin;
    const headers = origins.has(origin) && origins.has(from) ? [...pairsOf(request.headers), ...added] : undefined;
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
 * Cookies as a person's browser has them: of their origins alone, and for the page's scripts to read, as those of consents
 * and languages are. Where the site is on plain http they are of its http alone, or its scripts would see each twice.
 */
async function setCookies(cdp: CDPSession, { access, origins }: SignIn): Promise<void> {
  const secure = [...origins].every((origin) => origin.startsWith('https:'));
  for (const origin of origins) {
    if (origin.startsWith('https:') !== secure) continue;
    for (const [name, value] of Object.entries(access.cookies)) {
      const sourcePort = Number(new URL(origin).port) || (secure ? 443 : 80);
      const cookie = { name, value, url: `${origin}/`, secure, sameSite: 'Lax', sourcePort } as const;
      // A browser takes no cookie on plain http that is for https only (`__Secure-`), and neither would a person's.
      await cdp.send('Network.setCookie', cookie).catch(() => undefined);
    }
  }
}

function pairsOf(headers: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}
