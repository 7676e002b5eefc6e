import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readList } from '../client.ts';

const resultsMax = 25;

/** What a text finds: reports, pages, kinds of issue and schedules. */
export function searchQuery(text: string) {
  return queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) =>
      readList<'search_result'>('/search', { query: { q: text, 'page[size]': resultsMax }, signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
}
