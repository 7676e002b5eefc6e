import { Link } from '@tanstack/react-router';
import { dateTime } from '../lib/formats.ts';
import { useNextRun } from './use-site-runs.ts';

/** What a report without an earlier one says of its diff: which report is compared with it. */
export function LaterReport() {
  const next = useNextRun();
  if (next === undefined)
    return 'This is the first report of the site with these settings. The next one is compared with it.';
  return (
    <>
      This is the first report of the site with these settings. The next one, of{' '}
      <Link to={`/reports/${next.id}/changes`}>{dateTime(next.finished_at ?? next.inserted_at)}</Link>, tells what has
      changed since.
    </>
  );
}
