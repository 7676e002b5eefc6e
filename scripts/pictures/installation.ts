import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../packages/client/client.ts';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { ensureOwnerLink } from '../../src/accounts/sign-in-links.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { createApp } from '../../src/app.ts';
import { type FoundChromium, findChromium } from '../../src/browser/find-chromium.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/platform/logger.ts';

/** A service with real parts on a data directory of its own, as after its first start. */
export interface Installation {
  readonly origin: string;
  /** The path of the link of the first run. */
  readonly welcomePath: string;
  readonly chromium: FoundChromium;
  /** Acts for the first account. */
  readonly api: Client;
  close(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-pictures-'));
  // As root, the database and the browser run as other users, who must be able to enter the folder.
  await chmod(dataDir, 0o755);
  const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' }, false);
  const log = createLogger({ level: 'warn', format: 'pretty' });
  const app = await createApp(config, log, { isLongLived: false });
  const origin = new URL(await app.listen()).origin;
  await app.startWork();
  const { id } = await ensureFirstAccount(app.db);
  const { token } = await createToken(app.db, { accountId: id, scope: 'write' });
  return {
    origin,
    welcomePath: `/welcome/${(await ensureOwnerLink(app.db, app.credentialStore.box))?.secret}`,
    chromium: await findChromium({ executable: null, cacheDirectory: join(dataDir, 'cache') }),
    api: createClient({ url: origin, token }),
    async close() {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
