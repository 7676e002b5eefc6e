import { isIP, Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { createSemaphore } from '../platform/semaphore.ts';
import { type AddressGuard, AddressRefusedError } from './address-guard.ts';
import { limitConnecting } from './connect-limit.ts';
import { acceptedEncodings, decodeContent } from './content-encoding.ts';
import { HttpFault, toHttpFault } from './http-fault.ts';
import {
  bodyIdleTimeoutMs,
  connectionsPerOriginMax,
  connectTimeoutMs,
  discardMaxBytes,
  headersTimeoutMs,
  keepAliveMs,
  requestTimeoutMs,
  responseHeadMaxBytes,
  unpackedAtATimeMax,
} from './limits.ts';
import { isOpenPort } from './ports.ts';
import { type HeaderPair, headerValue, type ResponseHead } from './response-head.ts';

export interface HttpResponse extends ResponseHead {
  /** With the content encoding undone; null when the caller did not want it. */
  readonly body: Uint8Array | null;
}

interface HttpRequest {
  /** An absolute http(s) URL. Credentials in it are not sent. */
  readonly url: string;
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD';
  /** Sent besides `User-Agent` and `Accept-Encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body, as transferred and with the content encoding undone. */
  readonly bodyMaxBytes: number;
  readonly signal?: AbortSignal;
  /** Decides by the head of the answer whether the body is wanted. What is not wanted is not downloaded. */
  wantsBody(head: ResponseHead): boolean;
  /** Takes room for so many bytes more of the body; the request ends with `no_room` where there is none. */
  takeRoom?(bytes: number): boolean;
  /** The head of the request was handed to the socket. */
  onWritten?(): void;
  /** The head of the answer has come. */
  onAnswered?(): void;
}

export interface HttpClient {
  readonly limits: HttpClientLimits;
  /**
   * One request: no redirect is followed, no cookie kept, nothing tried again.
   * @throws HttpFault when there is no usable answer
   * @throws the signal's reason when it aborts
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly addressGuard: AddressGuard;
  readonly userAgent: string;
  /** Certificate authorities in PEM, trusted instead of the public ones. */
  readonly ca?: string;
  /** Other limits than those in limits.ts. */
  readonly limits?: Partial<HttpClientLimits>;
}

interface HttpClientLimits {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyIdleTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly connectionsPerOriginMax: number;
}

/** The client for everything outside: HTTP/1.1 with kept connections, every address judged when it is connected to. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const limits: HttpClientLimits = {
    connectTimeoutMs,
    headersTimeoutMs,
    bodyIdleTimeoutMs,
    requestTimeoutMs,
    connectionsPerOriginMax,
    ...options.limits,
  };
  const agent = new Agent({
    connect: guardedConnector(options, limits),
    connections: limits.connectionsPerOriginMax,
    headersTimeout: limits.headersTimeoutMs,
    bodyTimeout: limits.bodyIdleTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: responseHeadMaxBytes,
    pipelining: 1,
  });
  const unpacking = createSemaphore(unpackedAtATimeMax);

  /** The body with its encoding undone, one of a few at a time: none tells before how large it gets. */
  async function unpack(body: Uint8Array, encoding: string, request: HttpRequest): Promise<Uint8Array> {
    if (encoding === '') return body;
    const leave = await unpacking.acquire('bodies', request.signal ?? new AbortController().signal);
    try {
      const unpacked = await decodeContent(body, encoding, request.bodyMaxBytes);
      request.signal?.throwIfAborted();
      if (unpacked !== body && request.takeRoom?.(unpacked.byteLength) === false) throw new HttpFault('no_room');
      return unpacked;
    } finally {
      leave();
    }
  }

  return {
    limits,
    async request(request) {
      const { port } = new URL(request.url);
      if (port !== '' && !isOpenPort(Number(port))) throw new HttpFault('port_refused');
      const exchange = await send(agent, request, options.userAgent, limits.requestTimeoutMs);
      if (exchange.body === null) return exchange;
      const encoding = headerValue(exchange, 'content-encoding') ?? '';
      const body = await unpack(exchange.body, encoding, request).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        const reason = error instanceof HttpFault ? error.reason : 'unknown';
        throw new HttpFault(reason, { head: { status: exchange.status, headers: exchange.headers }, cause: error });
      });
      return { ...exchange, body };
    },
    close: () => agent.destroy(),
  };
}

