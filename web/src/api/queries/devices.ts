import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../client.ts';

/** All devices that checks can emulate, by name. They change only when the service is updated. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: ({ signal }) => Array.fromAsync(readAll<'device'>('/devices', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});
