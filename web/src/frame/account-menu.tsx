import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { Menu } from '../parts/menu.tsx';
import { creditsLine } from './credits.tsx';
import styles from './frame.module.css';
import { ACCOUNT_PLACES, PLACES } from './places.ts';
import { useSignOut } from './session.ts';
import { ThemeChoice } from './theme-choice.tsx';

interface MenuProps {
  readonly account: Item<'account'>;
  readonly onKeys: () => void;
}

/** What belongs to the account: its own screens, the color scheme, and the way out. */
export function AccountMenu({ account, onKeys }: MenuProps) {
  return (
    <Menu label={<span className={styles.owner}>{account.name === '' ? 'Account' : account.name}</span>}>
      <AccountItems account={account} onKeys={onKeys} />
    </Menu>
  );
}

/** All places in one menu, where there is little room. */
export function NarrowMenu({ account, onKeys }: MenuProps) {
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
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === '/' }}>
            {title}
          </Link>
        </li>
      ))}
      <AccountItems account={account} onKeys={onKeys} />
    </Menu>
  );
}

function AccountItems({ account, onKeys }: MenuProps) {
  const signOut = useSignOut();
  const line = creditsLine(account);
  const places = ACCOUNT_PLACES.filter(({ to }) => to !== '/guests' || account.limits.guest_accounts > 0);
  return (
    <>
      {line === null ? null : <li className={styles.credits}>{line}</li>}
      {places.map(({ to, title }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: true }}>
            {title}
          </Link>
        </li>
      ))}
      <li>
        <a href="/api/docs">API reference</a>
      </li>
      <li>
        <button type="button" onClick={onKeys}>
          Keys
        </button>
      </li>
      <li>
        <ThemeChoice />
      </li>
      <li>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </li>
    </>
  );
}
