import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

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
