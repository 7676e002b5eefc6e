import type { CDPSession } from 'playwright-core';
import type { FetchedDocument } from '../../domain/check.ts';
import { a11yReloadsMax } from './limits.ts';

/** Headers that describe the transfer, not the document: the body is given whole and decoded (RFC 9110, 7.6.1). */
const TRANSFER_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Answers the main frame's document request with the stored document, so that the page is what was fetched, and
 * lets the documents of other frames pass. Where the page leads itself elsewhere (a script or `refresh`), it
 * stays as it is: the check is of this document. Loading itself again is let be a few times.
 *
 * Only documents are intercepted, which leaves the HTTP cache on; Playwright's `route` would switch it off.
 * The returned function ends it.
 */
export async function fulfilDocument(
  cdp: CDPSession,
  mainFrameId: string,
  document: FetchedDocument,
): Promise<() => Promise<void>> {
  const responseHeaders = document.headers
    .filter(([name]) => !TRANSFER_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => ({ name, value }));
  const body = Buffer.from(document.body).toString('base64');
  let ownUrl: string | null = null;
  let answers = 0;

  async function answer(event: PausedRequest): Promise<void> {
    const { requestId } = event;
    if (event.frameId !== mainFrameId || event.resourceType !== 'Document') {
      await cdp.send('Fetch.continueRequest', { requestId });
      return;
    }
    ownUrl ??= event.request.url;
    if (event.request.url === ownUrl && event.request.method === 'GET' && answers <= a11yReloadsMax) {
      answers += 1;
      await cdp.send('Fetch.fulfillRequest', { requestId, responseCode: document.httpStatus, responseHeaders, body });
    } else {
      await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  // A request may be gone by the time it is answered, together with its frame.
  const listen = (event: PausedRequest): void => void answer(event).catch(() => undefined);
  cdp.on('Fetch.requestPaused', listen);
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] });
  return async () => {
    cdp.off('Fetch.requestPaused', listen);
    await cdp.send('Fetch.disable');
  };
}

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly method: string };
}
