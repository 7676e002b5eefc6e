import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { SHOWN_OUTCOMES } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { discoveredUrlsQuery, excludedUrlsQuery } from '../../api/queries/discovered-urls.ts';
import { count, dateTime, pathOf, plural, shortUrl } from '../../lib/formats.ts';
import { OUTCOME_WORDS, outcomeOf } from '../../lib/outcomes.ts';
import { items as itemsOf, pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { PageSize, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';

/** All URLs that the spider found with their outcomes, and the excluded ones. */
export function ReportUrlsScreen() {
  const { search } = useSearchState('/reports/$report/urls');
  const isExcluded = search.view === 'excluded';
  return (
    <>
      <ReportHead />
      <ViewLinks
        label="Lists of URLs"
        name="view"
        current={isExcluded ? 'excluded' : undefined}
        drop={['page', 'url', 'outcome', 'sort', 'size']}
        views={[
          { value: undefined, title: 'Found' },
          { value: 'excluded', title: 'Excluded' },
        ]}
      />
      {isExcluded ? <ExcludedUrls /> : <FoundUrls />}
    </>
  );
}

function FoundUrls() {
  const { report, base } = useReport();
  const state = useSearchState('/reports/$report/urls');
  const { search, set } = state;
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const isFiltered = search.url !== undefined || search.outcome !== undefined;
  const urls = useQuery(
    discoveredUrlsQuery(report.id, {
      'filter[url]': search.url,
      'filter[outcome]': search.outcome,
      sort: search.sort,
      'page[number]': pageNumber(search.page),
      'page[size]': search.size ?? 25,
    }),
  );
  return (
    <div ref={scope}>
      <QueryView query={urls}>
        {({ items, page, pages, total, meta }) => (
          <>
            <Toggles
              label="URLs by outcome"
              toggles={SHOWN_OUTCOMES.filter((value) => meta.outcomes[value] > 0).map((value) => ({
                ...{ value, title: OUTCOME_WORDS[value] },
                count: search.url === undefined ? meta.outcomes[value] : meta.matching_outcomes[value],
              }))}
              pressed={itemsOf(search.outcome)}
              onChange={(pressed) => set({ outcome: pressed.join(',') })}
            />
            <SearchFilters state={state} names={['url', 'outcome']} matches={plural(total, 'URL')}>
              <SearchText state={state} label="URL" name="url" />
              <PageSize state={state} />
            </SearchFilters>
            {meta.not_kept === 0 ? null : (
              <p>The list is full. URLs that are not on it were found {count(meta.not_kept)} times.</p>
            )}
            {items.length === 0 ? (
              <EmptyState title={isFiltered ? 'No URLs match the filters' : 'No URLs found so far'} />
            ) : (
              <DataTable
                caption="Found URLs"
                columns={urlColumns(base, report.starting_url)}
                rows={items}
                keyOf={({ id }) => id}
                sort={search.sort}
                onSort={(sort) => set({ sort })}
                isStale={urls.isPlaceholderData}
              />
            )}
            <Pager page={page} pages={pages} total={total} />
          </>
        )}
      </QueryView>
    </div>
  );
}

const REASONS = { deleted: 'deleted page', exclusion: 'exclusion' } as const;

function ExcludedUrls() {
  const { report } = useReport();
  const { search } = useSearchState('/reports/$report/urls');
  const urls = useQuery(excludedUrlsQuery(report.id, { 'page[number]': pageNumber(search.page) }));
  return (
    <ListTable
      query={urls}
      caption="Excluded URLs"
      columns={[
        { key: 'url', title: 'URL or part of a URL', isMain: true, cell: ({ url }) => <code>{url}</code> },
        { key: 'reason', title: 'Reason', cell: ({ reason }) => REASONS[reason] },
        { key: 'since', title: 'Since', isNumber: true, cell: ({ inserted_at: at }) => dateTime(at) },
      ]}
      empty={
        <EmptyState title="Nothing is excluded">
          <p>Exclusions and deleted pages of the report are listed here. They are not visited.</p>
        </EmptyState>
      }
    />
  );
}

/** The columns of the list of URLs. */
function urlColumns(base: string, startingUrl: string): readonly Column<Item<'discovered_url'>>[] {
  return [
    {
      key: 'url',
      title: 'URL',
      sort: 'url',
      isMain: true,
      cell: (url) => {
        const page = url.related.web_page?.split('/').at(-1);
        return page === undefined ? shortUrl(url.url) : <Link to={`${base}/pages/${page}`}>{shortUrl(url.url)}</Link>;
      },
    },
    { key: 'outcome', title: 'Outcome', cell: outcomeOf },
    { key: 'detail', title: 'Details', cell: ({ detail }) => detail },
    {
      key: 'from',
      title: 'Found on',
      cell: ({ linked_from: from }) => {
        if (from === null) return 'starting URL';
        return URL.parse(from)?.origin === URL.parse(startingUrl)?.origin ? pathOf(from) : shortUrl(from);
      },
    },
    { key: 'depth', title: 'Depth', isNumber: true, cell: ({ depth }) => count(depth) },
  ];
}
