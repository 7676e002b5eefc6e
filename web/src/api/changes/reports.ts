import type { New } from 'sitewarden-client';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Starts a report.
 * @param attributes those of `POST /reports`, which the service checks
 * @param key makes a repetition after a lost answer start nothing
 */
export function createReport(attributes: object, key?: string): Promise<Item<'report'>> {
  return create<'report'>('/reports', attributes as New<'report'>, key);
}

/** Opens a report to others, or closes it. The answer has its `share_url`. */
export function shareReport(id: string, shared: boolean): Promise<Item<'report'>> {
  return change<'report'>(`/reports/${id}`, { shared });
}

/** Deletes a report with everything in it. */
export function deleteReport(id: string): Promise<void> {
  return remove(`/reports/${id}`);
}
