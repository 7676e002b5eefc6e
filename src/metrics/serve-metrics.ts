import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { isBearer } from '../platform/bearer.ts';
import { messageOf } from '../platform/errors.ts';
import { listenError } from '../platform/listen-error.ts';
import type { Logger } from '../platform/logger.ts';

export interface MetricsServerSettings {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** The token that requests must have; null for none. */
  readonly token: string | null;
}

export interface MetricsServer {
  close(): Promise<void>;
}

/**
 * Serves metrics on a port of their own, and nothing else.
 * @throws AppError port_in_use
 */
export async function serveMetrics(
  registry: Registry,
  { port, host, token }: MetricsServerSettings,
  log: Logger,
): Promise<MetricsServer> {
  const server = createServer(async ({ method, url = '', headers }, response) => {
    const send = (status: number, text: string, more: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...more }).end(text);
    };
    if (url.replace(/\?.*/, '') !== '/metrics') return send(404, 'The metrics are at /metrics.\n');
    if (method !== 'GET' && method !== 'HEAD') return send(405, 'Use GET.\n', { allow: 'GET, HEAD' });
    if (token !== null && !isBearer(headers.authorization, token)) {
      return send(401, 'Send SITEWARDEN_METRICS_TOKEN as a bearer token.\n', { 'www-authenticate': 'Bearer' });
    }
    try {
      send(200, await registry.metrics(), { 'content-type': registry.contentType });
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'Could not collect metrics');
      send(500, 'The metrics could not be collected; the log has the reason.\n');
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw listenError({ port, host, settings: 'SITEWARDEN_METRICS_PORT or HOST' }, cause);
  });
  const { port: bound }: Pick<AddressInfo, 'port'> = Object(server.address());
  log.info({ host, port: bound }, 'Serving metrics');
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
