import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { changeSchedule } from '../../api/changes/schedules.ts';
import { tryJourney } from '../../api/changes/sites.ts';
import { type Item, siteIdOf } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { scheduleQuery } from '../../api/queries/schedules.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { ReportForm } from '../../forms/report-form/report-form.tsx';
import { ScheduleFields, scheduleIn } from '../../forms/report-form/schedule-fields.tsx';
import { StoredAccess } from '../../forms/stored-access.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { settingsOf } from '../../lib/report-settings.ts';
import { runsOf, whenOf } from '../../lib/schedules.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Switch } from '../../parts/switch.tsx';
import { useToast } from '../../parts/toast.tsx';
import { LastRun } from '../../report/schedule-runs.tsx';
import { reportName } from '../../report/site-state.ts';
import { useScheduleChanges } from '../../report/use-schedule-changes.ts';
import { DeployHook } from './deploy-hook.tsx';
import styles from './screen.module.css';

/** One schedule: its runs, its deploy hook, and its settings. */
export function ScheduleScreen() {
  const { schedule: id } = usePathParams('/schedules/$schedule');
  const schedule = useQuery(scheduleQuery(id));
  return (
    <>
      {schedule.data === undefined ? (
        <PageHead title="Schedule" back={<Link to="/schedules">‹ Schedules</Link>} />
      ) : null}
      <QueryView query={schedule}>{(data) => <Schedule key={data.id} schedule={data} />}</QueryView>
    </>
  );
}

function Schedule({ schedule }: { readonly schedule: Item<'schedule'> }) {
  const account = useQuery(accountQuery);
  const installation = useQuery(installationQuery);
  const changes = useScheduleChanges();
  const navigate = useNavigate();
  const name = reportName(schedule);
  const remove = async (): Promise<void> => {
    await changes.remove(schedule);
    await navigate({ to: '/schedules' });
  };
  return (
    <>
      <PageHead
        title={name}
        back={<Link to="/schedules">‹ Schedules</Link>}
        actions={
          <>
            {schedule.active ? <Button onClick={() => void changes.runNow(schedule)}>Run now</Button> : null}
            <AskButton
              label="Delete…"
              look="danger"
              title={`Delete the schedule of ${name}?`}
              action="Delete"
              run={remove}
            >
              <p>Its deploy hook stops working. Its reports are kept.</p>
            </AskButton>
          </>
        }
      >
        <span className={styles.state}>
          <Switch label="On" isOn={schedule.active} onChange={(active) => void changes.setActive(schedule, active)} />
          {schedule.active ? `Runs ${whenOf(schedule)}` : 'Paused'}
        </span>
      </PageHead>
      <Runs schedule={schedule} />
      {schedule.deploy_hook_url === undefined ? null : (
        <DeployHook schedule={schedule} url={schedule.deploy_hook_url} />
      )}
      <Section title="Settings">
        <QueryView query={account}>
          {(data) => (
            <QueryView query={installation}>
              {({ schedule_time: time }) => <Form account={data} schedule={schedule} scheduleTime={time} />}
            </QueryView>
          )}
        </QueryView>
      </Section>
    </>
  );
}

function Form({
  account,
  schedule,
  scheduleTime,
}: {
  readonly account: Item<'account'>;
  readonly schedule: Item<'schedule'>;
  readonly scheduleTime: string;
}) {
  const queries = useQueryClient();
  const say = useToast();
  const [saved, setSaved] = useState(0);
  const site = siteIdOf(schedule);
  const save = async (attributes: FormAttributes): Promise<void> => {
    queries.setQueryData(scheduleQuery(schedule.id).queryKey, await changeSchedule(schedule.id, attributes));
    await Promise.all(['schedules', 'sites'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    say('Saved.');
    setSaved(saved + 1);
  };
  return (
    <ReportForm
      // The entered credentials are stored now, and their fields are empty again.
      key={saved}
      account={account}
      initial={settingsOf(schedule)}
      {...(site !== undefined && {
        tryJourney: (journey: object) => tryJourney(site, journey, schedule.id),
      })}
      access={schedule.signs_in ? <StoredAccess isUnreadable={schedule.needs_credentials} /> : null}
      more={{
        fieldsFor: (errorOf) => (
          <ScheduleFields times={schedule} failOn={schedule.fail_on} scheduleTime={scheduleTime} errorOf={errorOf} />
        ),
        read: scheduleIn,
      }}
      asksToLeave
      priceTitle="Maximum cost per run"
      submitTitle="Save"
      onSubmit={save}
    />
  );
}

/** The number of next runs to show. */
const shownMax = 3;

/** The last run of a schedule and the next three. */
function Runs({ schedule }: { readonly schedule: Item<'schedule'> }) {
  const { next_runs: next, active } = schedule;
  const runs = next?.slice(0, shownMax) ?? [];
  const site = siteIdOf(schedule);
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
          {!active ? 'None: the schedule is paused' : runs.length === 0 ? 'When its deploy hook is called' : null}
          {active && runs.length > 0 ? runsOf(runs, schedule) : null}
        </dd>
      </div>
      <div>
        <dt>All runs</dt>
        <dd className={styles.links}>
          <Link to="/reports" search={{ schedule: schedule.id }}>
            Reports of this schedule
          </Link>
          {site === undefined ? null : <Link to={`/sites/${site}`}>View site</Link>}
        </dd>
      </div>
    </dl>
  );
}
