import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

/** A page of the list of sites. */
export function sitesQuery(query: Query) {
  return queryOptions({
    queryKey: ['sites', query],
    queryFn: ({ signal }) => readList<'site'>('/sites', { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** One site with its last runs. */
export function siteQuery(id: string) {
  return queryOptions({
    queryKey: ['sites', id],
    queryFn: ({ signal }) => read<'site'>(`/sites/${id}`, { signal }),
  });
}
