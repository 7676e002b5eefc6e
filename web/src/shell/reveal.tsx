import { type QueryState, useIsFetching } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useOpenPath } from '../live/use-route.ts';
import { LoadingRows } from '../parts/notes.tsx';
import styles from './reveal.module.css';

/** The time after which a screen is shown even if parts of it are still loading. */
const coveredMaxMs = 1_500;
/** How long nothing may load before the screen is shown: responses often lead to more requests. */
const quietMs = 30;

/**
 * Covers each screen with placeholder rows until its first requests have finished, to avoid layout shifts. Screen readers get the
 * screen immediately.
 */
export function Reveal({ children }: { readonly children: ReactNode }) {
  const path = useOpenPath();
  return <RevealOnce key={path}>{children}</RevealOnce>;
}

function RevealOnce({ children }: { readonly children: ReactNode }) {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const isFetching = useIsFetching({ predicate: ({ state }) => state.data === undefined || isOutdated(state) }) > 0;
  const isReading = isLoading || isFetching;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isShown) return;
    const timer = setTimeout(() => setShown(true), coveredMaxMs);
    return () => clearTimeout(timer);
  }, [isShown]);
  useEffect(() => {
    if (isReading || isShown) return;
    const timer = setTimeout(() => setShown(true), quietMs);
    return () => clearTimeout(timer);
  }, [isReading, isShown]);
  return (
    <div className={isShown ? styles.screen : `${styles.screen} ${styles.covered}`}>
      {isShown ? null : <LoadingRows />}
      {children}
    </div>
  );
}

/** Whether data has changed, so that its replacement would move the screen. During an outage, there is no replacement. */
function isOutdated({ isInvalidated, error, fetchFailureCount }: QueryState<unknown>): boolean {
  return isInvalidated && error === null && fetchFailureCount === 0;
}
