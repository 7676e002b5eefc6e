import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { isStatus } from 'sitewarden-client/errors';
import { forgetFormerAddress } from '../api/changes/sessions.ts';
import { onSignedOut } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { whoQuery } from '../api/queries/sessions.ts';
import { LiveProvider } from '../live/live-provider.tsx';
import { QueryError } from '../live/query-view.tsx';
import { useChange } from '../live/use-change.ts';
import { isCommand } from '../live/use-keys.ts';
import { Bar } from '../parts/bar.tsx';
import { Button, buttonClass } from '../parts/button.tsx';
import { ToastProvider } from '../parts/toast.tsx';
import styles from './frame.module.css';
import { Header } from './header.tsx';
import { InstallationNote } from './installation-note.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { Reveal } from './reveal.tsx';
import { SearchPalette } from './search-palette.tsx';
import { SignInDialog, ToSignIn } from './sign-in-dialog.tsx';
import { ThemeChoice } from './theme-choice.tsx';

/** The layout of all screens for signed-in users. */
export function Frame({ children = <Outlet /> }: { readonly children?: ReactNode }) {
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
      <SkipLink />
      <Header account={account.data} onSearch={openSearch} onKeys={openKeys} />
      <main id="content" className={styles.main} tabIndex={-1}>
        {account.data !== undefined ? (
          <LiveProvider>
            <InstallationNote />
            <FormerAddress />
            <Reveal>{children}</Reveal>
          </LiveProvider>
        ) : isSignedOut ? (
          <ToSignIn />
        ) : account.error !== null ? (
          <QueryError error={account.error} onRetry={() => void account.refetch()} />
        ) : null}
      </main>
      {opened === 'search' ? <SearchPalette onClose={close} /> : null}
      <KeysDialog isOpen={opened === 'keys'} onClose={close} />
      {isSignedOut && account.data !== undefined ? <SignInDialog account={account.data} /> : null}
    </ToastProvider>
  );
}

function SkipLink() {
  return (
    <a className={`visually-hidden ${styles.skip}`} href="#content">
      Skip to content
    </a>
  );
}

/** Reloads the account when a request is refused, which shows whether the session has ended. */
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

/** Global shortcuts: Ctrl or ⌘ with K searches, F6 goes to the next pane of the screen, `?` lists the shortcuts. */
function useFrameKeys({ onSearch, onKeys }: { readonly onSearch: () => void; readonly onKeys: () => void }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog:modal') !== null) return;
      if (isSearch(event)) onSearch();
      else if (event.key === '?' && isCommand(event)) onKeys();
      else if (event.key !== 'F6' || !focusNextPane(event.shiftKey ? -1 : 1)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onSearch, onKeys]);
}

function isSearch({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey;
}

/** Panes have the attribute `data-pane`. Returns whether there are several; otherwise F6 keeps its meaning in the browser. */
function focusNextPane(step: 1 | -1): boolean {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.checkVisibility());
  if (panes.length < 2) return false;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = at === -1 ? 0 : (at + step + panes.length) % panes.length;
  panes[next]?.focus();
  return true;
}

/** The layout of the screens of a shared report, whose readers need no account. */
export function SharedFrame() {
  return (
    <ToastProvider>
      <SkipLink />
      <header className={styles.header}>
        <span className={styles.name}>sitewarden</span>
        <div className={styles.tools}>
          <ThemeChoice className={buttonClass()} />
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <LiveProvider>
          <Reveal>
            <Outlet />
          </Reveal>
        </LiveProvider>
      </main>
    </ToastProvider>
  );
}

/** Notifies the user that the email address of the account was changed in another browser, until dismissed. */
function FormerAddress() {
  const who = useQuery(whoQuery);
  const queries = useQueryClient();
  const change = useChange();
  const former = who.data?.session?.former_email ?? null;
  const forget = async (): Promise<void> => {
    if (await change(forgetFormerAddress)) await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
  };
  return (
    <Bar>
      {former === null ? null : (
        <>
          The email address of this account was changed from {former} to {who.data?.account?.email}. If that was not
          you, <Link to="/account">change your password</Link> and contact the operator of this installation.{' '}
          <Button onClick={() => void forget()}>OK</Button>
        </>
      )}
    </Bar>
  );
}
