import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Item, type Query, readList } from '../client.ts';

/** Bounds what a chart reads: 500 groups in intervals. */
const pagesMax = 5;

interface Stats {
  /** The newest interval first. */
  readonly items: readonly Item<'stat'>[];
  /** How many there are, which may be more. */
  readonly total: number;
}

/** Statistics over time, the newest 500. Its key begins as that of the sites, whose reports they count. */
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
