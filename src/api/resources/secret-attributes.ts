import type { Viewer } from '../../accounts/access.ts';

/**
 * The attributes with which whoever sees them can act for the account: start reports, spend its credits, speak for it. They
 * are absent where a read-only token asks, whatever the resource. What signs in to sites is shown to nobody.
 */
export const SECRET_ATTRIBUTES = ['deploy_hook_url', 'invitation_url', 'token'] as const;
type SecretAttribute = (typeof SECRET_ATTRIBUTES)[number];

/** The secret attributes of a resource, for those who may see them. */
export function secretsFor<Secrets extends { readonly [Name in SecretAttribute]?: string | null }>(
  { scope }: Pick<Viewer, 'scope'>,
  secrets: Secrets,
): Partial<Secrets> {
  return scope === 'read' ? {} : secrets;
}
