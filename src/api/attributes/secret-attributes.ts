import type { Viewer } from '../../accounts/access.ts';

/**
 * The attributes that let anyone who sees them do something without the account's token, for example start reports, spend
 * credits, or read a report after the token was revoked. They are absent for read-only tokens in all resources. Credentials for
 * sites are never shown to anyone.
 */
export const SECRET_ATTRIBUTES = [
  'deploy_hook_url',
  'deploy_hook_signing_secret',
  'invitation_url',
  'share_url',
  'webhook_url',
  'token',
] as const;
type SecretAttribute = (typeof SECRET_ATTRIBUTES)[number];

/** Returns the secret attributes of a resource if the viewer may see them. */
export function secretsFor<Secrets extends { readonly [Name in SecretAttribute]?: string | null }>(
  { scope }: Pick<Viewer, 'scope'>,
  secrets: Secrets,
): Partial<Secrets> {
  return scope === 'read' ? {} : secrets;
}
