import { Link } from '@tanstack/react-router';
import styles from './view-links.module.css';

interface View {
  /** Its value in the URL; undefined for the default. */
  readonly value: string | undefined;
  readonly title: string;
}

/** The views of an item. The URL contains the open one. */
export function ViewLinks({
  label,
  name,
  views,
  current,
  drop = [],
}: {
  readonly label: string;
  /** The name in the search. */
  readonly name: string;
  readonly views: readonly View[];
  readonly current: string | undefined;
  /** Names in the search that have no meaning in other views. */
  readonly drop?: readonly string[];
}) {
  const dropped = Object.fromEntries(drop.map((each) => [each, undefined]));
  return (
    <nav aria-label={label}>
      <ul className={styles.views}>
        {views.map(({ value, title }) => (
          <li key={title}>
            <Link
              to="."
              search={(search: Record<string, unknown>) => ({ ...search, ...dropped, [name]: value })}
              resetScroll={false}
              // Without this, the default view would also match the other views.
              activeOptions={{ exact: true }}
              className={styles.view}
              {...(value === current && { 'aria-current': 'true' })}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
