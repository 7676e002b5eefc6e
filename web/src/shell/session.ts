import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Who } from '../api/auth-client.ts';
import { signOut } from '../api/changes/sessions.ts';
import { whoQuery } from '../api/queries/sessions.ts';

/** Returns a function that ends the session and leads to the sign-in. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    await signOut();
    // Nothing of the account stays for whoever signs in next.
    queries.clear();
    await navigate({ to: '/sign-in' });
  }, [queries, navigate]);
}

/**
 * Returns a function that leads somebody who has signed in to a path. The screen before leaves the history: its URL may contain a
 * secret that was used.
 */
export function useEnter(): (who: Who, path: string) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useCallback(
    (who, path) => {
      queries.clear();
      queries.setQueryData(whoQuery.queryKey, who);
      void navigate({ href: path, replace: true });
    },
    [queries, navigate],
  );
}
