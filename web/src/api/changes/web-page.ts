import { change, type Item, remove } from '../client.ts';

/** Fetches and checks a page again, for the same credits. */
export function recheckPage(report: string, page: string): Promise<Item<'web_page'>> {
  return change<'web_page'>(`/reports/${report}/web_pages/${page}`, { status: 'pending' });
}

/** Deletes a page, and the report with its last one. */
export function deletePage(report: string, page: string): Promise<void> {
  return remove(`/reports/${report}/web_pages/${page}`);
}
