import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isShortOfCredits } from 'sitewarden-client/errors';
import { reasonOf } from '../lib/formats.ts';
import { useToast } from '../parts/toast.tsx';

/** Returns a function that runs an action and shows the reason if it fails. It returns whether it succeeded. */
export function useChange(): (run: () => Promise<unknown>) => Promise<boolean> {
  const say = useToast();
  const toCredits = useWayToCredits();
  return useCallback(
    async (run) => {
      try {
        await run();
        return true;
      } catch (error) {
        say(`This action failed. ${reasonOf(error)}`, toCredits(error));
        return false;
      }
    },
    [say, toCredits],
  );
}

/**
 * Returns a function that returns the action of a toast about missing credits: a link to the credits page. Undefined for other
 * errors.
 */
export function useWayToCredits(): (error: unknown) => { readonly title: string; run(): void } | undefined {
  const navigate = useNavigate();
  return useCallback(
    (error) =>
      isShortOfCredits(error)
        ? { title: 'Your credits', run: () => void navigate({ to: '/account/credits' }) }
        : undefined,
    [navigate],
  );
}
