import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import { pagePositionQuery } from '../../api/queries/web-page.ts';
import { useReport } from '../../frame/report-context.tsx';
import { count, pathOf, shortUrl } from '../../lib/formats.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import styles from './screen.module.css';

/** The address of a page, how it answered, and the way to its neighbors. */
export function WebPageHead({ page, actions }: { readonly page: Item<'web_page'>; readonly actions: ReactNode }) {
  const { base } = useReport();
  const path = pathOf(page.url);
  return (
    <PageHead
      title={path === '/' ? shortUrl(page.url) : path}
      back={
        <div className={styles.back}>
          <Link to={`${base}/pages`}>‹ Pages</Link>
          <Neighbors page={page.id} />
        </div>
      }
      actions={actions}
    >
      <span className={styles.facts}>
        {page.title === null ? null : <span>“{page.title}”</span>}
        <span>{page.http_status === null ? 'no answer' : `status ${page.http_status}`}</span>
        {page.linked_from === null ? null : <span>found on {pathOf(page.linked_from)}</span>}
      </span>
    </PageHead>
  );
}

/** Where the page stands among those of the report. */
function Neighbors({ page }: { readonly page: string }) {
  const { base, report } = useReport();
  const { data: position } = useQuery(pagePositionQuery(report.id, page));
  if (position == null || position.total < 2) return null;
  const link = (id: string | null, title: string, sign: string) =>
    id === null ? null : (
      <Link to={`${base}/pages/${id}`} className={buttonClass('quiet')}>
        <span aria-hidden="true">{sign}</span>
        <span className="visually-hidden">{title}</span>
      </Link>
    );
  return (
    <nav aria-label="Pages of the report" className={styles.neighbors}>
      {link(position.previous, 'Previous page', '‹')}
      <span>
        {count(position.number)} of {count(position.total)}
      </span>
      {link(position.next, 'Next page', '›')}
    </nav>
  );
}
