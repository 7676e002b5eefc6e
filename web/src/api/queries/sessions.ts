import { queryOptions } from '@tanstack/react-query';
import { auth, type Who } from '../auth-client.ts';

/** A browser that is signed in. */
export interface Session {
  readonly id: string;
  readonly inserted_at: string;
  /** To the minute. */
  readonly last_seen_at: string;
  /** When it ends even if it is used. */
  readonly expires_at: string;
  readonly user_agent: string | null;
  /** Whether it is this browser. */
  readonly current: boolean;
}

/** What a link to sign in is for: `owner` creates the first account, `password` sets a new one. */
export interface Welcome {
  readonly kind: 'owner' | 'password';
  readonly name: string;
  readonly email: string;
  /** Number of API tokens of the account that are valid. */
  readonly api_tokens: number;
}

/** What an invitation offers, or why it cannot be accepted by whoever is signed in. */
export interface Invitation {
  readonly state: 'open' | 'taken' | 'own' | 'accepted';
  readonly host: { readonly name: string };
  /** Credits a month. */
  readonly max_usage: number;
  readonly may_sign_up: boolean;
}

/** Who this browser is signed in as. */
export const whoQuery = queryOptions({
  queryKey: ['who'],
  queryFn: ({ signal }) => auth<Who>('GET', '/session', { signal }),
});

/** The browsers that are signed in to the account, the last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) =>
    (await auth<{ sessions: readonly Session[] }>('GET', '/sessions', { signal })).sessions,
});

/** What the link is for. 404 if it is wrong, used or expired. */
export function welcomeQuery(secret: string) {
  return queryOptions({
    queryKey: ['welcome', secret],
    queryFn: ({ signal }) => auth<Welcome>('GET', `/welcome/${encodeURIComponent(secret)}`, { signal }),
    // A link that was used is not asked for again.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The invitation as whoever is signed in sees it. 404 if it is wrong or withdrawn. */
export function invitationQuery(secret: string) {
  return queryOptions({
    queryKey: ['invitation', secret],
    queryFn: ({ signal }) => auth<Invitation>('GET', `/invitations/${encodeURIComponent(secret)}`, { signal }),
  });
}
