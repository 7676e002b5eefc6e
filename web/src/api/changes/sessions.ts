import { auth, type Who } from '../auth-client.ts';
import { create } from '../client.ts';

/** Name, email address and password of a new account. */
export interface Profile {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Signs in with a password. */
export function signIn(email: string, password: string): Promise<Who> {
  return auth<Who>('POST', '/sign-in', { body: { email, password } });
}

/** Ends the session of this browser. */
export function signOut(): Promise<void> {
  return auth('POST', '/sign-out');
}

/** Ends the session of another browser. */
export function endSession(id: string): Promise<void> {
  return auth('DELETE', `/sessions/${id}`);
}

/** Ends all sessions except the session of this browser. */
export function endOtherSessions(): Promise<void> {
  return auth('DELETE', '/sessions');
}

/**
 * Sets a new password, which ends all other sessions.
 * @param current null if the account has none
 */
export function setPassword(current: string | null, next: string): Promise<Who> {
  const body = { new_password: next, ...(current !== null && { current_password: current }) };
  return auth<Who>('POST', '/password', { body });
}

/**
 * Changes the name and email address.
 * @param password the current password, which a new address requires; null if only the name changes
 */
export function changeProfile(profile: Omit<Profile, 'password'>, password: string | null): Promise<Who> {
  const body = { ...profile, ...(password !== null && { current_password: password }) };
  return auth<Who>('PATCH', '/account', { body });
}

/** Records that the user has seen the notice about a changed email address. */
export function forgetFormerAddress(): Promise<void> {
  return auth('DELETE', '/session/former_email');
}

/**
 * Starts linking the account to an identity at the provider.
 * @param password the current one; null if the account has none
 * @param returnTo the path to return to
 * @returns the URL at the provider to open
 */
export function linkProvider(password: string | null, returnTo: string): Promise<{ readonly url: string }> {
  const body = { return_to: returnTo, ...(password !== null && { current_password: password }) };
  return auth('POST', '/oidc/link', { body });
}

/** Unlinks the account from the identity provider. */
export function unlinkProvider(): Promise<void> {
  return auth('DELETE', '/oidc');
}

/** Uses a sign-in link: creates the first account, or sets a password. Works once. */
export function redeemWelcome(secret: string, choice: Profile | { readonly password: string }): Promise<Who> {
  return auth<Who>('POST', `/welcome/${encodeURIComponent(secret)}`, { body: choice });
}

/**
 * Creates an account and signs in.
 * @param invitation the secret of an invitation that the new account accepts
 */
export function signUp(profile: Profile, invitation?: string): Promise<Who> {
  return auth<Who>('POST', '/accounts', { body: { ...profile, ...(invitation !== undefined && { invitation }) } });
}

/** Accepts an invitation for the signed-in account. */
export async function acceptInvitation(secret: string): Promise<void> {
  await create<'guest_account'>(`/invitations/${encodeURIComponent(secret)}/accept`);
}
