import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PAGE_CHANGES } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { pageChangesQuery } from '../../api/queries/changes.ts';
import { pathOf, plural } from '../../lib/formats.ts';
import { items as itemsOf } from '../../lib/search.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Section } from '../../parts/section.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';
import { statusWords } from './status-words.ts';

type PageChange = Item<'page_change'>;

const WORDS = {
  broken: 'broke',
  recovered: 'recovered',
  added: 'added',
  removed: 'gone',
} as const;
/** A page that only this report has. It may have existed before: the earlier report may have had other settings. */
const GROUP_WORDS = { ...WORDS, added: `${WORDS.added} or found again` };

/** The same for a report of another site. */
const OTHER_SITE_WORDS = {
  broken: 'broken here',
  recovered: 'broken there',
  added: 'only here',
  removed: 'only there',
};

/** The maximum size of a list page. The filter finds other pages. */
const rowsMax = 100;

/** Which results of the report the URL asks for. */
export function resultsAt(at: string | undefined): 'now' | undefined {
  return at === 'now' ? 'now' : undefined;
}

/** The changed pages, filtered by the URL. */
export function pagesQuery(report: string, search: SearchOn<'/reports/$report/changes'>) {
  const { with: other, at } = search;
  const query = {
    with: other,
    at: resultsAt(at),
    'filter[change]': search.pages ?? PAGE_CHANGES.join(),
    'page[size]': rowsMax,
  };
  return pageChangesQuery(report, query);
}

/** The pages that broke, recovered, appeared or disappeared. Empty if there are none. */
export function PageChanges() {
  const { report, base } = useReport();
  const { search, set } = useSearchState('/reports/$report/changes');
  const pages = useQuery(pagesQuery(report.id, search));
  if (pages.error !== null) {
    return (
      <ErrorNote
        title="The pages could not be compared"
        detail={pages.error.message}
        onRetry={() => void pages.refetch()}
      />
    );
  }
  const { data } = pages;
  if (data === undefined || PAGE_CHANGES.every((change) => data.meta.changes[change] === 0)) return null;
  const isOtherSite = data.meta.other_site === true;
  const words = isOtherSite ? OTHER_SITE_WORDS : GROUP_WORDS;
  return (
    <Section title="Pages">
      <Toggles
        label={isOtherSite ? 'Pages by difference' : 'Pages by change'}
        toggles={PAGE_CHANGES.filter((value) => data.meta.changes[value] > 0).map((value) => ({
          ...{ value, count: data.meta.changes[value] },
          title: words[value],
        }))}
        pressed={itemsOf(search.pages)}
        onChange={(pressed) => set({ pages: pressed.join(',') })}
      />
      <DataTable
        caption={isOtherSite ? 'Page differences' : 'Page changes'}
        columns={columnsOf(report.id, base, isOtherSite)}
        rows={data.items}
        keyOf={({ id }) => id}
        isStale={pages.isPlaceholderData}
      />
      {data.total > data.items.length ? (
        <p className={styles.kind}>and {plural(data.total - data.items.length, 'more page')}</p>
      ) : null}
    </Section>
  );
}

function columnsOf(report: string, base: string, isOtherSite: boolean): readonly Column<PageChange>[] {
  return [
    {
      key: 'change',
      title: isOtherSite ? 'Difference' : 'Change',
      cell: ({ change, found_again: again }) => (
        <span className={styles[change]}>
          {isOtherSite ? OTHER_SITE_WORDS[change] : again ? 'found again' : WORDS[change]}
        </span>
      ),
    },
    { key: 'url', title: 'Page', isMain: true, cell: (page) => <PageLink page={page} report={report} base={base} /> },
    { key: 'title', title: 'Title', isExtra: true, cell: ({ title }) => title },
    {
      key: 'status',
      title: 'Status',
      cell: statusWords,
    },
    { key: 'error', title: 'Reason', cell: (page) => reasonOf(page, isOtherSite) },
  ];
}

/** Why only one report has a page, or why it could not be checked. */
function reasonOf({ change, deleted, error }: PageChange, isOtherSite: boolean): string | null {
  if (!deleted) return error;
  const words = `deleted from ${change === 'removed' ? 'this' : isOtherSite ? 'the other' : 'the earlier'} report`;
  return error === null ? words : `${words}; ${error}`;
}

/** A removed page exists only in the earlier report. */
function PageLink({
  page,
  report,
  base,
}: {
  readonly page: PageChange;
  readonly report: string;
  readonly base: string;
}) {
  const [, , of, , id] = page.related.web_page?.split('/') ?? [];
  if (id === undefined) return pathOf(page.url);
  return <Link to={`${of === report ? base : `/reports/${of}`}/pages/${id}`}>{pathOf(page.url)}</Link>;
}
