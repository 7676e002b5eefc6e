import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { AccountMenu, NarrowMenu } from './account-menu.tsx';
import { Credits } from './credits.tsx';
import styles from './frame.module.css';
import { PLACES } from './places.ts';

/** The way to all screens. Where there is little room, most of it is in a menu. */
export function Header({
  account,
  onSearch,
  onKeys,
}: {
  /** Absent until it has been read. */
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
              <Link to={to} activeOptions={{ exact: to === '/' }} className={styles.place}>
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
