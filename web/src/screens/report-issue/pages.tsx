import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { webPagesQuery } from '../../api/queries/web-pages.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { count, pathOf, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FilterBar, TextFilter } from '../../parts/filter-bar.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';

/** The pages that have a kind of issue. */
export function PagesWithIssue({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report, base } = useReport();
  const { search, set } = useSearchState();
  const url = search['url'];
  const pages = useQuery(
    webPagesQuery(report.id, {
      [KINDS[kind].pagesFilter]: issue,
      'filter[url]': url,
      'filter[muted]': search['muted'],
      'page[number]': pageNumber(search['page']),
    }),
  );
  return (
    <>
      <FilterBar
        matches={url !== undefined && pages.data !== undefined ? `${plural(pages.data.total, 'page')}` : undefined}
        isFiltered={url !== undefined}
        onClear={() => set({ url: '' })}
      >
        <TextFilter label="URL" value={url ?? ''} onChange={(typed) => set({ url: typed }, { isTyping: true })} />
      </FilterBar>
      <QueryView query={pages}>
        {({ items, page, pages: last, total }) =>
          items.length === 0 ? (
            <EmptyState title={url === undefined ? 'No page has it now' : 'No affected page matches this URL'} />
          ) : (
            <>
              <DataTable
                caption="Pages with the issue"
                columns={columnsOf(kind, issue, base)}
                rows={items}
                keyOf={({ id }) => id}
                isStale={pages.isPlaceholderData}
              />
              <Pager page={page} pages={last} total={total} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

function columnsOf(kind: Kind, issue: string, base: string): readonly Column<Item<'web_page'>>[] {
  const { check } = KINDS[kind];
  return [
    {
      key: 'url',
      title: 'Page',
      isMain: true,
      cell: (page) => (
        <Link to={`${base}/pages/${page.id}`} search={{ common: `${kind}-${issue}` }}>
          {pathOf(page.url)}
        </Link>
      ),
    },
    { key: 'title', title: 'Title', isExtra: true, cell: (page) => page.title },
    {
      key: 'places',
      title: 'Its places',
      cell: (page) => (
        <Link
          to="."
          search={(search: Record<string, unknown>) => ({ ...search, page: undefined, view: 'places', url: page.url })}
        >
          Show them
        </Link>
      ),
    },
    {
      key: 'errors',
      title: `${KINDS[kind].title} errors`,
      isNumber: true,
      cell: (page) =>
        page[check]?.status === 'pending' ? <SeverityLabel of="running" /> : count(page[check]?.errors ?? 0),
    },
  ];
}
