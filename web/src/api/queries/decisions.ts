import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the decisions about a site, newest first. Events of its reports announce that they were applied. */
export function decisionsQuery(site: string, query: Query) {
  return listQuery<'decision'>(['sites', site, 'decisions'], `/sites/${site}/decisions`, query);
}

/**
 * One decision, with who made it. Only the owner of its site can read it. It is not read again: once it is undone, it doesn't
 * exist, and issues show it until they are read again.
 */
export function decisionQuery({ id, decided_at: decidedAt }: { readonly id: string; readonly decided_at: string }) {
  const query = itemQuery<'decision'>(['decision', id, decidedAt], `/decisions/${id}`);
  return { ...query, staleTime: Number.POSITIVE_INFINITY };
}
