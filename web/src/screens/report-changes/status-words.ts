import type { PageChange } from 'sitewarden-client/schema';

type Statuses = Pick<PageChange, 'change' | 'http_status' | 'http_status_before' | 'error_code'>;

/** Returns the HTTP status of a page, before and now if both reports have it. */
export function statusWords({
  change,
  http_status: now,
  http_status_before: before,
  error_code: code,
}: Statuses): string {
  const today = now === null ? withoutStatus(code) : String(now);
  return change === 'added' || change === 'removed' ? today : `${before ?? withoutStatus(null)} → ${today}`;
}

/** A mark that its journey did not reach has no status. */
function withoutStatus(code: string | null): string {
  if (code === 'journey_step_failed') return 'step failed';
  return code?.startsWith('journey_') === true ? 'journey failed' : 'no response';
}
