import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Asks before the user leaves a screen with unsaved input. */
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
