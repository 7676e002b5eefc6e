import { Link } from '@tanstack/react-router';
import { dateTime } from '../lib/formats.ts';
import { useNextRun } from './use-site-runs.ts';

/** Explains that a report has no earlier report to compare with, and names the later report that is compared with it. */
export function LaterReport() {
  const next = useNextRun();
  if (next === undefined)
    return 'This is the first report of the site with these settings. The next report will be compared with it.';
  return (
    <>
      This is the first report of the site with these settings. The next report, of{' '}
      <Link to={`/reports/${next.id}/changes`}>{dateTime(next.finished_at ?? next.inserted_at)}</Link>, shows what has
      changed since.
    </>
  );
}
