import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { type Live, startLive } from '../api/live.ts';
import { dateTime } from '../lib/formats.ts';
import styles from './live-provider.module.css';

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
  const lostSince = useSyncExternalStore(
    (listener) => live?.subscribe(listener) ?? (() => undefined),
    () => live?.lostSince() ?? null,
  );
  return (
    <div role="status" className={lostSince === null ? '' : styles.offline}>
      {lostSince === null
        ? null
        : `The service does not answer. What you see is as of ${dateTime(lostSince.toISOString())}; it is updated when the service is back.`}
    </div>
  );
}
