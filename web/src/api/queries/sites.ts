import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the list of sites. */
export function sitesQuery(query: Query) {
  return listQuery<'site'>(['sites'], '/sites', query);
}

/** The tags of sites, each with the totals of its sites. */
export function siteTagsQuery(query: Query) {
  return listQuery<'site_tag'>(['sites', 'tags'], '/site_tags', query);
}

/** One site with its last runs. */
export function siteQuery(id: string) {
  return itemQuery<'site'>(['sites', id], `/sites/${id}`);
}
