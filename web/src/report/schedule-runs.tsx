import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { ago, ahead, dateTime } from '../lib/formats.ts';
import { runsOf } from '../lib/schedules.ts';
import { ChangeCounts } from '../parts/change-counts.tsx';
import { SeverityGlyph } from '../parts/severity.tsx';
import { NeedsCredentials } from './needs-credentials.tsx';
import { RunState } from './run-state.tsx';
import styles from './schedule-runs.module.css';

type Schedule = Item<'schedule'>;

/** The result of the last run of a schedule, and whether the next one can sign in. */
export function LastRun({ schedule }: { readonly schedule: Schedule }) {
  const { last_run: last, last_run_error: error } = schedule;
  return (
    <span className={styles.run}>
      {schedule.needs_credentials ? <NeedsCredentials path={`/schedules/${schedule.id}`} /> : null}
      {error === null ? null : (
        <span>
          <SeverityGlyph of="failed" /> did not start: {error}
        </span>
      )}
      {last === null ? error === null ? <span className="soft">none yet</span> : null : <Run run={last} />}
    </span>
  );
}

function Run({ run }: { readonly run: NonNullable<Schedule['last_run']> }) {
  const { report_id: report, finished_at: finished, change } = run;
  if (finished === null) {
    return (
      <Link to={`/reports/${report}`}>
        <SeverityGlyph of="running" /> running
      </Link>
    );
  }
  return (
    <span className={styles.ended}>
      <Link to={`/reports/${report}`} className={styles.quiet}>
        <RunState run={run} />{' '}
        <time dateTime={`${finished}Z`} title={dateTime(finished)}>
          {ago(finished, new Date())}
        </time>
      </Link>
      {change === null ? null : (
        <Link to={`/reports/${report}/changes`} className={styles.quiet}>
          <ChangeCounts change={change} />
        </Link>
      )}
    </span>
  );
}

/** The time of the next run of a schedule. */
export function NextRun({ schedule }: { readonly schedule: Schedule }) {
  const { active, next_run_at: next } = schedule;
  if (!active) return <span className="soft">paused</span>;
  if (next === null) return <span className="soft">on demand</span>;
  return (
    <time dateTime={`${next}Z`} title={runsOf([next], schedule)}>
      {ahead(next, new Date())}
    </time>
  );
}
