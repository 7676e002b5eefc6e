import { queryOptions } from '@tanstack/react-query';
import { auth, type Who } from '../auth-client.ts';

/** A browser that is signed in. */
export interface Session {
  readonly id: string;
  readonly inserted_at: string;
  /** Accurate to the minute. */
  readonly last_seen_at: string;
  /** When the session ends even if it is used. */
  readonly expires_at: string;
  readonly user_agent: string | null;
  /** Whether it is this browser. */
  readonly current: boolean;
}

/** The purpose of a sign-in link: `owner` creates the first account, `password` sets a new password. */
export interface Welcome {
  readonly kind: 'owner' | 'password';
  readonly name: string;
  readonly email: string;
  /** Number of valid API tokens of the account. */
  readonly api_tokens: number;
}

/** The terms of an invitation, or why the signed-in account cannot accept it. */
export interface Invitation {
  readonly state: 'open' | 'taken' | 'own' | 'accepted';
  readonly host: { readonly name: string };
  /** Credits per month. */
  readonly max_usage: number;
  readonly may_sign_up: boolean;
}

/** The account that this browser is signed in to. */
export const whoQuery = queryOptions({
  queryKey: ['who'],
  queryFn: ({ signal }) => auth<Who>('GET', '/session', { signal }),
});

/** The browsers that are signed in to the account, most recently used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) =>
    (await auth<{ sessions: readonly Session[] }>('GET', '/sessions', { signal })).sessions,
});

/** The purpose of a sign-in link. 404 if it is wrong, used or expired. */
export function welcomeQuery(secret: string) {
  return queryOptions({
    queryKey: ['welcome', secret],
    queryFn: ({ signal }) => auth<Welcome>('GET', `/welcome/${encodeURIComponent(secret)}`, { signal }),
    // Not fetched again once the link has been used.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** An invitation, as the signed-in account sees it. 404 if it is wrong or withdrawn. */
export function invitationQuery(secret: string) {
  return queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => auth<Invitation>('GET', `/invitations/${encodeURIComponent(secret)}`, { signal }),
  });
}
