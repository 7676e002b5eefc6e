import type { Fetch } from '../../packages/client/client.ts';
import { ensureFirstAccount } from '../accounts/accounts.ts';
import { createToken, revokeToken } from '../accounts/tokens.ts';
import type { App } from '../app.ts';
import { livingWorkers } from '../store/living-workers.ts';

/** How long a token is valid, in case this process is killed, and how long before its expiry it is replaced. */
const tokenMs = 7_200_000;
const tokenReplacedMs = 600_000;
/** How often to check whether another process still does the work: it may stop. */
const lookedForWorkersMs = 2_000;

/**
 * Returns a `fetch` for the API of this installation, which acts for the first account, as `check` does.
 * @param options `name` of its token; `works` is whether this process works on the reports that it starts if no other process
 *   does
 */
export function createLocalFetch(
  app: App,
  { name, works }: { readonly name: string; readonly works: boolean },
): { readonly fetch: Fetch; close(): Promise<void> } {
  let token: { readonly id: number; readonly token: string; readonly until: number } | null = null;
  let watch: NodeJS.Timeout | null = null;

  const currentToken = async (): Promise<string> => {
    if (token === null || token.until - tokenReplacedMs < Date.now()) {
      const until = Date.now() + tokenMs;
      const { id: accountId } = await ensureFirstAccount(app.db);
      const input = { accountId, scope: 'write', name, expiresAt: new Date(until) } as const;
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
      if (works && init.method === 'POST' && watch === null) {
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
