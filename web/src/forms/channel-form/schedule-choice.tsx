import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasPro } from 'sitewarden-client/report-defaults';
import { accountQuery } from '../../api/queries/account.ts';
import { allSchedulesQuery } from '../../api/queries/schedules.ts';
import { shortUrl } from '../../lib/formats.ts';
import { whenOf } from '../../lib/schedules.ts';
import { QueryView } from '../../live/query-view.tsx';
import { CheckGroup } from '../../parts/check-group.tsx';
import { Field } from '../../parts/field.tsx';
import type { ErrorOf } from '../use-form.tsx';

/** The schedules that a channel is notified about. Empty if the plan has no schedules. */
export function ScheduleChoice({ chosen, errorOf }: { readonly chosen: readonly string[]; readonly errorOf: ErrorOf }) {
  const account = useQuery(accountQuery);
  const isOffered = account.data !== undefined && hasPro(account.data);
  const [about, setAbout] = useState(chosen.length === 0 ? 'all' : 'some');
  const schedules = useQuery({ ...allSchedulesQuery, enabled: isOffered && about === 'some' });
  if (!isOffered) return null;
  return (
    <>
      <Field label="About" name="about">
        {(control) => (
          <select value={about} onChange={({ target }) => setAbout(target.value)} {...control}>
            <option value="all">all reports and schedules</option>
            <option value="some">some schedules</option>
          </select>
        )}
      </Field>
      {about === 'some' ? (
        <QueryView query={schedules} rows={2}>
          {(all) =>
            all.length === 0 ? (
              <p>You have no schedules yet.</p>
            ) : (
              <CheckGroup
                legend="Schedules"
                name="schedule_ids"
                choices={all.map((schedule) => [
                  schedule.id,
                  `${shortUrl(schedule.starting_url)}, ${whenOf(schedule)}`,
                ])}
                chosen={chosen}
                error={errorOf('schedule_ids')}
              />
            )
          }
        </QueryView>
      ) : null}
    </>
  );
}
