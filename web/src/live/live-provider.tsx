import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { type Live, startLive } from '../api/live.ts';
import { dateTime } from '../lib/formats.ts';
import { Bar } from '../parts/bar.tsx';

/** Reads events while the app is open, and shows a note when none arrive. */
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
    <Bar>
      {lostSince === null
        ? null
        : `The service does not respond. This page shows data from ${dateTime(lostSince.toISOString())} and updates when the service is back.`}
    </Bar>
  );
}
