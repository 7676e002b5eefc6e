import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isShortOfCredits } from 'sitewarden-client/errors';
import { reasonOf } from '../lib/formats.ts';
import { useToast } from '../parts/toast.tsx';

/** Returns a function that does something, and says why if it is refused. It returns whether it was done. */
export function useChange(): (run: () => Promise<unknown>) => Promise<boolean> {
  const say = useToast();
  const toCredits = useWayToCredits();
  return useCallback(
    async (run) => {
      try {
        await run();
        return true;
      } catch (error) {
        say(`This could not be done. ${reasonOf(error)}`, toCredits(error));
        return false;
      }
    },
    [say, toCredits],
  );
}

/** Returns a function that returns what a toast about missing credits offers: the way to them. Nothing for other errors. */
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
