import { finished } from 'node:stream/promises';
import { type Client, createClient, type Fetch } from '../../packages/client/client.ts';
import { ensureFirstAccount } from '../accounts/accounts.ts';
import { createToken, revokeToken } from '../accounts/tokens.ts';
import { type App, createApp } from '../app.ts';
import { createMcpServer, logFault } from '../mcp/create-mcp-server.ts';
import { AppError } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { livingWorkers } from '../queue/living-workers.ts';
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
    const address = addressOf(url);
    const { token } = config;
    if (token === null) {
      throw new AppError('invalid_usage', '--url requires SITEWARDEN_TOKEN, an API token of that service.');
    }
    return serveAgent(terminal, log, {
      api: createClient({ url: address, token }),
      dashboard: address.replace(/\/$/, ''),
    });
  }
  const app = await createApp(config, log, { isLongLived: true });
  const { fetch, close } = createLocalFetch(app);
  try {
    await serveAgent(terminal, log, { api: createClient({ url: 'http://127.0.0.1', fetch }), dashboard: null });
  } finally {
    await close();
    await terminal.closeInTime(app.close);
  }
}

/** @throws AppError invalid_usage */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError(
      'invalid_usage',
      `--url must be the address of a service, such as https://checks.example.com, not "${text}".`,
    );
  }
  return url.href;
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

/** How long a token lives, should this process be killed, and how long before its end it is replaced. */
const tokenMs = 7_200_000;
const tokenReplacedMs = 600_000;
/** How often to look whether another process does the work, which may stop meanwhile. */
const lookedForWorkersMs = 2_000;

/** Returns a `fetch` that acts for the first account, as `check` does, and sees to it that what it starts is worked on. */
function createLocalFetch(app: App): { readonly fetch: Fetch; close(): Promise<void> } {
  let token: { readonly id: number; readonly token: string; readonly until: number } | null = null;
  let watch: NodeJS.Timeout | null = null;

  const currentToken = async (): Promise<string> => {
    if (token === null || token.until - tokenReplacedMs < Date.now()) {
      const until = Date.now() + tokenMs;
      const { id: accountId } = await ensureFirstAccount(app.db);
      const input = { accountId, scope: 'write', name: 'sitewarden mcp', expiresAt: new Date(until) } as const;
      token = { ...(await createToken(app.db, input)), until };
    }
    return token.token;
  };
  const workIfNobodyDoes = async (): Promise<void> => {
    if ((await livingWorkers(app.db)).length > 0 || watch === null) return;
    clearInterval(watch);
    await app.startWork();
  };
  return {
    async fetch(url, init) {
      const headers = { ...init.headers, authorization: `Bearer ${await currentToken()}` };
      const response = await app.fetch(url, { ...init, headers });
      if (init.method === 'POST' && watch === null) {
        watch = setInterval(() => void workIfNobodyDoes().catch(() => undefined), lookedForWorkersMs);
        await workIfNobodyDoes();
      }
      return response;
    },
    async close() {
      if (watch !== null) clearInterval(watch);
      if (token !== null) await revokeToken(app.db, token.id);
    },
  };
}
