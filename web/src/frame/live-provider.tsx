import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { type Live, startLive } from '../api/live.ts';
import styles from './frame.module.css';

/** Reads events while the app is open, and says when none arrive. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const started = startLive(queries);
    setLive(started);
    return () => started.close();
  }, [queries]);
  return (
    <>
      <OfflineBar live={live} />
      {children}
    </>
  );
}

function OfflineBar({ live }: { readonly live: Live | null }) {
  const state = useSyncExternalStore(
    (listener) => live?.subscribe(listener) ?? (() => undefined),
    () => live?.state() ?? 'live',
  );
  return (
    <div role="status" className={state === 'lost' ? styles.offline : ''}>
      {state === 'lost'
        ? 'The service does not answer. What you see may be old; it is updated when the service is back.'
        : null}
    </div>
  );
}
