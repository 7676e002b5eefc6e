import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Item, type Query, read, readList } from '../client.ts';

/** A page of the list of schedules. Refused with 403 by the free plan. */
export function schedulesQuery(query: Query) {
  return queryOptions({
    queryKey: ['schedules', query],
    queryFn: ({ signal }) => readList<'schedule'>('/schedules', { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** One schedule. */
export function scheduleQuery(id: string) {
  return queryOptions({
    queryKey: ['schedules', id],
    queryFn: ({ signal }) => read<'schedule'>(`/schedules/${id}`, { signal }),
  });
}

/** Schedules are read as many at a time, and so many times at most: an account can have 1,000. */
const pageSize = 100;
const pagesMax = 10;

/** All schedules, by their site. Refused with 403 by the free plan. */
export const allSchedulesQuery = queryOptions({
  queryKey: ['all_schedules'],
  queryFn: async ({ signal }) => {
    const schedules: Item<'schedule'>[] = [];
    for (let number = 1; number <= pagesMax; number += 1) {
      const query = { sort: 'starting_url', 'page[number]': number, 'page[size]': pageSize };
      const page = await readList<'schedule'>('/schedules', { query, signal });
      schedules.push(...page.items);
      if (number >= page.pages) break;
    }
    return schedules;
  },
});
