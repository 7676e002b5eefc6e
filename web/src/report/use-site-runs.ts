import { useQuery } from '@tanstack/react-query';
import { type Item, siteIdOf } from '../api/client.ts';
import { reportsQuery } from '../api/queries/reports.ts';
import { useReport } from './report-context.tsx';

const runsMax = 50;

/** Returns the first finished report of the site after the open report; undefined if there is none. */
export function useNextRun(): Item<'report'> | undefined {
  const { report } = useReport();
  return useSiteRuns().runs.findLast(({ inserted_at: start }) => start > report.inserted_at);
}

/** Returns the other finished reports of the site of the open report, newest first. */
export function useSiteRuns(): { readonly runs: readonly Item<'report'>[]; readonly isLoading: boolean } {
  const { report } = useReport();
  const site = siteIdOf(report);
  const query = { 'filter[site_id]': site, 'filter[status]': 'finished', 'page[size]': runsMax };
  const runs = useQuery({ ...reportsQuery(query), enabled: site !== undefined });
  const others = runs.data?.items.filter(({ id, finished_at: end }) => id !== report.id && end !== null);
  return { runs: others ?? [], isLoading: runs.isLoading };
}
