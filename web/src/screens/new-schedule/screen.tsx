import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { hasPro, reportDefaults } from 'sitewarden-client/report-defaults';
import { createSchedule } from '../../api/changes/schedules.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { scheduleQuery } from '../../api/queries/schedules.ts';
import { ReportForm } from '../../forms/report-form/report-form.tsx';
import { ScheduleFields, scheduleIn } from '../../forms/report-form/schedule-fields.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { shortUrl } from '../../lib/formats.ts';
import { settingsOf } from '../../lib/report-settings.ts';
import type { ShownPeriodicity } from '../../lib/schedules.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';

/** Creates a schedule, optionally with the settings of a report. */
export function NewScheduleScreen() {
  const { search } = useSearchState('/schedules/new');
  const from = search.from;
  const account = useQuery(accountQuery);
  const installation = useQuery(installationQuery);
  const copied = useQuery({ ...reportQuery(from ?? ''), enabled: from !== undefined });
  return (
    <>
      <PageHead title="New schedule" back={<Link to="/schedules">‹ Schedules</Link>}>
        {copied.data === undefined ? null : `Settings copied from a report of ${shortUrl(copied.data.starting_url)}`}
      </PageHead>
      <QueryView query={account}>
        {(data) =>
          !hasPro(data) ? (
            <EmptyState title="Your plan does not include schedules">
              <p>Your administrator can change your plan.</p>
            </EmptyState>
          ) : (
            <QueryView query={installation}>
              {({ schedule_time: scheduleTime }) =>
                from === undefined ? (
                  <Form account={data} initial={reportDefaults(data)} scheduleTime={scheduleTime} />
                ) : (
                  <QueryView query={copied}>
                    {(report) => (
                      <Form
                        key={from}
                        account={data}
                        initial={settingsOf(report)}
                        scheduleTime={scheduleTime}
                        signedIn={report.signs_in}
                      />
                    )}
                  </QueryView>
                )
              }
            </QueryView>
          )
        }
      </QueryView>
    </>
  );
}

function Form({
  account,
  initial,
  scheduleTime,
  signedIn = false,
}: {
  readonly account: Item<'account'>;
  readonly initial: FormAttributes;
  readonly scheduleTime: string;
  /** Whether the original report signed in to the site. */
  readonly signedIn?: boolean;
}) {
  const { search } = useSearchState('/schedules/new');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = async (attributes: FormAttributes, key: string): Promise<void> => {
    const schedule = await createSchedule(attributes, key);
    queries.setQueryData(scheduleQuery(schedule.id).queryKey, schedule);
    await Promise.all(['schedules', 'sites'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    await navigate({ to: `/schedules/${schedule.id}` });
  };
  return (
    <ReportForm
      account={account}
      initial={initial}
      access={signedIn ? <p>The original report signed in to the site. Enter the credentials again.</p> : null}
      more={{
        fieldsFor: (errorOf) => (
          <ScheduleFields
            times={{ ...NEW_TIMES, periodicity: rhythmOf(search.every) }}
            failOn={['error']}
            scheduleTime={scheduleTime}
            errorOf={errorOf}
          />
        ),
        read: scheduleIn,
      }}
      priceTitle="Maximum cost per run"
      submitTitle="Save schedule"
      onSubmit={save}
    />
  );
}

const NEW_TIMES = { id: null, time_of_day: null, time_zone: 'UTC', spread: false };

function rhythmOf(every: string | undefined): ShownPeriodicity {
  if (every === 'deploy') return null;
  return { every: every === 'day' || every === 'month' ? every : 'week' };
}
