import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import { NeighborLinks } from '../../frame/neighbors.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { pathOf, shortUrl } from '../../lib/formats.ts';
import { parseSearch } from '../../lib/search.ts';
import { PageHead } from '../../parts/page-head.tsx';
import styles from './screen.module.css';
import { useNeighbors } from './use-neighbors.ts';

/** The address of a page, how it answered, and the way to its neighbors. */
export function WebPageHead({ page, actions }: { readonly page: Item<'web_page'>; readonly actions: ReactNode }) {
  const { base } = useReport();
  const { search } = useSearchState();
  const neighbors = useNeighbors(page.id);
  const path = pathOf(page.url);
  return (
    <PageHead
      title={path === '/' ? shortUrl(page.url) : path}
      back={
        <div className={styles.back}>
          <Link to={`${base}/pages`} search={parseSearch(search['list'] ?? '')}>
            ‹ Pages
          </Link>
          <NeighborLinks neighbors={neighbors} />
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
