import { changeCredits, createAccount, findAccountByEmailOrId } from '../accounts/accounts.ts';
import { createPasswordLink, signInLinkUrl } from '../accounts/sign-in-links.ts';
import type { Config } from '../config.ts';
import { selectAccounts, setPlan } from '../store/accounts.ts';
import type { Plan } from '../store/schema.ts';
import { table } from './text-layout.ts';
import { withFoundation } from './with-foundation.ts';

export async function createAccountCommand(options: {
  readonly email: string;
  readonly name: string;
  readonly plan: Plan;
  readonly credits?: number;
}): Promise<void> {
  const { id } = await withFoundation(({ db }) => createAccount(db, options));
  process.stdout.write(`${id}\n`);
}

export async function listAccountsCommand(): Promise<void> {
  const accounts = await withFoundation(({ db }) => selectAccounts(db));
  const rows = accounts.map(({ id, email, plan, credits, num_reports: reports }) => [
    ...[id, email, plan, String(credits ?? 'unlimited'), String(reports)],
  ]);
  process.stdout.write(table([['ID', 'EMAIL', 'PLAN', 'CREDITS', 'REPORTS'], ...rows]));
}

export async function changePlanCommand(options: { readonly account: string; readonly set: Plan }): Promise<void> {
  await withFoundation(async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    await setPlan(db, id, options.set);
  });
  process.stdout.write(`${options.set}\n`);
}

export async function changeCreditsCommand(options: {
  readonly account: string;
  /** The new balance. */
  readonly set?: number | 'unlimited';
  readonly add?: number;
}): Promise<void> {
  const balance = await withFoundation(async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    const { set, add } = options;
    return changeCredits(db, id, { set: set === 'unlimited' ? null : set, add });
  });
  process.stdout.write(`${balance ?? 'unlimited'}\n`);
}

/** Prints a link that sets a new password. */
export async function linkAccountCommand({ email }: { readonly email: string }): Promise<void> {
  const url = await withFoundation(async ({ db }, config) => {
    return signInLinkUrl(publicAddress(config), await createPasswordLink(db, email));
  });
  process.stdout.write(`${url}\n`);
}

/** Returns where a browser on this machine, or the configured public address, reaches the service, without a trailing slash. */
function publicAddress({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl;
  // The addresses that stand for all of a machine's are no address to open.
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
