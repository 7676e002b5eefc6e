import { changeCredits, createAccount, emailOf, findAccountByEmailOrId } from '../accounts/accounts.ts';
import { deleteAccount, disableAccount, enableAccount, setOperator } from '../accounts/manage-accounts.ts';
import { operatedAttributes } from '../accounts/operated-attributes.ts';
import { changeProfile } from '../accounts/profile.ts';
import { createPasswordLink, signInLinkUrl } from '../accounts/sign-in-links.ts';
import { sizeWords } from '../domain/amounts.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { utcTime } from '../platform/utc-time.ts';
import { selectAccounts, setPlan } from '../store/accounts/accounts.ts';
import { countValidTokens, markTokensRevoked } from '../store/accounts/api-tokens.ts';
import { rowsOf } from '../store/listing.ts';
import { findOperatedAccount, listOperatedAccounts, type OperatedAccount } from '../store/operate.ts';
import type { Account, Plan } from '../store/schema.ts';
import { recordCommand } from './record-command.ts';
import { publicAddress } from './service-address.ts';
import type { Terminal } from './terminal.ts';
import { plainLine, table } from './text-layout.ts';
import { withFoundation } from './with-foundation.ts';

export async function createAccountCommand(
  terminal: Terminal,
  options: {
    readonly email: string;
    readonly name: string;
    readonly plan: Plan;
    readonly credits?: number;
    readonly operator?: boolean;
  },
): Promise<void> {
  const { id } = await withFoundation(terminal, async ({ db }) => {
    const account = await createAccount(db, options);
    const action = options.operator === true ? 'account create --operator' : 'account create';
    await recordCommand(db, action, { accountId: account.id });
    return account;
  });
  terminal.stdout.write(`${id}\n`);
}

/** The plan of new accounts, which includes everything. */
const UNLIMITED_PLAN: Plan = 'enterprise';

/** Prints all accounts, with their plans and credits if any of them is limited; as JSON, with the attributes of the API. */
export async function listAccountsCommand(
  terminal: Terminal,
  { json = false }: { readonly json?: boolean } = {},
): Promise<void> {
  if (json) {
    const all = await withFoundation(terminal, async ({ db }) => {
      const order = { key: 'inserted_at', direction: 'asc' } as const;
      return Array.fromAsync(rowsOf((page) => listOperatedAccounts(db, { order }, page)));
    });
    const shown = all.map((account) => ({ id: account.id, ...operatedAttributes(account) }));
    terminal.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  const accounts = await withFoundation(terminal, ({ db }) => selectAccounts(db));
  // Plans and credits only matter in installations that limit something.
  const isLimited = accounts.some(({ plan, credits }) => credits !== null || plan !== UNLIMITED_PLAN);
  const limits = (...cells: readonly string[]): readonly string[] => (isLimited ? cells : []);
  const rows = accounts.map((account) => {
    const { id, email, plan, credits, num_reports: reports } = account;
    return [id, email, ...limits(plan, String(credits ?? 'unlimited')), String(reports), statusOf(account)];
  });
  terminal.stdout.write(table([['ID', 'EMAIL', ...limits('PLAN', 'CREDITS'), 'REPORTS', 'STATUS'], ...rows]));
}

function statusOf({ operator, disabled_at: disabledAt }: Pick<Account, 'operator' | 'disabled_at'>): string {
  return [...(operator ? ['operator'] : []), disabledAt === null ? 'active' : 'disabled'].join(', ');
}

/** How `account disable` and similar commands print the account. */
interface PrintOptions {
  readonly json?: boolean;
}

/** Disables or enables an account. */
export async function setDisabledCommand(
  terminal: Terminal,
  emailOrId: string,
  { json = false, isDisabled }: PrintOptions & { readonly isDisabled: boolean },
): Promise<void> {
  const account = await withFoundation(terminal, async ({ db }) => {
    const found = await findAccountByEmailOrId(db, emailOrId);
    const changed = await (isDisabled ? disableAccount : enableAccount)(db, found.id);
    const action = isDisabled ? 'account disable' : 'account enable';
    if (changed !== undefined) await recordCommand(db, action, { accountId: found.id });
    return { ...found, ...changed };
  });
  printAccount(terminal, account, isDisabled ? `Disabled ${account.email}.` : `Enabled ${account.email}.`, json);
}

/** Makes an account an operator, or revokes the role. */
export async function setOperatorCommand(
  terminal: Terminal,
  emailOrId: string,
  { json = false, revoke = false }: PrintOptions & { readonly revoke?: boolean },
): Promise<void> {
  const account = await withFoundation(terminal, async ({ db }) => {
    const found = await findAccountByEmailOrId(db, emailOrId);
    const changed = await setOperator(db, found.id, !revoke);
    const action = revoke ? 'account operator --revoke' : 'account operator';
    if (changed !== undefined) await recordCommand(db, action, { accountId: found.id });
    return { ...found, ...changed };
  });
  printAccount(terminal, account, `${account.email} is ${revoke ? 'no longer' : 'now'} an operator.`, json);
}

/** Deletes an account, or prints what would be deleted. */
export async function deleteAccountCommand(
  terminal: Terminal,
  emailOrId: string,
  { json = false, yes = false }: PrintOptions & { readonly yes?: boolean },
): Promise<void> {
  const account = await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, emailOrId);
    const found = await findOperatedAccount(db, id);
    if (found === undefined) throw notFound('account');
    if (!yes) throw new AppError('invalid_usage', confirmationOf(found));
    await deleteAccount(db, id);
    await recordCommand(db, 'account delete', { accountId: id });
    return found;
  });
  printAccount(terminal, account, `Deleted ${account.email}. Its data is removed while the service runs.`, json);
}

