import { queryOptions } from '@tanstack/react-query';
import { type Query, readAll } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the list of schedules. Fails with 403 on the free plan. */
export function schedulesQuery(query: Query) {
  return listQuery<'schedule'>(['schedules'], '/schedules', query);
}

/** One schedule. */
export function scheduleQuery(id: string) {
  return itemQuery<'schedule'>(['schedules', id], `/schedules/${id}`);
}

/** All schedules, by site: an account can have 1,000. Fails with 403 on the free plan. */
export const allSchedulesQuery = queryOptions({
  queryKey: ['all_schedules'],
  queryFn: ({ signal }) =>
    Array.fromAsync(readAll<'schedule'>('/schedules', { query: { sort: 'starting_url' }, signal })),
});
