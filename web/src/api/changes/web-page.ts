import type { Kind } from '../../lib/kinds.ts';
import { change, create, type Item, type Query, readAll, remove } from '../client.ts';

/** Fetches and checks a page again, for the same credits. */
export function recheckPage(report: string, page: string): Promise<Item<'web_page'>> {
  return change<'web_page'>(`/reports/${report}/web_pages/${page}`, { status: 'pending' });
}

/** Deletes a page, and the report with its last one. */
export function deletePage(report: string, page: string): Promise<void> {
  return remove(`/reports/${report}/web_pages/${page}`);
}

/** Has all pages with an issue type fetched and checked again. */
export function recheckIssue(report: string, kind: Kind, issue: string): Promise<Item<'recheck'>> {
  return create<'recheck'>(`/reports/${report}/rechecks`, { [`common_${kind}_issue_id`]: issue });
}

/** Has all pages of a list fetched and checked again. */
export async function recheckListed(report: string, query: Query): Promise<Item<'recheck'>> {
  const pages = await Array.fromAsync(readAll<'web_page'>(`/reports/${report}/web_pages`, { query }));
  return create<'recheck'>(`/reports/${report}/rechecks`, { web_page_ids: pages.map(({ id }) => id) });
}
