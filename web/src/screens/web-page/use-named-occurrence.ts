import { useQuery } from '@tanstack/react-query';
import { occurrencesQuery } from '../../api/queries/common-issues.ts';
import { occurrenceLink } from '../../lib/occurrence-link.ts';
import { PAGE } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useReport } from '../../report/report-context.tsx';
import { keyParts } from './use-page-issues.ts';

/** The occurrence that the URL of a page names, directly or as the first of a cause. */
interface NamedOccurrence {
  /** The key of its issue. */
  readonly issue?: string | undefined;
  /** Its number in the issue, from 1. */
  readonly occurrence?: string | undefined;
  readonly isLoading: boolean;
}

/** Reads the URL. Links of fixes name a cluster of a common issue: its first occurrence is on the page of the fix. */
export function useNamedOccurrence(page: string): NamedOccurrence {
  const { report, base } = useReport();
  const { search } = useSearchState(...PAGE);
  const { issue, occurrence, common, cluster } = search;
  const { kind, id } = keyParts(common);
  const isLinked = issue === undefined && cluster !== undefined && id !== '';
  const query = { 'filter[cluster]': cluster, 'page[size]': 1 };
  const { data, isLoading } = useQuery({
    ...occurrencesQuery({ report: report.id, kind, issue: id }, query),
    enabled: isLinked,
  });
  const first = isLinked ? data?.items.find(({ web_page_id: of }) => of === page) : undefined;
  if (first === undefined) return { issue, occurrence, isLoading };
  return { ...occurrenceLink(base, kind, { ...first, occurrence: first.id }, undefined).search, isLoading };
}
