import type { FetchedDocument } from '../../domain/check.ts';
import { CheckFault } from '../../domain/check-fault.ts';
import type { DevtoolsSession } from '../devtools-session.ts';
import { reloadsPerPage } from './limits.ts';

/** A document to show, with its content encoding removed. */
export type ShownDocument = Pick<FetchedDocument, 'httpStatus' | 'headers' | 'body'>;

/** Headers that describe the transfer and not the document (RFC 9110, section 7.6.1): the body is complete and decoded. */
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

/** Thrown when a page navigates to another URL before it is parsed, like a redirect. */
export class EarlyRedirect extends CheckFault {
  readonly target: string;

  constructor(target: string) {
    super({ code: 'leads_on', params: { url: target } }, { permanent: true });
    this.target = target;
  }
}

/** A page that shows a stored document. */
export interface FulfilledDocument {
  /**
   * Resolves when the parsed page tries to navigate to another URL. Rejects with EarlyRedirect when the page does so before it is
   * parsed: a browser would never show the rest of the page.
   */
  readonly navigation: Promise<void>;
  /** The first URL that the page tried to navigate to; null for none. */
  navigationTarget(): string | null;
  /** How many times the page has loaded the document: it may reload itself. */
  loads(): number;
  /** The URL of another document that the page has replaced itself with; null while the document is shown. */
  replacedBy(): string | null;
  end(): Promise<void>;
}

/**
 * Fulfils the main frame's document request with the stored document. Other frames load their documents from the network.
 * Blocks navigation to other URLs (by a script or `refresh`), so that the page keeps showing this document, and allows
 * `reloadsPerPage` reloads.
 *
 * Intercepts only documents, which leaves the HTTP cache on. Playwright's `route` would turn it off.
 */
export async function fulfilDocument(
  cdp: DevtoolsSession,
  mainFrameId: string,
  document: ShownDocument,
): Promise<FulfilledDocument> {
  const response = responseOf(document);
  const { promise: navigation, resolve: navigate, reject: redirect } = Promise.withResolvers<void>();
  navigation.catch(() => undefined);
  let parsed = false;
  let ownUrl: string | null = null;
  let target: string | null = null;
  let replacement: string | null = null;
  let loads = 0;

  async function answer(event: PausedRequest): Promise<void> {
    const { requestId } = event;
    if (event.frameId !== mainFrameId || event.resourceType !== 'Document') {
      await cdp.send('Fetch.continueRequest', { requestId });
      return;
    }
    ownUrl ??= event.request.url;
    if (event.request.url === ownUrl && event.request.method === 'GET' && loads <= reloadsPerPage) {
      loads += 1;
      parsed = false;
      await cdp.send('Fetch.fulfillRequest', { requestId, ...response });
    } else {
      noteNavigation(event.request);
      await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  function noteNavigation({ url, method }: PausedRequest['request']): void {
    if (method === 'GET') target ??= url;
    if (parsed) navigate();
    else redirect(new EarlyRedirect(url));
  }

  // The request may be gone by now, along with its frame.
  const onPaused = (event: PausedRequest): void => void answer(event).catch(() => undefined);
  const onNavigated = ({ frame }: { readonly frame: { readonly id: string; readonly url: string } }): void => {
    if (frame.id === mainFrameId) replacement = frame.url === ownUrl ? null : frame.url;
  };
  const onParsed = (): void => {
    parsed = true;
  };
  cdp.on('Page.domContentEventFired', onParsed);
  cdp.on('Fetch.requestPaused', onPaused);
  cdp.on('Page.frameNavigated', onNavigated);
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] });
  return {
    navigation,
    navigationTarget: () => target,
    loads: () => loads,
    replacedBy: () => replacement,
    async end() {
      cdp.off('Page.domContentEventFired', onParsed);
      cdp.off('Fetch.requestPaused', onPaused);
      cdp.off('Page.frameNavigated', onNavigated);
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

/** Whether a script has reopened the main frame's document, with `document.open` or a late `document.write`. */
export interface OpeningWatch {
  /** Such a document keeps loading until a script closes it, and many scripts do not. */
  wasOpened(): boolean;
  end(): void;
}

/** Requires that the DevTools domain `Page` is enabled. */
export function watchOpening(cdp: DevtoolsSession, mainFrameId: string): OpeningWatch {
  let isOpened = false;
  const listener =
    (value: boolean) =>
    ({ frame }: { readonly frame: { readonly id: string } }): void => {
      if (frame.id === mainFrameId) isOpened = value;
    };
  const onOpened = listener(true);
  const onNavigated = listener(false);
  cdp.on('Page.documentOpened', onOpened);
  cdp.on('Page.frameNavigated', onNavigated);
  return {
    wasOpened: () => isOpened,
    end() {
      cdp.off('Page.documentOpened', onOpened);
      cdp.off('Page.frameNavigated', onNavigated);
    },
  };
}
