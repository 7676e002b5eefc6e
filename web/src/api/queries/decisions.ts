import type { Query } from '../client.ts';
import { listQuery } from './resource-queries.ts';

/** A page of the decisions about a site, newest first. Events of its reports announce that they were applied. */
export function decisionsQuery(site: string, query: Query) {
  return listQuery<'decision'>(['sites', site, 'decisions'], `/sites/${site}/decisions`, query);
}
