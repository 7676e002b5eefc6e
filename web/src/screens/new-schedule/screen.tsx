import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { hasPro, reportDefaults } from 'sitewarden-client/report-defaults';
import { createSchedule } from '../../api/changes/schedules.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { scheduleQuery } from '../../api/queries/schedules.ts';
import { ReportForm } from '../../forms/report-form/report-form.tsx';
import { ScheduleFields, scheduleIn } from '../../forms/report-form/schedule-fields.tsx';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import type { ShownPeriodicity } from '../../lib/schedules.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CredentialsAgain } from '../../report/credentials-again.tsx';
import { type Copied, useCopied } from '../../report/use-copied.ts';

/** Creates a schedule, optionally with the settings of a site or a report. */
export function NewScheduleScreen() {
  const { search } = useSearchState('/schedules/new');
  const account = useQuery(accountQuery);
  const installation = useQuery(installationQuery);
  const copied = useCopied(search);
  return (
    <>
      <PageHead title="New schedule" back={<Link to="/schedules">‹ Schedules</Link>}>
        {copied?.data === undefined ? null : <CopiedFrom copied={copied.data} />}
      </PageHead>
      <QueryView query={account}>
        {(data) =>
          !hasPro(data) ? (
            <EmptyState title="Your plan does not include schedules">
              <p>The operator of this installation can change your plan.</p>
            </EmptyState>
          ) : (
            <QueryView query={installation}>
              {({ schedule_time: scheduleTime }) =>
                copied === null ? (
                  <Form account={data} initial={reportDefaults(data)} scheduleTime={scheduleTime} />
                ) : (
                  <QueryView query={copied}>
                    {(source) => (
                      <Form
                        key={source.path}
                        account={data}
                        initial={source.settings}
                        scheduleTime={scheduleTime}
                        copied={source}
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

function CopiedFrom({ copied: { name, path, site } }: { readonly copied: Copied }) {
  return (
    <span>
      {site === null ? 'Settings copied from a report of ' : 'A schedule with the settings of the site '}
      {site === null ? name : <Link to={path}>{name}</Link>}
    </span>
  );
}

function Form({
  account,
  initial,
  scheduleTime,
  copied,
}: {
  readonly account: Item<'account'>;
  readonly initial: FormAttributes;
  readonly scheduleTime: string;
  readonly copied?: Copied;
}) {
  const { search } = useSearchState('/schedules/new');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const site = copied?.site ?? null;
  const save = async (attributes: FormAttributes, key: string): Promise<void> => {
    const schedule = await createSchedule({ ...attributes, ...(site !== null && { site_id: site }) }, key);
    queries.setQueryData(scheduleQuery(schedule.id).queryKey, schedule);
    await Promise.all(['schedules', 'sites'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    await navigate({ to: `/schedules/${schedule.id}` });
  };
  return (
    <ReportForm
      account={account}
      initial={initial}
      access={copied === undefined ? null : <CredentialsAgain copied={copied} />}
      fixedAddress={site === null ? undefined : 'A schedule for a site always uses the address of the site.'}
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
