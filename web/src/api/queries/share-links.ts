import type { Query } from '../client.ts';
import { listQuery } from './resource-queries.ts';

/** A page of the share links of sites and tags. */
export function shareLinksQuery(query: Query) {
  return listQuery<'share_link'>(['share_links'], '/share_links', query);
}
