import { send } from './client.ts';

/** The account and session that the browser is signed in with; both null if it is not. */
export interface Who {
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly has_password: boolean;
    /** Whether the account can sign in with the identity provider. */
    readonly oidc: boolean;
  } | null;
  readonly session: {
    readonly id: string;
    readonly inserted_at: string;
    readonly expires_at: string;
    /** The email address of the account before it was changed in another browser; null if there is no change to report. */
    readonly former_email: string | null;
  } | null;
}

/**
 * Sends a request to the sign-in endpoints, whose bodies are plain JSON.
 * @throws ApiError if the service refuses the request; OfflineError if it does not respond
 */
export async function auth<Answer = void>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { body, signal }: { readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const response = await send(`/auth${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  return response.status === 204 ? (undefined as Answer) : response.json();
}
