import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Item, type Query, readList } from '../client.ts';

/** Limits how much a chart reads: 500 pairs of group and interval. */
const pagesMax = 5;

interface Stats {
  /** Newest interval first. */
  readonly items: readonly Item<'stat'>[];
  /** The total number, which may be larger. */
  readonly total: number;
}

/** Statistics over time, the newest 500. The key starts like the key of the sites, because the statistics count their reports. */
export function statsQuery(query: Query) {
  return queryOptions({
    queryKey: ['sites', 'stats', query],
    queryFn: async ({ signal }): Promise<Stats> => {
      const items: Item<'stat'>[] = [];
      for (let number = 1; ; number += 1) {
        const page = await readList<'stat'>('/stats', {
          query: { ...query, 'page[number]': number, 'page[size]': 100 },
          signal,
        });
        items.push(...page.items);
        if (number >= Math.min(page.pages, pagesMax)) return { items, total: page.total };
      }
    },
    placeholderData: keepPreviousData,
  });
}
