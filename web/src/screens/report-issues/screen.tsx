import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { commonIssueQueryOf } from '../../frame/list-queries.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { ReportHead } from '../../frame/report-head.tsx';
import { useKind } from '../../frame/use-kind.ts';
import { useRowKeys } from '../../frame/use-row-keys.ts';
import { useSearchState } from '../../frame/use-search-state.ts';
import { count, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ISSUES_SIZE, issueColumns } from './columns.tsx';
import { CheckOff, NoIssues } from './empty.tsx';
import { IssueFilters, isNarrowed } from './filters.tsx';

/** The kinds of issue that one kind of check found. */
export function ReportIssuesScreen() {
  const { report } = useReport();
  const kind = useKind();
  // Without the plan for a kind of check its counts are absent, and the service says so.
  const isOn = report.checks[kind] != null || report[`perform_${kind}_checks`] === true;
  return (
    <>
      <ReportHead />
      {isOn ? <Issues key={kind} kind={kind} /> : <CheckOff kind={kind} />}
    </>
  );
}

function Issues({ kind }: { readonly kind: Kind }) {
  const { report, base } = useReport();
  const state = useSearchState();
  const { search, set } = state;
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const issues = useQuery(
    commonIssuesQuery(report.id, kind, {
      ...commonIssueQueryOf(search, kind),
      'page[number]': pageNumber(search['page']),
      'page[size]': search['size'] ?? ISSUES_SIZE,
    }),
  );
  const narrowed = isNarrowed(search);
  const total = issues.data?.total;
  const matches =
    total === undefined ? undefined : narrowed ? `${count(total)} match` : `${plural(total, 'kind')} of issue`;
  return (
    <div ref={scope}>
      <h2 className="visually-hidden">{KINDS[kind].title}</h2>
      <IssueFilters kind={kind} state={state} matches={matches} />
      <QueryView query={issues}>
        {({ items, page, pages, total: all }) =>
          items.length === 0 ? (
            narrowed ? (
              <EmptyState title="No kind of issue matches the filters" />
            ) : (
              <NoIssues kind={kind} muted={search['muted']} />
            )
          ) : (
            <>
              <DataTable
                caption={`Kinds of ${KINDS[kind].title} issues`}
                columns={issueColumns(kind, base, search)}
                rows={items}
                keyOf={({ id }) => id}
                sort={search['sort']}
                onSort={(sort) => set({ sort })}
                isStale={issues.isPlaceholderData}
              />
              <Pager page={page} pages={pages} total={all} />
            </>
          )
        }
      </QueryView>
    </div>
  );
}
