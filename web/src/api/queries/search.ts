import { listQuery } from './resource-queries.ts';

const resultsMax = 25;

/** The results of a text search: reports, pages, issue types and schedules. */
export function searchQuery(text: string) {
  const query = listQuery<'search_result'>(['search'], '/search', { q: text, 'page[size]': resultsMax });
  return { ...query, enabled: text !== '' };
}
