import { AppError } from '../platform/errors.ts';
import { hashSecret, newSecret } from '../platform/kept-secret.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { countValidTokens } from '../store/accounts/api-tokens.ts';
import { deleteIdentities } from '../store/accounts/oidc-identities.ts';
import { canAnyoneSignIn, canSignIn } from '../store/accounts/passwords.ts';
import * as links from '../store/accounts/sign-in-links.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { ensureFirstAccount } from './accounts.ts';
import type { Passwords } from './passwords.ts';
import { changeProfile } from './profile.ts';
import { type Browser, type NewSession, replacePassword } from './sessions.ts';

/** The path below the public address. */
const WELCOME_PATH = '/welcome';

/** Returns the address that a link opens. */
export function signInLinkUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}${WELCOME_PATH}/${secret}`;
}

/** A link that the service prints when it starts. */
interface OwnerLink {
  readonly secret: string;
  /** How long the link is valid, rounded down. */
  readonly minutes: number;
}

/** A start prints the link of an earlier start unless it expires sooner than this. */
const OWNER_LINK_MINUTES_MIN = 30;

/**
 * Returns the link of the first start, which sets the name, email address and password of the first account. Processes that start
 * at the same time return the same link, and so do later starts while it is valid for long enough. The link is valid until this
 * account can sign in, even if other accounts can.
 * @returns null if an account can already sign in
 */
export function ensureOwnerLink(db: Executor, box: Pick<SecretBox, 'sign'>): Promise<OwnerLink | null> {
  return inTransaction(db, async (trx) => {
    // This locks the first account: of concurrent starts, one creates the link.
    const { id: accountId } = await ensureFirstAccount(trx);
    if (await canAnyoneSignIn(trx)) return null;
    const last = await links.findOwnerLink(trx, accountId);
    if (last !== undefined && last.minutes >= OWNER_LINK_MINUTES_MIN) {
      const secret = ownerSecret(box, accountId, last.expiresAt);
      // It is a different secret if the key has been replaced since.
      if (last.hash.equals(hashSecret(secret))) return { secret, minutes: last.minutes };
    }
    const expiresAt = await links.nextExpiry(trx);
    const secret = ownerSecret(box, accountId, expiresAt);
    await links.insertSignInLink(trx, { hash: hashSecret(secret), accountId, forOwner: true, expiresAt });
    return { secret, minutes: links.LINK_MINUTES };
  });
}

/**
 * Returns the secret of the link of the first start. Every process with the key can compute it, and the database has only its
 * hash.
 */
function ownerSecret(box: Pick<SecretBox, 'sign'>, accountId: string, expiresAt: Date): string {
  return box.sign(`owner link ${accountId} ${expiresAt.toISOString()}`).toString('base64url');
}

/**
 * Creates a link that sets a new password for an account.
 * @returns the secret
 */
export async function createPasswordLink(db: Executor, accountId: string): Promise<string> {
  const secret = newSecret();
  const expiresAt = await links.nextExpiry(db);
  await links.insertSignInLink(db, { hash: hashSecret(secret), accountId, forOwner: false, expiresAt });
  return secret;
}

/**
 * Returns a link that can be used, and its account, with the number of its valid API tokens.
 * @throws AppError not_found
 */
export async function findLink(
  db: Executor,
  secret: string,
): Promise<links.SignInLink & { readonly name: string; readonly email: string; readonly apiTokens: number }> {
  const link = await requireValid(db, await links.findSignInLink(db, hashSecret(secret)));
  return { ...link, apiTokens: await countValidTokens(db, link.accountId) };
}

/**
 * Sets the password of a link's account, ends its sessions and its sign-in with the provider, and opens a session. The link is
 * used up if this succeeds.
 * @param profile for the link of the first start
 * @throws AppError not_found; SignInFault conflict if another account has the email address
 */
export async function redeemLink(
  { db, passwords }: { readonly db: Executor; readonly passwords: Passwords },
  secret: string,
  { password, profile }: { readonly password: string; readonly profile: { name: string; email: string } | null },
  browser: Pick<Browser, 'userAgent'>,
): Promise<NewSession> {
  const hash = await passwords.hash(password);
  return inTransaction(db, async (trx) => {
    const { accountId } = await requireValid(trx, await links.findSignInLink(trx, hashSecret(secret)));
    // Using a link deletes all links of its account, so if several are used at once, only one works.
    await lockAccount(trx, accountId);
    const link = await requireValid(trx, await links.takeSignInLink(trx, hashSecret(secret)));
    if (profile !== null) await changeProfile(trx, link.accountId, profile, null);
    // An intruder may have linked a person at the provider.
    await deleteIdentities(trx, link.accountId);
    return replacePassword(trx, link.accountId, hash, browser);
  });
}

async function requireValid<Link extends links.SignInLink>(db: Executor, link: Link | undefined): Promise<Link> {
  if (link === undefined || (link.forOwner && (await canSignIn(db, link.accountId)))) throw noLink();
  return link;
}

function noLink(): AppError {
  const detail =
    'This link is invalid, expired or already used. Ask the operator for a new link: sitewarden account link --email ADDRESS.';
  return new AppError('not_found', detail);
}
