import { isIP, Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { codeOf } from '../platform/errors.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import { type AddressGuard, AddressRefusedError, isAllowedPort } from './address-guard.ts';
import { limitConnectTime } from './connect-limit.ts';
import { HttpFault, toHttpFault } from './http-fault.ts';
import {
  bodyIdleTimeoutMs,
  connectionsPerOriginMax,
  connectTimeoutMs,
  contentEncodingsMax,
  discardMaxBytes,
  headersTimeoutMs,
  keepAliveMs,
  requestTimeoutMs,
  responseHeadMaxBytes,
  unpackedAtATimeMax,
  zstdWindowLogMax,
} from './limits.ts';
import { type HeaderPair, headerValue, type ResponseHead } from './response-head.ts';

export interface HttpResponse extends ResponseHead {
  /** Decoded; null when `wantsBody` returned false. */
  readonly body: Uint8Array | null;
}

interface HttpRequest {
  /** An absolute http or https URL. Credentials in it are not sent. */
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** The body to send. Default: none. */
  readonly body?: string;
  /** Sent in addition to `User-Agent` and `Accept-Encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum size of the body in bytes, both as transferred and decoded. */
  readonly bodyMaxBytes: number;
  readonly signal?: AbortSignal;
  /** Returns whether to download the body. */
  wantsBody(head: ResponseHead): boolean;
  /** Reserves memory for more bytes of the body. The request fails with `no_room` when it returns false. */
  takeRoom?(bytes: number): boolean;
  /** Called when the request headers have been passed to the socket. */
  onWritten?(): void;
  /** Called when the response headers have been received. */
  onAnswered?(): void;
  /** Called when the request has left its connection, which is after the result if an unwanted body is still arriving. */
  onOver?(): void;
}

export interface HttpClient {
  readonly limits: HttpClientLimits;
  /** Sent with each request that has no user agent of its own. */
  readonly userAgent: string;
  /**
   * Sends a request, without redirects, cookies or retries.
   * @throws HttpFault when there is no usable response; the signal's reason when it is aborted
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Looks up a host name as a request does, without a request.
   * @throws HttpFault when it has no address that requests can connect to
   */
  lookUp(hostname: string): Promise<void>;
  /** Closes all connections. Pending requests fail. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly addressGuard: AddressGuard;
  readonly userAgent: string;
  /** Trusted certificate authorities in PEM. Default: the public ones. */
  readonly ca?: string;
  /** Overrides of the limits in limits.ts. */
  readonly limits?: Partial<HttpClientLimits>;
}

interface HttpClientLimits {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyIdleTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly connectionsPerOriginMax: number;
}

/**
 * Creates the client for requests to sites and to receivers of notifications: HTTP/1.1 with persistent connections. The guard
 * checks each address at connect time.
 */
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
  const decoders = createSemaphore(unpackedAtATimeMax);

  return {
    limits,
    userAgent: options.userAgent,
    async request(request) {
      const { port } = new URL(request.url);
      if (port !== '' && !isAllowedPort(Number(port))) throw new HttpFault('port_refused');
      const { body, ...head } = await send(agent, request, options.userAgent, limits.requestTimeoutMs);
      const encoding = headerValue(head, 'content-encoding') ?? '';
      if (body === null || encoding === '') return { ...head, body };
      const decoded = await decode(body, encoding, request, decoders).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        const reason = error instanceof HttpFault ? error.reason : 'unknown';
        throw new HttpFault(reason, { head, cause: error });
      });
      return { ...head, body: decoded };
    },
    lookUp: (hostname) =>
      new Promise((resolve, reject) => {
        options.addressGuard.lookup(hostname, { all: true }, (error) => {
          if (error === null) resolve();
          else reject(toHttpFault(error, null));
        });
      }),
    close: () => agent.destroy(),
  };
}

/** Decodes a body when a decoder is free. Their number is limited, because the decoded size is not known in advance. */
async function decode(
  body: Uint8Array,
  encoding: string,
  { bodyMaxBytes, signal, takeRoom }: HttpRequest,
  decoders: Semaphore,
): Promise<Uint8Array> {
  const release = await decoders.acquire('bodies', signal ?? new AbortController().signal);
  try {
    const decoded = await decodeContent(body, encoding, bodyMaxBytes);
    signal?.throwIfAborted();
    if (decoded !== body && takeRoom?.(decoded.byteLength) === false) throw new HttpFault('no_room');
    return decoded;
  } finally {
    release();
  }
}

