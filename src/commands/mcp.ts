import { finished } from 'node:stream/promises';
import { type Client, createClient } from '../../packages/client/client.ts';
import { createApp } from '../app.ts';
import { createMcpServer, logFault } from '../mcp/create-mcp-server.ts';
import { OWN_ORIGIN } from '../mcp/fetch-from.ts';
import type { Logger } from '../platform/logger.ts';
import { createLocalFetch } from './local-api.ts';
import { serviceAt } from './service-address.ts';
import { quietLogger, type Terminal } from './terminal.ts';

/**
 * Serves one agent over standard input and output, until it ends them: with a running service at an address, or else with the
 * database of this installation, whether or not a service uses it.
 * @throws AppError invalid_usage, and what `createApp` throws
 */
export async function mcp(terminal: Terminal, { url }: { readonly url?: string }): Promise<void> {
  const config = terminal.config();
  const log = quietLogger(terminal, config);
  if (url !== undefined) {
    const service = serviceAt('--url', url, config);
    return serveAgent(terminal, log, { api: createClient(service), dashboard: service.url });
  }
  const app = await createApp(config, log, { isLongLived: true });
  const { fetch, close } = createLocalFetch(app, { name: 'sitewarden mcp', works: true });
  try {
    await serveAgent(terminal, log, { api: createClient({ url: OWN_ORIGIN, fetch }), dashboard: null });
  } finally {
    await close();
    await terminal.closeInTime(app.close);
  }
}

async function serveAgent(
  terminal: Terminal,
  log: Logger,
  parts: { readonly api: Client; readonly dashboard: string | null },
): Promise<void> {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const stopped = terminal.untilStopped();
  const serving = serveStdio(() => createMcpServer({ ...parts, log }), { onerror: logFault(log), maxSubscriptions: 0 });
  await Promise.race([stopped, finished(process.stdin, { writable: false }).catch(() => undefined)]);
  await serving.close();
}
