import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Asks before a screen with input that has not been saved is left. */
export function useUnsaved(isUnsaved: boolean): void {
  const { history } = useRouter();
  useEffect(() => {
    if (!isUnsaved) return;
    return history.block({
      blockerFn: () => !window.confirm('Leave without saving?'),
      enableBeforeUnload: true,
    });
  }, [history, isUnsaved]);
}
