import { create, type Item, remove } from '../client.ts';

/**
 * Creates an API token.
 * @param token `expires_at` in UTC, without a zone; null for never
 */
export function createApiToken(token: {
  readonly name: string;
  readonly scope: 'read' | 'write';
  readonly expires_at: string | null;
}): Promise<Item<'api_token'> & { readonly token: string }> {
  return create<'api_token'>('/api_tokens', token) as Promise<Item<'api_token'> & { readonly token: string }>;
}

/** Revokes an API token. */
export function revokeApiToken(id: string): Promise<void> {
  return remove(`/api_tokens/${id}`);
}