function guardedConnector({ addressGuard, ca }: HttpClientOptions, limits: HttpClientLimits): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    // undici's limit would include the name lookup.
    timeout: 0,
    lookup: addressGuard.lookup,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, callback) => {
    // Literal addresses are not looked up, so they are checked here.
    if (isIP(target.hostname) !== 0 && addressGuard.refuses(target.hostname)) {
      queueMicrotask(() => callback(new AddressRefusedError(target.hostname), null));
      return;
    }
    // The connector returns the socket, although its type does not say so.
    const socket: unknown = connect(target, callback);
    if (!(socket instanceof Socket)) throw new Error('The connector returned no socket.');
    const connected = target.protocol === 'https:' ? 'secureConnect' : 'connect';
    limitConnectTime(socket, target.hostname, connected, limits.connectTimeoutMs);
  };
}

function send(agent: Agent, request: HttpRequest, agentName: string, timeoutMs: number): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const url = new URL(request.url);
  const state: Exchange = { controller: null, stopped: null, head: null, chunks: [], bytes: 0, wanted: false };

  function stop(reason: Error): void {
    state.stopped = reason;
    // A request that waits for a connection has no controller yet, and is aborted in `onRequestStart`.
    state.controller?.abort(reason);
    cleanUp();
    reject(reason);
  }
  const onAbort = () => stop(abortError(request.signal?.reason));
  const onTimeout = () => stop(new HttpFault('request_timeout', { head: state.head }));
  const timer = setTimeout(onTimeout, timeoutMs);
  function cleanUp(): void {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    request.onOver?.();
  }

  if (request.signal?.aborted) {
    cleanUp();
    reject(request.signal.reason);
    return promise;
  }
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const headers = { 'user-agent': agentName, 'accept-encoding': acceptedEncodings, ...request.headers };
  agent.dispatch(
    {
      ...{ origin: url.origin, path: url.pathname + url.search, method: request.method ?? 'GET', headers },
      body: request.body ?? null,
    },
    {
      onRequestStart(controller) {
        state.controller = controller;
        if (state.stopped !== null) controller.abort(state.stopped);
      },
      onRequestSent: () => request.onWritten?.(),
      onResponseStart(controller, status) {
        request.onAnswered?.();
        // Informational responses (RFC 9110, section 15.2) precede the final one.
        if (status < 200) return;
        const head = { status, headers: headerPairs(controller.rawHeaders) };
        state.head = head;
        state.wanted = request.wantsBody(head);
        // A response to HEAD has the `Content-Length` of the response to GET.
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
        cleanUp();
        if (state.head !== null) resolve({ ...state.head, body: Buffer.concat(state.chunks) });
      },
      onResponseError(_controller, error) {
        cleanUp();
        reject(toHttpFault(state.stopped ?? error, state.head));
      },
    },
  );
  return promise;
}

/** The state of a request. */
interface Exchange {
  controller: Dispatcher.DispatchController | null;
  stopped: Error | null;
  head: ResponseHead | null;
  readonly chunks: Buffer[];
  /** Received bytes of the body. */
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
  return reason instanceof Error ? reason : new Error('The request was canceled', { cause: reason });
}

/** The value of `Accept-Encoding`: the encodings that `decodeContent` supports. */
const acceptedEncodings = 'gzip, deflate, br, zstd';

type Decompressor = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzipAsync = promisify(gunzip);
const inflateAsync = promisify(inflate);
const inflateRawAsync = promisify(inflateRaw);
const brotliAsync = promisify(brotliDecompress);
const zstdAsync = promisify(zstdDecompress);

const decompressors: Readonly<Record<string, Decompressor>> = {
  gzip: gunzipAsync,
  'x-gzip': gunzipAsync,
  deflate: (body, options) => (hasZlibHeader(body) ? inflateAsync(body, options) : inflateRawAsync(body, options)),
  br: brotliAsync,
  zstd: (body, options) =>
    zstdAsync(body, { ...options, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
};

/**
 * Decodes the content encodings of a body, in the reverse order of their application. Stops after `maxBytes`, so that a small
 * body cannot fill the memory.
 * @param contentEncoding the value of the header, or an empty string
 * @throws HttpFault `body_too_large`; `body_undecodable` when the encoding is unknown or the body invalid
 */
async function decodeContent(body: Uint8Array, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const encodings = contentEncoding
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  if (encodings.length > contentEncodingsMax) throw new HttpFault('body_undecodable');
  let decoded = body;
  for (const encoding of encodings.reverse()) {
    const decompress = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined;
    if (decompress === undefined) throw new HttpFault('body_undecodable');
    // Like browsers, accept empty bodies with an encoding as empty pages.
    if (decoded.byteLength === 0) return decoded;
    decoded = await decompress(decoded, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      throw new HttpFault(isTooLarge(error) ? 'body_too_large' : 'body_undecodable', { cause: error });
    });
  }
  return decoded;
}

/** `deflate` means the zlib format (RFC 9110, section 8.4.1.2). Some servers send raw deflate, and browsers accept both. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
}
