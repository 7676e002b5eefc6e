import { useSyncExternalStore } from 'react';

/** Where cards and sheets take the place of tables and columns. */
const NARROW = matchMedia('(width < 720px)');

/** Whether there is little room, as on a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}

function subscribe(listener: () => void): () => void {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
}
