import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CHANGE_WORDS, PRESENT_CHANGES } from 'sitewarden-client/changes';
import type { Item } from '../../api/client.ts';
import { occurrencesQuery } from '../../api/queries/common-issues.ts';
import { scopeWords, VERDICT_WORDS } from '../../lib/decisions.ts';
import { faultsIn } from '../../lib/faults.ts';
import { count, pathOf } from '../../lib/formats.ts';
import type { Kind } from '../../lib/kinds.ts';
import { occurrenceLink } from '../../lib/occurrence-link.ts';
import { pageNumber } from '../../lib/search.ts';
import { ISSUE } from '../../lib/searches.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { ChangeLabel } from '../../report/change-label.tsx';
import type { ShownDecision } from '../../report/decision-line.tsx';
import { useReport } from '../../report/report-context.tsx';
import { StyleRules } from '../../report/style-rule.tsx';
import styles from './screen.module.css';

const CHANGES = PRESENT_CHANGES.map((change) => [change, CHANGE_WORDS[change]] as const);

const FILTERS = ['url', 'cluster', 'occurrences'] as const;

/** Every occurrence of an issue type, in the order of the pages. */
export function Occurrences({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report, base } = useReport();
  const state = useSearchState(...ISSUE);
  const { search } = state;
  const { url, cluster, occurrences: change } = search;
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const occurrences = useQuery(
    occurrencesQuery(
      { report: report.id, kind, issue },
      {
        'filter[url]': url,
        'filter[cluster]': cluster,
        'filter[change]': change,
        'filter[muted]': search.muted,
        'page[number]': pageNumber(search.page),
      },
    ),
  );
  return (
    <>
      <SearchFilters
        state={state}
        names={FILTERS}
        matches={isFiltered && occurrences.data !== undefined ? `${count(occurrences.data.total)} match` : undefined}
      >
        <SearchText state={state} label="URL" name="url" />
        <SearchChoice state={state} label="Change" name="occurrences" choices={CHANGES} />
        {cluster === undefined ? null : <span className={styles.chip}>One group only</span>}
      </SearchFilters>
      <ListTable
        query={occurrences}
        caption="Occurrences"
        columns={({ items }) => columnsOf({ kind, base, items, muted: search.muted })}
        empty={<EmptyState title={isFiltered ? 'No occurrences match the filters' : 'No occurrences left'} />}
      />
    </>
  );
}

function columnsOf({
  kind,
  base,
  items,
  muted,
}: {
  readonly kind: Kind;
  readonly base: string;
  readonly items: readonly Item<'occurrence'>[];
  readonly muted: string | undefined;
}): readonly Column<Item<'occurrence'>>[] {
  const isCompared = items.some(({ change }) => change !== null);
  const summaries = new Set(items.map((occurrence) => occurrence.failure_summary));
  return [
    {
      key: 'occurrence',
      title: 'Occurrence',
      isMain: true,
      cell: (occurrence) => (
        <Link
          {...occurrenceLink(base, kind, { web_page_id: occurrence.web_page_id, occurrence: occurrence.id }, muted)}
        >
          {pathOf(occurrence.url)}
          {occurrence.line === null ? '' : `, line ${count(occurrence.line)}`}
        </Link>
      ),
    },
    ...(kind === 'link'
      ? []
      : [
          {
            key: 'markup',
            title: 'Markup',
            cell: (occurrence: Item<'occurrence'>) => <Markup of={occurrence} hasFaults={summaries.size > 1} />,
          },
        ]),
    ...(isCompared
      ? [
          {
            key: 'change',
            title: 'Change',
            cell: ({ change }: Item<'occurrence'>) => (change === null ? null : <ChangeLabel change={change} />),
          },
        ]
      : []),
    ...(items.some(({ decision }) => decision !== null)
      ? [
          {
            key: 'decision',
            title: 'Decision',
            cell: ({ decision }: Item<'occurrence'>) =>
              decision === null ? null : <Decided kind={kind} decision={decision} />,
          },
        ]
      : []),
    ...(items.some(({ recheck }) => recheck !== null)
      ? [
          {
            key: 'recheck',
            title: 'Re-check',
            cell: ({ recheck }: Item<'occurrence'>) =>
              recheck === null ? null : recheck === 'new' ? '+ new' : '■ still there',
          },
        ]
      : []),
  ];
}

/** The markup of an occurrence, with what axe found wrong if occurrences differ in it. */
function Markup({ of, hasFaults }: { readonly of: Item<'occurrence'>; readonly hasFaults: boolean }) {
  const { markup, extract, selector, failure_summary: summary, reached_by: way } = of;
  return (
    <>
      <code className={styles.markup}>{markup === '' ? extract : markup}</code>
      {selector === null ? null : <code className={styles.selector}>{selector}</code>}
      {way === null ? null : <span className={styles.failure}>{way}</span>}
      <StyleRules of={of} />
      {hasFaults && summary !== null ? <span className={styles.failure}>{faultsIn(summary)}</span> : null}
    </>
  );
}

function Decided({ kind, decision }: { readonly kind: Kind; readonly decision: ShownDecision }) {
  const { scope, verdict, note } = decision;
  return (
    <>
      {VERDICT_WORDS[verdict].title}, for {scopeWords(scope, kind).words}
      {note === '' ? null : <span className={styles.failure}>{note}</span>}
    </>
  );
}
