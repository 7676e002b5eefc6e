import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResourceType } from 'sitewarden-client';
import { type Query, read, readList } from '../client.ts';

type Key = readonly [string, ...unknown[]];

/** Returns the query for a resource. Events invalidate queries by the first parts of their keys. */
export function itemQuery<Type extends ResourceType>(queryKey: Key, path: string, query?: Query) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => read<Type>(path, { ...(query && { query }), signal }) });
}

/** Returns the query for a page of a list. The previous page stays visible while the next one loads. */
export function listQuery<Type extends ResourceType>(key: Key, path: string, query: Query) {
  return queryOptions({
    queryKey: [...key, query],
    queryFn: ({ signal }) => readList<Type>(path, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
