import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { shareReport } from '../../api/changes/reports.ts';
import type { Item, List } from '../../api/client.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { useChange } from '../../frame/use-change.ts';

/** Returns a function that opens or closes reports. Lists show it at once, and the truth again if it is refused. */
export function useShare(): (reports: readonly Item<'report'>[], shared?: boolean) => Promise<void> {
  const queries = useQueryClient();
  const change = useChange();
  return useCallback(
    async (reports, shared = true) => {
      const ids = new Set(reports.map(({ id }) => id));
      await queries.cancelQueries({ queryKey: ['reports'] });
      queries.setQueriesData<List<'report'>>(
        { queryKey: ['reports'] },
        (list) => list && { ...list, items: list.items.map((item) => (ids.has(item.id) ? { ...item, shared } : item)) },
      );
      await change(async () => {
        for (const id of ids) queries.setQueryData(reportQuery(id).queryKey, await shareReport(id, shared));
      });
      await queries.invalidateQueries({ queryKey: ['reports'] });
    },
    [queries, change],
  );
}
