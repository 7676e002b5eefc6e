import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { onSignedOut } from '../api/client.ts';
import { isStatus } from '../api/errors.ts';
import { accountQuery } from '../api/queries/account.ts';
import { ToastProvider } from '../parts/toast.tsx';
import { FormerAddress } from './former-address.tsx';
import styles from './frame.module.css';
import { Header } from './header.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { LiveProvider } from './live-provider.tsx';
import { QueryError } from './query-view.tsx';
import { Reveal } from './reveal.tsx';
import { SignInDialog, ToSignIn } from './sign-in-dialog.tsx';
import { useFrameKeys } from './use-frame-keys.ts';

/** The search is loaded when it is opened for the first time. */
const SearchPalette = lazy(async () => ({ default: (await import('./search-palette.tsx')).SearchPalette }));

/** What surrounds every screen of somebody who is signed in. */
export function Frame() {
  const account = useQuery(accountQuery);
  const [opened, setOpened] = useState<'search' | 'keys' | null>(null);
  const openSearch = useCallback(() => setOpened('search'), []);
  const openKeys = useCallback(() => setOpened('keys'), []);
  const close = useCallback(() => setOpened(null), []);
  useSessionEnd();
  useFrameKeys({ onSearch: openSearch, onKeys: openKeys });
  const isSignedOut = isStatus(account.error, 401);
  return (
    <ToastProvider>
      <a className={`visually-hidden ${styles.skip}`} href="#content">
        Skip to content
      </a>
      <Header account={account.data} onSearch={openSearch} onKeys={openKeys} />
      <main id="content" className={styles.main} tabIndex={-1}>
        {account.data !== undefined ? (
          <LiveProvider>
            <FormerAddress />
            <Reveal>
              <Outlet />
            </Reveal>
          </LiveProvider>
        ) : isSignedOut ? (
          <ToSignIn />
        ) : account.error !== null ? (
          <QueryError error={account.error} onRetry={() => void account.refetch()} />
        ) : null}
      </main>
      {opened === 'search' ? (
        <Suspense>
          <SearchPalette onClose={close} />
        </Suspense>
      ) : null}
      <KeysDialog isOpen={opened === 'keys'} onClose={close} />
      {isSignedOut && account.data !== undefined ? <SignInDialog account={account.data} /> : null}
    </ToastProvider>
  );
}

/** Asks for the account again when a request is refused, which tells whether the session has ended. */
function useSessionEnd(): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      onSignedOut(() => {
        const state = queries.getQueryState(accountQuery.queryKey);
        if (state?.fetchStatus === 'fetching' || isStatus(state?.error, 401)) return;
        void queries.invalidateQueries({ queryKey: accountQuery.queryKey });
      }),
    [queries],
  );
}
