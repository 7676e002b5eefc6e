import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { LastRun } from '../../frame/schedule-runs.tsx';
import { dateTime } from '../../lib/formats.ts';
import styles from './screen.module.css';

/** The next runs that are shown. */
const shownMax = 3;

/** The last run of a schedule and the next three. */
export function Runs({ schedule }: { readonly schedule: Item<'schedule'> }) {
  const { next_runs: next, active, related } = schedule;
  const runs = next?.slice(0, shownMax) ?? [];
  const site = related.site?.split('/').at(-1);
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Last run</dt>
        <dd>
          <LastRun schedule={schedule} />
        </dd>
      </div>
      <div>
        <dt>Next runs</dt>
        <dd>
          {!active ? 'None: it is paused' : runs.length === 0 ? 'When its deploy hook is called' : null}
          {active ? runs.map(dateTime).join(' · ') : null}
        </dd>
      </div>
      <div>
        <dt>All runs</dt>
        <dd className={styles.links}>
          <Link to="/reports" search={{ schedule: schedule.id }}>
            Reports of this schedule
          </Link>
          {site === undefined ? null : <Link to={`/sites/${site}`}>The site</Link>}
        </dd>
      </div>
    </dl>
  );
}
