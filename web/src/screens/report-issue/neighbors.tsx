import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { COMMON_ISSUE_SEARCH, commonIssueQueryOf } from '../../frame/common-issue-query.ts';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { count } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { buttonClass } from '../../parts/button.tsx';
import styles from './screen.module.css';

/** The longest page of a list. Issues behind it have no neighbors. */
const listMax = 100;

/** The kinds of issue before and after one, in the list that it was opened from. */
export interface Neighbors {
  /** Position in the list, from 1; null if it is not among the first 100. */
  readonly position: number | null;
  readonly total: number;
  readonly isLoading: boolean;
  readonly before: string | undefined;
  readonly after: string | undefined;
  open(issue: string | undefined): void;
}

/** Reads the list that an issue was opened from, whose filters are in the URL. */
export function useNeighbors(kind: Kind, id: string): Neighbors {
  const { report, base } = useReport();
  const { search } = useSearchState();
  const navigate = useNavigate();
  const list = useQuery(
    commonIssuesQuery(report.id, kind, { ...commonIssueQueryOf(search, kind), 'page[size]': listMax }),
  );
  const ids = list.data?.items.map((issue) => issue.id) ?? [];
  const at = ids.indexOf(id);
  return {
    position: at === -1 ? null : at + 1,
    total: list.data?.total ?? 0,
    isLoading: list.isLoading,
    before: ids[at - 1],
    after: at === -1 ? undefined : ids[at + 1],
    open(issue) {
      if (issue === undefined) return;
      void navigate({ to: `${base}/${KINDS[kind].path}/${issue}`, search: filtersOf(search) });
    },
  };
}

/** Returns what the URL says about the list, without what it says about the issue. */
export function filtersOf(search: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(COMMON_ISSUE_SEARCH.map((name) => [name, search[name]]));
}

/** Where an issue stands in its list, with links to those beside it. */
export function NeighborLinks({ kind, neighbors }: { readonly kind: Kind; readonly neighbors: Neighbors }) {
  const { base } = useReport();
  const { search } = useSearchState();
  const { position, total, before, after } = neighbors;
  if (position === null) return null;
  const link = (id: string | undefined, title: string, sign: string) =>
    id === undefined ? null : (
      <Link to={`${base}/${KINDS[kind].path}/${id}`} search={filtersOf(search)} className={buttonClass('quiet')}>
        <span aria-hidden="true">{sign}</span>
        <span className="visually-hidden">{title}</span>
      </Link>
    );
  return (
    <nav aria-label="Kinds of issue" className={styles.neighbors}>
      {link(before, 'Previous issue', '‹')}
      <span>
        {count(position)} of {count(total)}
      </span>
      {link(after, 'Next issue', '›')}
    </nav>
  );
}
