import { auth, type Who } from '../auth-client.ts';
import { create } from '../client.ts';

/** Who somebody will be in sitewarden. */
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

/** Ends all sessions but that of this browser. */
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
 * Changes name and email address.
 * @param password the current one, which a new address requires; null without
 */
export function changeProfile(profile: Omit<Profile, 'password'>, password: string | null): Promise<Who> {
  const body = { ...profile, ...(password !== null && { current_password: password }) };
  return auth<Who>('PATCH', '/account', { body });
}

/** Records that somebody has read which email address the account had. */
export function forgetFormerAddress(): Promise<void> {
  return auth('DELETE', '/session/former_email');
}

/**
 * Begins to link the account to somebody at the identity provider.
 * @param password the current one; null if the account has none
 * @param returnTo the path to come back to
 * @returns the address at the provider to go to
 */
export function linkProvider(password: string | null, returnTo: string): Promise<{ readonly url: string }> {
  const body = { return_to: returnTo, ...(password !== null && { current_password: password }) };
  return auth('POST', '/oidc/link', { body });
}

/** Ends the sign-in with the identity provider. */
export function unlinkProvider(): Promise<void> {
  return auth('DELETE', '/oidc');
}

/** Uses a link to sign in: creates the first account, or sets a password. Works once. */
export function redeemWelcome(secret: string, choice: Profile | { readonly password: string }): Promise<Who> {
  return auth<Who>('POST', `/welcome/${encodeURIComponent(secret)}`, { body: choice });
}

/**
 * Creates an account and signs in.
 * @param invitation the secret of the invitation that the account accepts at once
 */
export function signUp(profile: Profile, invitation?: string): Promise<Who> {
  return auth<Who>('POST', '/accounts', { body: { ...profile, ...(invitation !== undefined && { invitation }) } });
}

/** Accepts an invitation for whoever is signed in. */
export async function acceptInvitation(secret: string): Promise<void> {
  await create<'guest_account'>(`/invitations/${encodeURIComponent(secret)}/accept`);
}