function guardedConnector({ addressGuard, ca }: HttpClientOptions, limits: HttpClientLimits): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    // Its own limit would include the look-up.
    timeout: 0,
    lookup: addressGuard.lookup,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, callback) => {
    // A literal address is connected to without a look-up, so it is judged here.
    if (isIP(target.hostname) !== 0 && addressGuard.refuses(target.hostname)) {
      queueMicrotask(() => callback(new AddressRefusedError(target.hostname), null));
      return;
    }
    // Its type keeps to itself that it gives the socket.
    const socket: unknown = connect(target, callback);
    if (!(socket instanceof Socket)) throw new Error('The connector gave no socket');
    const connected = target.protocol === 'https:' ? 'secureConnect' : 'connect';
    limitConnecting(socket, target.hostname, connected, limits.connectTimeoutMs);
  };
}

function send(agent: Agent, request: HttpRequest, agentName: string, timeoutMs: number): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const url = new URL(request.url);
  const state: Exchange = { controller: null, stopped: null, head: null, chunks: [], bytes: 0, wanted: false };

  function stop(reason: Error): void {
    state.stopped = reason;
    // A request that still waits for its connection has no controller yet; it is stopped when it gets one.
    state.controller?.abort(reason);
    settle();
    reject(reason);
  }
  const onAbort = () => stop(abortError(request.signal?.reason));
  const onTimeout = () => stop(new HttpFault('request_timeout', { head: state.head }));
  const timer = setTimeout(onTimeout, timeoutMs);
  function settle(): void {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  }

  if (request.signal?.aborted) {
    settle();
    reject(request.signal.reason);
    return promise;
  }
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const headers = { 'user-agent': agentName, 'accept-encoding': acceptedEncodings, ...request.headers };
  agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: request.method ?? 'GET', headers },
    {
      onRequestStart(controller) {
        state.controller = controller;
        if (state.stopped !== null) controller.abort(state.stopped);
      },
      onRequestSent: () => request.onWritten?.(),
      onResponseStart(controller, status) {
        request.onAnswered?.();
        // Early hints and the like (RFC 9110, 15.2): the answer itself is still to come.
        if (status < 200) return;
        const head = { status, headers: headerPairs(controller.rawHeaders) };
        state.head = head;
        state.wanted = request.wantsBody(head);
        // An answer to HEAD announces what a GET would give.
        const announced = request.method === 'HEAD' ? 0 : Number(headerValue(head, 'content-length') ?? 0);
        const max = state.wanted ? request.bodyMaxBytes : discardMaxBytes;
        if (!state.wanted) resolve({ ...head, body: null });
        if (announced > max) stop(new HttpFault('body_too_large', { head }));
      },
      onResponseData(_controller, chunk) {
        state.bytes += chunk.byteLength;
        if (state.wanted) state.chunks.push(chunk);
        if (state.bytes > (state.wanted ? request.bodyMaxBytes : discardMaxBytes)) {
          stop(new HttpFault('body_too_large', { head: state.head }));
        } else if (state.wanted && request.takeRoom?.(chunk.byteLength) === false) {
          stop(new HttpFault('no_room', { head: state.head }));
        }
      },
      onResponseEnd() {
        settle();
        if (state.head !== null) resolve({ ...state.head, body: Buffer.concat(state.chunks) });
      },
      onResponseError(_controller, error) {
        settle();
        reject(toHttpFault(state.stopped ?? error, state.head));
      },
    },
  );
  return promise;
}

/** What is known of one request. Once its promise is settled, later news changes nothing. */
interface Exchange {
  controller: Dispatcher.DispatchController | null;
  stopped: Error | null;
  head: ResponseHead | null;
  readonly chunks: Buffer[];
  /** Bytes of the body so far. */
  bytes: number;
  wanted: boolean;
}

function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  if (!Array.isArray(raw)) return pairs;
  const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  for (let index = 0; index + 1 < texts.length; index += 2) {
    pairs.push([(texts[index] ?? '').toLowerCase(), texts[index + 1] ?? '']);
  }
  return pairs;
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The request was cancelled', { cause: reason });
}
