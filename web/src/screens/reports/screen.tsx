import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { siteDifferences } from 'sitewarden-client/site-differences';
import { IMPACTS } from 'sitewarden-client/values';
import type { List, Query } from '../../api/client.ts';
import { reportsQuery } from '../../api/queries/reports.ts';
import { sitesQuery } from '../../api/queries/sites.ts';
import { count, shortUrl } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { PageSize } from '../../lists/search-filters.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { whoseQuery } from '../../lists/whose-filter.tsx';
import { QueryView } from '../../live/query-view.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState, LoadingRows } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SeverityLegend } from '../../parts/severity.tsx';
import { useRunAgain } from '../../report/use-run-again.ts';
import { ChosenActions } from './chosen-actions.tsx';
import styles from './columns.module.css';
import { reportColumns } from './columns.tsx';
import { isFiltered, ReportFilters } from './filters.tsx';

/** All reports of the account. */
export function ReportsScreen() {
  const { search } = useSearchState('/reports');
  const reports = useQuery(reportsQuery(queryOf(search)));
  // Only the sites of an account distinguish reports with the same starting URL.
  const sites = useQuery(
    sitesQuery({
      ...whoseQuery(search.by),
      'filter[url]': search.url,
      sort: '-last_checked_at',
      'page[size]': 100,
    }),
  );
  return (
    <>
      <PageHead title="Reports">
        {reports.data === undefined || isFiltered(search) ? null : count(reports.data.total)}
      </PageHead>
      <ReportFilters total={reports.data?.total} />
      <QueryView query={reports}>
        {(list) =>
          list.items.length === 0 ? (
            <NoReports isFiltered={isFiltered(search)} />
          ) : sites.isPending ? (
            // Rows would shift if the differences of their sites arrived later.
            <LoadingRows />
          ) : (
            <Reports
              list={list}
              differences={siteDifferences(sites.data?.items ?? [])}
              isStale={reports.isPlaceholderData}
            />
          )
        }
      </QueryView>
    </>
  );
}

function queryOf(search: SearchOn<'/reports'>): Query {
  return {
    'filter[url]': search.url,
    'filter[status]': search.status,
    'filter[tags][list]': search.tags,
    'filter[tags][mode]': search.tags === undefined ? undefined : search.tags_mode,
    'filter[schedule_id]': search.schedule,
    'filter[site_id]': search.site,
    ...whoseQuery(search.by),
    sort: search.sort,
    'page[number]': pageNumber(search.page),
    'page[size]': search.size ?? 25,
  };
}

function Reports({
  list,
  differences,
  isStale,
}: {
  readonly list: List<'report'>;
  readonly differences: ReadonlyMap<string, string>;
  readonly isStale: boolean;
}) {
  const state = useSearchState('/reports');
  const { search, set } = state;
  const runAgain = useRunAgain();
  const scope = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (): void => {
    scope.current?.querySelector<HTMLElement>('tr:focus-within input[type="checkbox"]')?.click();
  };
  useRowKeys(scope, [{ key: 'x', title: 'Select row', run: toggle }]);
  const reports = list.items.filter(({ id }) => chosen.has(id));
  const names = new Map(list.items.map(({ id, starting_url: url }) => [id, shortUrl(url)]));
  return (
    <div ref={scope}>
      <DataTable
        caption="Reports"
        columns={reportColumns({ differences, onRunAgain: (report) => void runAgain([report]) })}
        rows={list.items}
        keyOf={({ id }) => id}
        sort={search.sort ?? '-last_checked_at'}
        onSort={(sort) => set({ sort: sort === '-last_checked_at' ? '' : sort })}
        selection={{ chosen, nameOf: (id) => names.get(id) ?? id, onChange: setChosen }}
        isStale={isStale}
      />
      {reports.length > 0 ? <ChosenActions reports={reports} onDone={() => setChosen(new Set())} /> : null}
      <SeverityLegend of={['error', 'warning', ...IMPACTS, 'review']} />
      <div className={styles.foot}>
        <Pager page={list.page} pages={list.pages} total={list.total} />
        {list.total > 25 ? <PageSize state={state} /> : null}
      </div>
    </div>
  );
}

function NoReports({ isFiltered: filtered }: { readonly isFiltered: boolean }) {
  return filtered ? (
    <EmptyState title="No reports match the filters" />
  ) : (
    <EmptyState title="No reports yet">
      <p>A report checks the HTML, accessibility and links of every page of a site.</p>
      <Link to="/reports/new" className={buttonClass('main')}>
        Check a site
      </Link>
    </EmptyState>
  );
}
