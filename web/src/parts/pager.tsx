import { Link } from '@tanstack/react-router';
import { count } from '../lib/formats.ts';
import { buttonClass } from './button.tsx';
import styles from './pager.module.css';

/** Links to the pages of a list. Empty if there is only one. */
export function Pager({
  page,
  pages,
  total,
}: {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}) {
  if (pages <= 1) return null;
  const shown = [...new Set([1, page - 1, page, page + 1, pages])].filter((each) => each >= 1 && each <= pages);
  return (
    <>
      <nav aria-label="Pagination" className={styles.pager}>
        <ul>
          {page > 1 ? <PageLink page={page - 1} title="Previous" /> : null}
          {shown.map((each, index) => (
            <PageLink
              key={each}
              page={each}
              title={count(each)}
              isCurrent={each === page}
              isAfterGap={each - (shown[index - 1] ?? each - 1) > 1}
            />
          ))}
          {page < pages ? <PageLink page={page + 1} title="Next" /> : null}
        </ul>
        <span className={styles.total}>{count(total)} total</span>
      </nav>
      <p className="on-paper">
        Page {count(page)} of {count(pages)} in a list of {count(total)} rows.
      </p>
    </>
  );
}

function PageLink({
  page,
  title,
  isCurrent = false,
  isAfterGap = false,
}: {
  readonly page: number;
  readonly title: string;
  readonly isCurrent?: boolean;
  readonly isAfterGap?: boolean;
}) {
  return (
    <li className={isAfterGap ? styles.afterGap : ''}>
      <Link
        to="."
        search={(search: Record<string, unknown>) => ({ ...search, page: page === 1 ? undefined : String(page) })}
        className={buttonClass()}
        {...(isCurrent && { 'aria-current': 'page' })}
      >
        {title}
      </Link>
    </li>
  );
}