function confirmationOf({ email, num_sites: sites, num_reports: reports, bytes }: OperatedAccount): string {
  return `This deletes the account ${email} with ${sites} sites and ${reports} reports (${sizeWords(bytes)}), and cannot be undone. To delete it, add --yes.`;
}

function printAccount(
  { stdout }: Terminal,
  { id, email, operator, disabled_at }: Pick<Account, 'id' | 'email' | 'operator' | 'disabled_at'>,
  sentence: string,
  json: boolean,
): void {
  const shown = { id, email, operator, disabled_at: utcTime(disabled_at) };
  stdout.write(json ? `${JSON.stringify(shown)}\n` : `${plainLine(sentence)}\n`);
}

export async function changePlanCommand(
  terminal: Terminal,
  options: { readonly account: string; readonly set: Plan },
): Promise<void> {
  await withFoundation(terminal, async ({ db }) => {
    const { id } = await findAccountByEmailOrId(db, options.account);
    await setPlan(db, id, options.set);
    await recordCommand(db, 'account plan', { accountId: id });
  });
  terminal.stdout.write(`${options.set}\n`);
}

/** Changes an account's name, email address or both, and prints them. */
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
    await recordCommand(db, 'account profile', { accountId: id });
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
    await recordCommand(db, 'account credits', { accountId: id });
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
    await recordCommand(db, 'account link', { accountId: id });
    const where =
      config.baseUrl === null
        ? 'If the service uses a different address, set PORT and HOST to the same values as for the service.\n'
        : '';
    const note = where + noteOf(revoked, await countValidTokens(db, id));
    return { url: signInLinkUrl(publicAddress(config), secret), note };
  });
  terminal.stderr.write(note);
  terminal.stdout.write(`${url}\n`);
}

/** @param revoked the number of revoked tokens; null if that was not requested */
function noteOf(revoked: number | null, left: number): string {
  // All tokens can be revoked except the token in the settings.
  const hint =
    revoked !== null ? 'from SITEWARDEN_ADMIN_TOKEN' : 'list them with token list, revoke them with --revoke-tokens';
  const lines = [
    ...(revoked !== null ? [`API tokens revoked: ${revoked}`] : []),
    ...(left > 0 ? [`API tokens that are still valid: ${left} (${hint})`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
