import type { New } from 'sitewarden-client';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Starts a report.
 * @param attributes the attributes of `POST /reports`, which the service validates
 * @param key prevents a second report if the request is repeated because the response was lost
 */
export function createReport(attributes: object, key?: string): Promise<Item<'report'>> {
  return create<'report'>('/reports', attributes as New<'report'>, key);
}

/** Starts or stops sharing a report. The response contains its `share_url`. */
export function shareReport(id: string, shared: boolean): Promise<Item<'report'>> {
  return change<'report'>(`/reports/${id}`, { shared });
}

/** Measures a report against another standard. */
export function measureReport(
  id: string,
  measure: Pick<Item<'report'>, 'standard' | 'best_practices'>,
): Promise<Item<'report'>> {
  return change<'report'>(`/reports/${id}`, measure);
}

/** Deletes a report with its pages and issues. */
export function deleteReport(id: string): Promise<void> {
  return remove(`/reports/${id}`);
}
