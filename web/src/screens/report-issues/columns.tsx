import { Link } from '@tanstack/react-router';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { ChangeLabel } from '../../frame/change-label.tsx';
import { messageOf, severityOf } from '../../frame/issue-words.ts';
import { count } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { rowsBefore, type Search } from '../../lib/search.ts';
import type { Column } from '../../parts/data-table.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import styles from './columns.module.css';

export const ISSUES_SIZE = 50;

/** The columns of the list of kinds of issue. An issue is opened with the filters of the list, which its neighbors follow. */
export function issueColumns(kind: Kind, base: string, search: Search): readonly Column<CommonIssue>[] {
  const { page: _, size: __, ...filters } = search;
  const before = rowsBefore(search, ISSUES_SIZE);
  return [
    {
      key: 'severity',
      title: kind === 'a11y' ? 'Impact' : 'Type',
      ...(kind === 'a11y' && { sort: 'impact_order' }),
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
          {'rule_id' in issue ? <code className={styles.rule}>{issue.rule_id}</code> : null}
        </>
      ),
    },
    {
      key: 'change',
      title: 'Change',
      cell: (issue) => (issue.change === null ? null : <ChangeLabel change={issue.change} />),
    },
    {
      key: 'how_many',
      title: kind === 'a11y' ? 'Elements' : kind === 'link' ? 'Links' : 'Places',
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
