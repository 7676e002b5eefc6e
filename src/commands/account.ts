import { changeCredits, createAccount, emailOf, findAccountByEmailOrId } from '../accounts/accounts.ts';
import { changeProfile } from '../accounts/profile.ts';
import { createPasswordLink, signInLinkUrl } from '../accounts/sign-in-links.ts';
import { AppError } from '../platform/errors.ts';
import { selectAccounts, setPlan } from '../store/accounts/accounts.ts';
import { countValidTokens, markTokensRevoked } from '../store/accounts/api-tokens.ts';
import type { Plan } from '../store/schema.ts';
import { recordCommand } from './record-command.ts';
import { publicAddress } from './service-address.ts';
import type { Terminal } from './terminal.ts';
import { table } from './text-layout.ts';
import { withFoundation } from './with-foundation.ts';

export async function createAccountCommand(
  terminal: Terminal,
  options: {
    readonly email: string;
    readonly name: string;
    readonly plan: Plan;
    readonly credits?: number;
  },
): Promise<void> {
  const { id } = await withFoundation(terminal, async ({ db }) => {
    const account = await createAccount(db, options);
    await recordCommand(db, 'account create', account.id);
    return account;
  });
  terminal.stdout.write(`${id}\n`);
}

/** The plan of new accounts, which has everything. */
const UNLIMITED_PLAN: Plan = 'enterprise';

/** Prints all accounts, with their plans and credits if any of them is limited. */
export async function listAccountsCommand(terminal: Terminal): Promise<void> {
  const accounts = await withFoundation(terminal, ({ db }) => selectAccounts(db));
  // Plans and credits only matter in installations that limit something.
  const isLimited = accounts.some(({ plan, credits }) => credits !== null || plan !== UNLIMITED_PLAN);
  const limits = (...cells: readonly string[]): readonly string[] => (isLimited ? cells : []);
  const rows = accounts.map(({ id, email, plan, credits, num_reports: reports }) => [
    ...[id, email, ...limits(plan, String(credits ?? 'unlimited')), String(reports)],
  ]);
  terminal.stdout.write(table([['ID', 'EMAIL', ...limits('PLAN', 'CREDITS'), 'REPORTS'], ...rows]));
}

export async function changePlanCommand(
  terminal: Terminal,
  options: { readonly account: string; readonly set: Plan },
): Promise<void> {
  await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    await setPlan(db, id, options.set);
    await recordCommand(db, 'account plan', id);
  });
  terminal.stdout.write(`${options.set}\n`);
}

/** Changes name, email address or both, and prints them. */
export async function changeProfileCommand(
  terminal: Terminal,
  options: {
    readonly account: string;
    readonly name?: string;
    readonly email?: string;
  },
): Promise<void> {
  const { name, email } = options;
  if (name === undefined && email === undefined) throw new AppError('invalid_usage', 'Pass --name, --email or both.');
  const profile = { name, email: email === undefined ? undefined : emailOf(email) };
  const account = await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    await changeProfile(db, id, profile, null);
    await recordCommand(db, 'account profile', id);
    return findAccountByEmailOrId(db, id);
  });
  terminal.stdout.write(table([[account.name, account.email]]));
}

export async function changeCreditsCommand(
  terminal: Terminal,
  options: {
    readonly account: string;
    /** The new balance. */
    readonly set?: number | 'unlimited';
    readonly add?: number;
  },
): Promise<void> {
  const balance = await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    const { set, add } = options;
    const changed = await changeCredits(db, id, { set: set === 'unlimited' ? null : set, add });
    await recordCommand(db, 'account credits', id);
    return changed;
  });
  terminal.stdout.write(`${balance ?? 'unlimited'}\n`);
}

/** Prints a link that sets a new password, and explains on standard error what happens to the API tokens. */
export async function linkAccountCommand(
  terminal: Terminal,
  { email, revokeTokens = false }: { readonly email: string; readonly revokeTokens?: boolean },
): Promise<void> {
  const { url, note } = await withFoundation(terminal, async ({ db }, config) => {
    const { id } = await findAccountByEmailOrId(db, email);
    const revoked = revokeTokens ? await markTokensRevoked(db, id) : null;
    const secret = await createPasswordLink(db, id);
    await recordCommand(db, 'account link', id);
    const where =
      config.baseUrl === null
        ? 'If the service has another address, set PORT and HOST to the values of the service.\n'
        : '';
    const note = where + noteOf(revoked, await countValidTokens(db, id));
    return { url: signInLinkUrl(publicAddress(config), secret), note };
  });
  terminal.stderr.write(note);
  terminal.stdout.write(`${url}\n`);
}

/** @param revoked the number of revoked tokens; null if that was not requested */
function noteOf(revoked: number | null, left: number): string {
  // Only the token of a setting cannot be revoked.
  const hint =
    revoked !== null ? 'of SITEWARDEN_ADMIN_TOKEN' : 'list them with token list, revoke them with --revoke-tokens';
  const lines = [
    ...(revoked !== null ? [`API tokens revoked: ${revoked}`] : []),
    ...(left > 0 ? [`API tokens that stay valid: ${left} (${hint})`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
