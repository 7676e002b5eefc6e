import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the list of sites. */
export function sitesQuery(query: Query) {
  return listQuery<'site'>(['sites'], '/sites', query);
}

/** One site with its last runs. */
export function siteQuery(id: string) {
  return itemQuery<'site'>(['sites', id], `/sites/${id}`);
}
