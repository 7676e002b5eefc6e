import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { webPagesQuery } from '../../api/queries/web-page.ts';
import { count, pathOf, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { pageNumber, type Search } from '../../lib/search.ts';
import { ISSUE } from '../../lib/searches.ts';
import { listedPage, webPagesQueryOf } from '../../lists/list-queries.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { useReport } from '../../report/report-context.tsx';

const PAGES_SIZE = 25;

/** The pages with an issue type. */
export function PagesWithIssue({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report, base } = useReport();
  const state = useSearchState(...ISSUE);
  const { search } = state;
  const { url, muted } = search;
  const filters = { issue: `${kind}-${issue}`, url, muted };
  const pages = useQuery(
    webPagesQuery(report.id, {
      ...webPagesQueryOf(filters),
      'page[number]': pageNumber(search.page),
      'page[size]': PAGES_SIZE,
    }),
  );
  return (
    <>
      <SearchFilters
        state={state}
        names={['url']}
        matches={url !== undefined && pages.data !== undefined ? plural(pages.data.total, 'page') : undefined}
      >
        <SearchText state={state} label="URL" name="url" />
      </SearchFilters>
      <ListTable
        query={pages}
        caption="Pages with the issue"
        columns={({ page }) => columnsOf({ kind, base, filters, before: (page - 1) * PAGES_SIZE })}
        empty={
          <EmptyState title={url === undefined ? 'No page has this issue now' : 'No affected pages match this URL'} />
        }
      />
    </>
  );
}

function columnsOf({
  kind,
  base,
  filters,
  before,
}: {
  readonly kind: Kind;
  readonly base: string;
  readonly filters: Search;
  /** Number of rows on earlier list pages. */
  readonly before: number;
}): readonly Column<Item<'web_page'>>[] {
  const { check } = KINDS[kind];
  return [
    {
      key: 'url',
      title: 'Page',
      isMain: true,
      cell: (page, index) => (
        <Link {...listedPage({ base, page: page.id, filters, at: before + index + 1 })}>{pathOf(page.url)}</Link>
      ),
    },
    { key: 'title', title: 'Title', isExtra: true, cell: (page) => page.title },
    {
      key: 'occurrences',
      title: 'Occurrences',
      cell: (page) => (
        <Link
          to="."
          search={(search: Record<string, unknown>) => ({
            ...search,
            page: undefined,
            view: 'occurrences',
            url: page.url,
          })}
        >
          Show
        </Link>
      ),
    },
    {
      key: 'errors',
      title: `${KINDS[kind].title} errors`,
      isNumber: true,
      cell: (page) =>
        page[check]?.status === 'pending' ? <SeverityLabel of="pending" /> : count(page[check]?.errors ?? 0),
    },
  ];
}
