import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { shortUrl } from '../../lib/formats.ts';
import { daysOf, startOf } from '../../lib/schedules.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Switch } from '../../parts/switch.tsx';
import { Tags } from '../../parts/tags.tsx';
import { LastRun, NextRun } from '../../report/schedule-runs.tsx';
import { reportName } from '../../report/site-state.ts';
import type { useScheduleChanges } from '../../report/use-schedule-changes.ts';
import styles from './screen.module.css';

type Schedule = Item<'schedule'>;

/** Returns the columns of the list of schedules. */
export function scheduleColumns(changes: ReturnType<typeof useScheduleChanges>): readonly Column<Schedule>[] {
  return [
    {
      key: 'active',
      title: 'On',
      cell: (schedule) => (
        <Switch
          label={`On: ${reportName(schedule)}`}
          isOn={schedule.active}
          onChange={(active) => void changes.setActive(schedule, active)}
        />
      ),
    },
    {
      key: 'site',
      title: 'Site, tags',
      sort: 'starting_url',
      isMain: true,
      cell: (schedule) => (
        <>
          <Link to={`/schedules/${schedule.id}`}>{reportName(schedule)}</Link>{' '}
          {schedule.site_name === '' ? null : <span className="soft small">{shortUrl(schedule.starting_url)} </span>}
          <Tags tags={schedule.tags} />
        </>
      ),
    },
    {
      key: 'when',
      title: 'When',
      cell: (schedule) => (
        <>
          <span>{daysOf(schedule.periodicity)}</span> <span className={styles.start}>{startOf(schedule)}</span>
        </>
      ),
    },
    { key: 'last', title: 'Last run', isNamed: true, cell: (schedule) => <LastRun schedule={schedule} /> },
    {
      key: 'next',
      title: 'Next run',
      sort: 'next_run_at',
      isNamed: true,
      cell: (schedule) => <NextRun schedule={schedule} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (schedule) => (
        <span className={styles.actions}>
          {schedule.deploy_hook_url === undefined ? null : (
            <CopyButton text={schedule.deploy_hook_url} title="Copy hook" />
          )}
          {schedule.active ? (
            <Button aria-label={`Run now: ${reportName(schedule)}`} onClick={() => void changes.runNow(schedule)}>
              Run now
            </Button>
          ) : null}
        </span>
      ),
    },
  ];
}
