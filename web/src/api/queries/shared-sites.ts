import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the sites of the share link that is open. */
export function sharedSitesQuery(secret: string, query: Query = {}) {
  return listQuery<'shared_site'>(['share', secret, 'sites'], '/share/sites', query);
}

/** One of these sites, with more of its reports. */
export function sharedSiteQuery(secret: string, id: string) {
  return itemQuery<'shared_site'>(['share', secret, 'site', id], `/share/sites/${id}`);
}
