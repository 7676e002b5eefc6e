import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Who } from '../api/auth-client.ts';
import { signOut } from '../api/changes/sessions.ts';
import { whoQuery } from '../api/queries/sessions.ts';

/** Returns a function that ends the session and opens the sign-in screen. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    await signOut();
    // No data of the account remains for the next user.
    queries.clear();
    await navigate({ to: '/sign-in' });
  }, [queries, navigate]);
}

/**
 * Returns a function that opens a path after signing in. The previous screen is removed from the history, because its URL may
 * contain a used secret.
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
