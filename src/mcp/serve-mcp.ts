import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API, createClient } from '../../packages/client/client.ts';
import { unavailableRetryS } from '../api/http/limits.ts';
import { type AddressSettings, baseUrlFor, isHost } from '../api/http/links.ts';
import { AppError, RetryLater } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { isLoopback } from '../platform/loopback.ts';
import { createMcpServer, loadSdk, logFault } from './create-mcp-server.ts';
import { fetchFrom, OWN_ORIGIN } from './fetch-from.ts';
import { messageMaxBytes, messagesMax, tooManyMessagesRetryS } from './limits.ts';

const MCP_PATH = '/mcp';

interface McpParts {
  readonly config: AddressSettings & { readonly trustedProxies: readonly string[] };
  readonly log: Logger;
}

/**
 * Plugin for agents: the Model Context Protocol over streamable HTTP, without sessions. Each message carries an API token and
 * counts as a request of that token, and its tool makes requests to the API of this server with the same token.
 */
export function serveMcp(server: FastifyInstance, { config, log }: McpParts, done: () => void): void {
  const send = fetchFrom(server);
  const running = new Map<string, number>();
  let opened: Promise<McpHttpHandler> | null = null;

  const answer = async (request: FastifyRequest, reply: FastifyReply, signal: AbortSignal): Promise<FastifyReply> => {
    opened ??= openHandler(log, send, server.closing);
    const message = new Request(`${baseUrlFor(request, config)}${MCP_PATH}`, {
      method: 'POST',
      headers: headersOf(request),
      body: String(request.body ?? ''),
      signal,
    });
    return passOn(await (await opened).fetch(message), reply);
  };

  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_: FastifyRequest, text: string) => text,
  );
  server.addHook('onClose', async () => (await opened)?.close());
  server.post(MCP_PATH, { bodyLimit: messageMaxBytes, compress: false }, async (request, reply) => {
    requireOwnHost(request, config);
    // Refuses everything that the API refuses: unknown tokens, tokens over their limit, and share links, which open one report
    // only.
    const gone = goneOf(reply);
    const account = await send(`${OWN_ORIGIN}${API}/account`, { headers: tokenOf(request), signal: gone }).catch(
      (error: unknown) => {
        if (gone.aborted) throw new AppError('invalid_request', 'The connection ended early.');
        if (server.closing.aborted) throw new RetryLater('unavailable', 'The service is stopping.', unavailableRetryS);
        throw error;
      },
    );
    if (!account.ok) return passOn(account, reply);
    const { data } = (await account.json()) as { readonly data: { readonly id: string } };
    const count = running.get(data.id) ?? 0;
    if (count >= messagesMax) {
      const detail = `An account can send ${messagesMax} messages at a time. Wait until a tool has returned a result.`;
      throw new RetryLater('rate_limited', detail, tooManyMessagesRetryS);
    }
    // The message would never be counted as ended.
    if (gone.aborted) throw new AppError('invalid_request', 'The connection ended early.');
    running.set(data.id, count + 1);
    gone.addEventListener('abort', () => {
      const left = (running.get(data.id) ?? 1) - 1;
      if (left === 0) running.delete(data.id);
      else running.set(data.id, left);
    });
    return answer(request, reply, gone);
  });
  done();
}

async function openHandler(
  log: Logger,
  send: ReturnType<typeof fetchFrom>,
  closing: AbortSignal,
): Promise<McpHttpHandler> {
  const { createMcpHandler } = await loadSdk();
  return createMcpHandler(
    ({ requestInfo }) => {
      const { url = '', headers = new Headers() } = requestInfo ?? {};
      const given = { authorization: headers.get('authorization') ?? '' };
      const api = createClient({ url: OWN_ORIGIN, fetch: send, headers: () => given });
      return createMcpServer({ api, dashboard: url.slice(0, -MCP_PATH.length), log, closing });
    },
    // Tools do not change while the service runs.
    { onerror: logFault(log), maxSubscriptions: 0 },
  );
}

/** Aborted when the client goes away, or if it has already gone. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

function tokenOf({ headers: { authorization } }: FastifyRequest): Record<string, string> {
  return authorization === undefined ? {} : { authorization };
}

function headersOf({ headers }: FastifyRequest): Record<string, string> {
  // Compressed responses would have to be decompressed here. `Request` sets the length of the body. Cookies are not forwarded:
  // other sites can make browsers send them.
  const { 'accept-encoding': _, cookie: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers;
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/** Sends a response as it arrives. */
function passOn(answer: Response, reply: FastifyReply): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of answer.headers) if (!OF_THE_CONNECTION.includes(name)) reply.header(name, value);
  if (answer.body === null) return reply.send();
  return reply.send(Readable.fromWeb(answer.body as ReadableStream));
}

const OF_THE_CONNECTION = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'vary'];

/**
 * Refuses requests that pages of other sites may have made a browser send, even if the name of such a site leads here.
 * @throws AppError forbidden
 */
function requireOwnHost(request: FastifyRequest, config: McpParts['config']): void {
  const { origin } = request.headers;
  const own = new URL(baseUrlFor(request, config));
  if (origin !== undefined && origin !== own.origin) {
    throw new AppError(
      'forbidden',
      'Pages of other sites cannot send messages to this URL: the Origin header must match the origin of this URL.',
    );
  }
  if (!isHost(request.host)) throw new AppError('forbidden', 'The Host header must be a host, with or without a port.');
  const named = new URL(`http://${request.host}`).hostname;
  const isForThisMachine = isLoopback(config.host) && config.trustedProxies.length === 0;
  const expected = config.baseUrl === null ? null : own.hostname;
  const isOwn = isLoopback(named) || (expected === null ? !isForThisMachine : named === expected);
  if (!isOwn) {
    throw new AppError(
      'forbidden',
      `This service does not accept requests for ${named}. To allow them, set SITEWARDEN_BASE_URL to this address.`,
    );
  }
}
