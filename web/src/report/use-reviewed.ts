import { useQueries, useQuery } from '@tanstack/react-query';
import { type CommonIssue, commonIssuesQuery } from '../api/queries/common-issues.ts';
import { KINDS, kindsOf } from '../lib/kinds.ts';
import { LIST_SIZE_MAX } from '../lib/position.ts';
import { useReport } from './report-context.tsx';

const CONFIRMED = { 'filter[verdict]': 'error', 'page[size]': LIST_SIZE_MAX };
const REJECTED = { 'filter[muted]': 'not_an_error', 'page[size]': LIST_SIZE_MAX };

/** Returns the issue types that people have decided are errors, as paths relative to the report. */
export function useConfirmed(): ReadonlySet<string> {
  const { report } = useReport();
  const kinds = kindsOf(report);
  const lists = useQueries({ queries: kinds.map((kind) => commonIssuesQuery(report.id, kind, CONFIRMED)) });
  return new Set(
    kinds.flatMap((kind, index) => (lists[index]?.data?.items ?? []).map(({ id }) => `${KINDS[kind].path}/${id}`)),
  );
}

/**
 * Returns how many elements people have decided are barriers or are not, and how many still need review; null while the numbers
 * load.
 */
export function useReviewedElements(): { readonly decided: number; readonly waiting: number } | null {
  const { report } = useReport();
  const { a11y } = report.checks;
  const enabled = a11y != null;
  const confirmed = useQuery({ ...commonIssuesQuery(report.id, 'a11y', CONFIRMED), enabled }).data;
  const rejected = useQuery({ ...commonIssuesQuery(report.id, 'a11y', REJECTED), enabled }).data;
  if (a11y == null || confirmed === undefined || rejected === undefined) return null;
  return { decided: elementsOf(confirmed.items) + elementsOf(rejected.items), waiting: a11y.issues.warnings };
}

function elementsOf(issues: readonly CommonIssue[]): number {
  return issues.reduce((sum, { how_many: howMany }) => sum + howMany, 0);
}
