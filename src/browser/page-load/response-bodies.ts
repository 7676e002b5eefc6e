import type { DevtoolsSession } from '../devtools-session.ts';
import { recordedBodiesMax, recordedBodiesMaxBytes, recordedBodyMaxBytes } from './limits.ts';

/** The body that the browser has received for a response. */
export interface ResponseBody {
  /** Its size, decoded. */
  readonly bytes: number;
  /**
   * Returns the decoded content: text in UTF-8, without a byte order mark.
   * @throws Error if the browser has dropped it
   */
  read(): Promise<Buffer>;
}

/** Records which responses of a page the browser has received completely. */
export interface BodyRecord {
  /** Returns the bodies for a URL. Frames of other sites run in separate processes, and are left out. */
  bodiesOf(url: string): readonly ResponseBody[];
  end(): void;
}

interface ReceivedBody {
  readonly requestId: string;
  bytes: number;
  isComplete: boolean;
}

/**
 * Playwright returns bodies of any size, and re-requests files whose content the browser has dropped. So the sizes are recorded
 * here, and only bodies that the browser has are read.
 */
export async function recordBodies(cdp: DevtoolsSession): Promise<BodyRecord> {
  const byRequest = new Map<string, ReceivedBody>();
  const byUrl = new Map<string, ReceivedBody[]>();
  const respond = ({ requestId, type, response: { url } }: ReceivedResponse): void => {
    if (byRequest.size >= recordedBodiesMax || type === 'Preflight' || !/^https?:/i.test(url)) return;
    const body = { requestId, bytes: 0, isComplete: false };
    byRequest.set(requestId, body);
    const others = byUrl.get(url);
    if (others === undefined) byUrl.set(url, [body]);
    else others.push(body);
  };
  const receive = ({ requestId, dataLength }: { readonly requestId: string; readonly dataLength: number }): void => {
    const body = byRequest.get(requestId);
    if (body !== undefined) body.bytes += dataLength;
  };
  const finish = ({ requestId }: { readonly requestId: string }): void => {
    const body = byRequest.get(requestId);
    if (body !== undefined) body.isComplete = true;
  };
  cdp.on('Network.responseReceived', respond);
  cdp.on('Network.dataReceived', receive);
  cdp.on('Network.loadingFinished', finish);
  await cdp.send('Network.enable', {
    maxResourceBufferSize: recordedBodyMaxBytes,
    maxTotalBufferSize: recordedBodiesMaxBytes,
  });
  return {
    bodiesOf: (url) =>
      (byUrl.get(url) ?? []).flatMap(({ requestId, bytes, isComplete }) =>
        isComplete ? [{ bytes, read: () => readBody(cdp, requestId, bytes) }] : [],
      ),
    end() {
      cdp.off('Network.responseReceived', respond);
      cdp.off('Network.dataReceived', receive);
      cdp.off('Network.loadingFinished', finish);
      // A page that hangs never responds.
      void cdp.send('Network.disable').catch(() => undefined);
    },
  };
}

interface ReceivedResponse {
  readonly requestId: string;
  readonly type: string;
  readonly response: { readonly url: string };
}

async function readBody(cdp: DevtoolsSession, requestId: string, bytes: number): Promise<Buffer> {
  const { body, base64Encoded } = await cdp.send('Network.getResponseBody', { requestId });
  if (body === '' && bytes > 0) throw new Error('The browser has dropped the content.');
  return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
}
