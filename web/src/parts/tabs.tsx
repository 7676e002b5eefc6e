import { Link, useNavigate } from '@tanstack/react-router';
import styles from './tabs.module.css';

export interface Tab {
  /** The path of the tab. */
  readonly to: string;
  readonly title: string;
  /** A count; absent while unknown. */
  readonly count?: string | undefined;
}

/** Tabs, each with its own path. In narrow windows, a select. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The path of the current tab. */
  readonly current: string;
}) {
  const navigate = useNavigate();
  return (
    <nav aria-label={label} className={styles.tabs}>
      <ul className={styles.wide}>
        {tabs.map(({ to, title, count }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: true }}
              className={styles.tab}
              {...(to === current && { 'aria-current': 'page' })}
            >
              {title}
              {count === undefined ? null : <span className={styles.count}> {count}</span>}
            </Link>
          </li>
        ))}
      </ul>
      <label className={styles.narrow}>
        <span className="visually-hidden">{label}</span>
        <select value={current} onChange={(event) => void navigate({ to: event.target.value })}>
          {tabs.map(({ to, title, count }) => (
            <option key={to} value={to}>
              {count === undefined ? title : `${title} (${count})`}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}
