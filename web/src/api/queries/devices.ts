import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../client.ts';

/** All devices as which pages can be checked, by name. They change only with an update of the service. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: ({ signal }) => Array.fromAsync(readAll<'device'>('/devices', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});
