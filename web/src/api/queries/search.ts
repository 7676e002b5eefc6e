import { listQuery } from './resource-queries.ts';

const resultsMax = 25;

/** What a text finds: reports, pages, issue types and schedules. */
export function searchQuery(text: string) {
  const query = listQuery<'search_result'>(['search'], '/search', { q: text, 'page[size]': resultsMax });
  return { ...query, enabled: text !== '' };
}
