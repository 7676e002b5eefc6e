import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the decisions about a site, newest first. Events of its reports announce that they were applied. */
export function decisionsQuery(site: string, query: Query) {
  return listQuery<'decision'>(['sites', site, 'decisions'], `/sites/${site}/decisions`, query);
}

/** One decision, with who made it. Only the owner of its site can read it. */
export function decisionQuery(id: string) {
  return itemQuery<'decision'>(['sites', 'decision', id], `/decisions/${id}`);
}
