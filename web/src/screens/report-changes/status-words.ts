import { markIn } from 'sitewarden-client/marks';
import type { PageChange } from 'sitewarden-client/schema';

type Statuses = Pick<PageChange, 'url' | 'change' | 'http_status' | 'http_status_before' | 'error_code'>;

/** Returns the HTTP status of a page, before and now if both reports have it. */
export function statusWords({
  url,
  change,
  http_status: now,
  http_status_before: before,
  error_code: code,
}: Statuses): string {
  const today = now === null ? withoutStatus(code) : String(now);
  if (change === 'added' || change === 'removed') return today;
  // Why there was none is not known.
  const withoutBefore = markIn(url) === null ? withoutStatus(null) : 'journey failed';
  return `${before ?? withoutBefore} → ${today}`;
}

/** A mark that its journey did not reach has no status. */
function withoutStatus(code: string | null): string {
  if (code === 'journey_step_failed') return 'step failed';
  return code?.startsWith('journey_') === true ? 'journey failed' : 'no response';
}
