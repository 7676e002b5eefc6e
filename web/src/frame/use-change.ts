import { useCallback } from 'react';
import { useToast } from '../parts/toast.tsx';

/** Returns a function that does something, and says why if it is refused. It returns whether it was done. */
export function useChange(): (run: () => Promise<unknown>) => Promise<boolean> {
  const say = useToast();
  return useCallback(
    async (run) => {
      try {
        await run();
        return true;
      } catch (error) {
        say(`This could not be done. ${error instanceof Error ? error.message : String(error)}`);
        return false;
      }
    },
    [say],
  );
}
