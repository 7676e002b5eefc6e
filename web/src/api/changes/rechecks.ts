import type { Kind } from '../../lib/kinds.ts';
import { create, type Item } from '../client.ts';

/** Has all pages with a kind of issue fetched and checked again. */
export function recheckIssue(report: string, kind: Kind, issue: string): Promise<Item<'recheck'>> {
  return create<'recheck'>(`/reports/${report}/rechecks`, { [`common_${kind}_issue_id`]: issue });
}
