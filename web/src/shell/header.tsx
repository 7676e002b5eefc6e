import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { count, plural } from '../lib/formats.ts';
import { accountPlaces, PLACES } from '../live/destinations.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { MENU_ITEM, Menu } from '../parts/menu.tsx';
import styles from './frame.module.css';
import { useSignOut } from './session.ts';
import { ThemeChoice } from './theme-choice.tsx';

/** The main navigation. In narrow windows, most of it is in a menu. */
export function Header({
  account,
  onSearch,
  onKeys,
}: {
  /** Absent until loaded. */
  readonly account: Item<'account'> | undefined;
  readonly onSearch: () => void;
  readonly onKeys: () => void;
}) {
  return (
    <header className={styles.header}>
      {account === undefined ? null : (
        <div className={styles.narrow}>
          <NarrowMenu account={account} onKeys={onKeys} />
        </div>
      )}
      <Link to="/" className={styles.name}>
        sitewarden
      </Link>
      <nav aria-label="Main" className={`${styles.nav} ${styles.wide}`}>
        <ul>
          {PLACES.map(({ to, title }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={styles.place}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.tools}>
        {account === undefined ? null : <Credits account={account} />}
        <Button onClick={onSearch} aria-keyshortcuts="Control+K Meta+K">
          <span className={styles.wide}>Search</span>
          <span className={styles.wide} aria-hidden="true">
            <kbd>{isApple() ? '⌘' : 'Ctrl'} K</kbd>
          </span>
          <span className={styles.narrow}>
            <span aria-hidden="true">⌕</span>
            <span className="visually-hidden">Search</span>
          </span>
        </Button>
        <Link to="/reports/new" className={buttonClass('main')}>
          <span className={styles.wide}>New report</span>
          <span className={styles.narrow}>
            <span aria-hidden="true">+</span>
            <span className="visually-hidden">New report</span>
          </span>
        </Link>
        {account === undefined ? null : (
          <div className={styles.wide}>
            <AccountMenu account={account} onKeys={onKeys} />
          </div>
        )}
      </div>
    </header>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

interface MenuProps {
  readonly account: Item<'account'>;
  readonly onKeys: () => void;
}

/** The account menu: its screens, the color scheme, and signing out. */
function AccountMenu({ account, onKeys }: MenuProps) {
  return (
    <Menu label={<span className={styles.owner}>{account.name === '' ? 'Account' : account.name}</span>}>
      <AccountItems account={account} onKeys={onKeys} />
    </Menu>
  );
}

/** All navigation in one menu, for narrow windows. */
function NarrowMenu({ account, onKeys }: MenuProps) {
  return (
    <Menu
      label={
        <>
          <span aria-hidden="true">☰</span>
          <span className="visually-hidden">Menu</span>
        </>
      }
      isIcon
    >
      {PLACES.map(({ to, title }) => (
        <Link key={to} {...MENU_ITEM} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          {title}
        </Link>
      ))}
      <AccountItems account={account} onKeys={onKeys} />
    </Menu>
  );
}

function AccountItems({ account, onKeys }: MenuProps) {
  const signOut = useSignOut();
  const line = creditsLine(account);
  return (
    <>
      {line === null ? null : <div className={styles.credits}>{line}</div>}
      {accountPlaces(account).map(({ to, title }) => (
        <Link key={to} {...MENU_ITEM} to={to} activeOptions={{ exact: true }}>
          {title}
        </Link>
      ))}
      <a {...MENU_ITEM} href="/api/docs">
        API reference
      </a>
      <button {...MENU_ITEM} type="button" onClick={onKeys}>
        Keyboard shortcuts
      </button>
      <ThemeChoice {...MENU_ITEM} />
      <button {...MENU_ITEM} type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  );
}

/** The remaining credits, with a link to the credit history. Empty if they are unlimited. */
function Credits({ account }: { readonly account: Item<'account'> }) {
  const line = creditsLine(account);
  if (line === null) return null;
  return (
    <Link to="/account/credits" className={`${styles.credits} ${styles.wide}`}>
      {line}
    </Link>
  );
}

/** Returns the remaining credits, or the credits that a guest has used; null if they are unlimited. */
function creditsLine({ credits, guest_account: guest }: Item<'account'>): string | null {
  if (guest === null) return credits === null ? null : plural(credits, 'credit');
  const host = guest.host.name === '' ? 'a host’s' : `${guest.host.name}’s`;
  return `${count(guest.current_usage)} of ${plural(guest.max_usage, 'credit')} on ${host} plan`;
}
