import type { CDPSession } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import { reloadsPerPage } from './limits.ts';

/** A document as the browser shows it: with the transfer's content encoding undone. */
export interface ShownDocument {
  readonly httpStatus: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

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

/** A page that leads to another address before it is there itself, as a redirect does. */
export class LeftUnparsed extends CheckFailure {
  readonly address: string;

  constructor(address: string) {
    super({ code: 'leads_on', params: { url: address } }, { permanent: true });
    this.address = address;
  }
}

/** The page shown from a document at hand. */
export interface FulfilledDocument {
  /**
   * Resolves when the page, once parsed, leads itself elsewhere.
   * Rejects with a CheckFailure when it does so before, for then a browser never shows the rest of it.
   */
  readonly departure: Promise<void>;
  /** Where the page, once parsed, wanted to lead itself first; null when it stayed. */
  leadsTo(): string | null;
  /** How often the document was given to the page, which may load itself again. */
  timesGiven(): number;
  /** The address of another document that the page has put in its own place; null while the document is shown. */
  replacedBy(): string | null;
  end(): Promise<void>;
}

/**
 * Answers the main frame's document request with the stored document, so that the page is what was fetched. Lets the
 * documents of other frames pass. Where the page leads itself elsewhere (a script or `refresh`), it stays as it is: what
 * is shown is this document. Loading itself again is let be a few times.
 *
 * Only documents are intercepted, which leaves the HTTP cache on; Playwright's `route` would switch it off.
 */
export async function fulfilDocument(
  cdp: CDPSession,
  mainFrameId: string,
  document: ShownDocument,
): Promise<FulfilledDocument> {
  const response = responseOf(document);
  const { promise: departure, resolve: depart, reject: departUnparsed } = Promise.withResolvers<void>();
  departure.catch(() => undefined);
  let parsed = false;
  let ownUrl: string | null = null;
  let destination: string | null = null;
  let replacement: string | null = null;
  let answers = 0;

  async function answer(event: PausedRequest): Promise<void> {
    const { requestId } = event;
    if (event.frameId !== mainFrameId || event.resourceType !== 'Document') {
      await cdp.send('Fetch.continueRequest', { requestId });
      return;
    }
    ownUrl ??= event.request.url;
    if (event.request.url === ownUrl && event.request.method === 'GET' && answers <= reloadsPerPage) {
      answers += 1;
      parsed = false;
      await cdp.send('Fetch.fulfillRequest', { requestId, ...response });
    } else {
      noteDeparture(event.request);
      await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  function noteDeparture({ url, method }: PausedRequest['request']): void {
    if (method === 'GET') destination ??= url;
    if (parsed) depart();
    else departUnparsed(new LeftUnparsed(url));
  }

  // A request may be gone by the time it is answered, together with its frame.
  const listen = (event: PausedRequest): void => void answer(event).catch(() => undefined);
  const seeNavigation = ({ frame }: { readonly frame: { readonly id: string; readonly url: string } }): void => {
    if (frame.id === mainFrameId) replacement = frame.url === ownUrl ? null : frame.url;
  };
  const seeParsed = (): void => {
    parsed = true;
  };
  cdp.on('Page.domContentEventFired', seeParsed);
  cdp.on('Fetch.requestPaused', listen);
  cdp.on('Page.frameNavigated', seeNavigation);
  await cdp.send('Page.enable');
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] });
  return {
    departure,
    leadsTo: () => destination,
    timesGiven: () => answers,
    replacedBy: () => replacement,
    async end() {
      cdp.off('Page.domContentEventFired', seeParsed);
      cdp.off('Fetch.requestPaused', listen);
      cdp.off('Page.frameNavigated', seeNavigation);
      await cdp.send('Fetch.disable');
    },
  };
}

function responseOf({ httpStatus, headers, body }: ShownDocument) {
  return {
    responseCode: httpStatus,
    responseHeaders: headers
      .filter(([name]) => !TRANSFER_HEADERS.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value })),
    body: Buffer.from(body).toString('base64'),
  };
}

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly method: string };
}
