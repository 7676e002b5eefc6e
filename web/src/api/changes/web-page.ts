import type { Kind } from '../../lib/kinds.ts';
import { change, create, type Item, type Query, readAll, remove } from '../client.ts';

/** Re-checks a page, which costs as many credits as its first check. */
export function recheckPage(report: string, page: string): Promise<Item<'web_page'>> {
  return change<'web_page'>(`/reports/${report}/web_pages/${page}`, { status: 'pending' });
}

/** Deletes a page. Deleting the last page deletes the report. */
export function deletePage(report: string, page: string): Promise<void> {
  return remove(`/reports/${report}/web_pages/${page}`);
}

/** Re-checks all pages with an issue type. */
export function recheckIssue(report: string, kind: Kind, issue: string): Promise<Item<'recheck'>> {
  return create<'recheck'>(`/reports/${report}/rechecks`, { [`common_${kind}_issue_id`]: issue });
}

/** Re-checks all pages that match the filters of a list. */
export async function recheckListed(report: string, query: Query): Promise<Item<'recheck'>> {
  const pages = await Array.fromAsync(readAll<'web_page'>(`/reports/${report}/web_pages`, { query }));
  return create<'recheck'>(`/reports/${report}/rechecks`, { web_page_ids: pages.map(({ id }) => id) });
}
