import { useSyncExternalStore } from 'react';

/** Below this width, cards and sheets replace tables and columns. */
const NARROW = matchMedia('(width < 720px)');

/** Whether the window is narrow, as on a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}

function subscribe(listener: () => void): () => void {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
}
