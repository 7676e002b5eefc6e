import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { type CommonIssue, commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { count, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { pageNumber, rowsBefore } from '../../lib/search.ts';
import { ISSUES, type SearchOn } from '../../lib/searches.ts';
import { commonIssueQueryOf } from '../../lists/list-queries.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { DecisionMark } from '../../report/decision-line.tsx';
import { messageOf, severityOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import { TypeChange } from '../../report/type-change.tsx';
import { useKind } from '../../report/use-kind.ts';
import styles from './columns.module.css';
import { CheckOff, NoIssues } from './empty.tsx';
import { IssueFilters, isNarrowed } from './filters.tsx';

/** The issue types that one kind of check found. */
export function ReportIssuesScreen() {
  const { report } = useReport();
  const kind = useKind();
  // If the plan does not include a check, its counts are absent, and the service explains that.
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
  const { search, set } = useSearchState(...ISSUES);
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const issues = useQuery(
    commonIssuesQuery(report.id, kind, {
      ...commonIssueQueryOf(search, kind),
      'page[number]': pageNumber(search.page),
      'page[size]': search.size ?? ISSUES_SIZE,
    }),
  );
  const narrowed = isNarrowed(search);
  const total = issues.data?.total;
  const matches =
    total === undefined ? undefined : narrowed ? `${count(total)} match` : `${plural(total, 'issue type')}`;
  return (
    <div ref={scope}>
      <h2 className="visually-hidden">{KINDS[kind].title}</h2>
      <IssueFilters kind={kind} matches={matches} />
      <ListTable
        query={issues}
        caption={`${KINDS[kind].title} issues`}
        columns={issueColumns(kind, base, search)}
        sort={search.sort ?? '-severity'}
        onSort={(sort) => set({ sort: sort === '-severity' ? '' : sort })}
        empty={
          narrowed ? <EmptyState title="No issues match the filters" /> : <NoIssues kind={kind} muted={search.muted} />
        }
      />
    </div>
  );
}

const ISSUES_SIZE = 50;

/** The columns of the list of issue types. An issue opens with the filters of the list, so that it finds its neighbors. */
function issueColumns(
  kind: Kind,
  base: string,
  search: SearchOn<(typeof ISSUES)[number]>,
): readonly Column<CommonIssue>[] {
  const { page: _, size: __, ...filters } = search;
  const before = rowsBefore(search, ISSUES_SIZE);
  return [
    {
      key: 'severity',
      title: kind === 'a11y' ? 'Impact' : 'Type',
      sort: 'severity',
      cell: (issue) => <SeverityLabel of={severityOf(issue, kind)} />,
    },
    {
      key: 'message',
      title: 'Issue',
      isMain: true,
      cell: (issue, index) => (
        <>
          <Link to={`${base}/${KINDS[kind].path}/${issue.id}`} search={{ ...filters, at: String(before + index + 1) }}>
            {messageOf(issue)}
          </Link>
          {issue.verdict === null ? null : <DecisionMark verdict={issue.verdict} />}
          {'rule_id' in issue ? <code className={styles.rule}>{issue.rule_id}</code> : null}
        </>
      ),
    },
    {
      key: 'change',
      title: 'Change',
      cell: (issue) => <TypeChange issue={issue} />,
    },
    {
      key: 'how_many',
      title: kind === 'a11y' ? 'Elements' : kind === 'link' ? 'Links' : 'Occurrences',
      isNumber: true,
      sort: 'how_many',
      cell: (issue) => count(issue.how_many),
    },
    {
      key: 'pages',
      title: 'Pages',
      isNumber: true,
      sort: 'num_web_pages',
      cell: (issue) => count(issue.num_web_pages),
    },
  ];
}
