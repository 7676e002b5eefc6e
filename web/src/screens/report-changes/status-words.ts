import { markIn } from 'sitewarden-client/marks';
import type { PageChange } from 'sitewarden-client/schema';

type Statuses = Pick<PageChange, 'url' | 'change' | 'http_status' | 'http_status_before'>;

/** Returns the HTTP status of a page, before and now if both reports have it. A mark that was not reached has none. */
export function statusWords({ url, change, http_status: now, http_status_before: before }: Statuses): string {
  const without = markIn(url) === null ? 'no response' : 'not reached';
  const today = now ?? without;
  return change === 'added' || change === 'removed' ? String(today) : `${before ?? without} → ${today}`;
}
