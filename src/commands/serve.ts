import { ensureFirstAccount } from '../accounts/accounts.ts';
import { ensureOwnerLink, signInLinkUrl } from '../accounts/sign-in-links.ts';
import type { Config } from '../config.ts';
import { commandLine } from '../platform/invocation.ts';
import { requireFreePort } from '../platform/listen-error.ts';
import { runUntilStopped } from './run-app.ts';
import type { Terminal } from './terminal.ts';

/** Runs API, workers and schedules in this process until stopped. */
export async function serve(terminal: Terminal): Promise<void> {
  const config = terminal.config();
  await requireFreePort({ ...config, settings: 'PORT or HOST' });
  await runUntilStopped(terminal, config, { isWorker: false }, async (app) => {
    const address = await app.listen();
    const { email } = await ensureFirstAccount(app.db);
    const link = await ensureOwnerLink(app.db, app.credentialStore.box);
    terminal.stdout.write(greeting(config, address, { email, link }));
    await app.startWork();
    app.startTimedWork();
    app.startNotifying({ takesEmails: true });
  });
}

/** The first account, and the link of the first start; null if anyone can sign in. */
interface Owner {
  readonly email: string;
  readonly link: Awaited<ReturnType<typeof ensureOwnerLink>>;
}

function greeting(config: Config, address: string, owner: Owner): string {
  const token =
    config.adminToken === null
      ? `run  ${commandLine(`token create --account ${owner.email}`)}`
      : 'the value of SITEWARDEN_ADMIN_TOKEN';
  const origin = config.baseUrl ?? address;
  const signIn =
    owner.link === null
      ? `${origin}/sign-in`
      : `${signInLinkUrl(origin, owner.link.secret)} (once, within ${owner.link.minutes} minutes)`;
  return `
  sitewarden is listening on ${address}

  API      ${origin}/api/v1
  Docs     ${origin}/api/docs
  Sign in  ${signIn}
  Token    ${token}
  Data     ${config.dataDir} (other commands require the same SITEWARDEN_DATA_DIR)
  Stop     Ctrl-C

`;
}
