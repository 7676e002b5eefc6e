import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../api/client.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { ScheduleFields, scheduleIn } from '../../forms/report-form/schedule-fields.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { count } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { CheckGroup } from '../../parts/check-group.tsx';
import { Field } from '../../parts/field.tsx';

/** The fields of actions on several sites, and the attributes of `POST /bulk_updates` in them. */

type Site = Item<'site'>;

export function TagFields({ sites, errorOf }: { readonly sites: readonly Site[]; readonly errorOf: ErrorOf }) {
  const tags = tagsOf(sites);
  return (
    <>
      <Field label="Add tags" name="add_tags" hint="Separated by commas." error={errorOf('add_tags')}>
        {(control) => <input {...control} />}
      </Field>
      {tags.length === 0 ? null : (
        <CheckGroup
          legend="Remove tags"
          name="remove_tags"
          choices={tags.map(([tag, number]) => [tag, number === sites.length ? tag : `${tag} (${count(number)})`])}
          chosen={[]}
        />
      )}
    </>
  );
}

export function tagsIn(fields: FormData): object {
  return { add_tags: String(fields.get('add_tags')), remove_tags: fields.getAll('remove_tags').map(String) };
}

/** Returns the tags of sites with the number of their sites, by name. Case is ignored. */
function tagsOf(sites: readonly Site[]): (readonly [string, number])[] {
  const groups = Map.groupBy(
    sites.flatMap(({ tags }) => tags),
    (tag) => tag.toLowerCase(),
  );
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, spellings]) => [spellings[0] ?? name, spellings.length]);
}

/** When the new schedules run. */
export function TimesFields({ errorOf }: { readonly errorOf: ErrorOf }) {
  const installation = useQuery(installationQuery);
  return (
    <>
      <p>
        Each site gets a schedule with its own settings and credentials. Sites that already have a schedule with these
        times keep it.
      </p>
      <QueryView query={installation}>
        {({ schedule_time: scheduleTime }) => (
          <ScheduleFields
            times={{ id: null, periodicity: { every: 'week' }, time_of_day: null, time_zone: 'UTC', spread: true }}
            failOn={['error']}
            scheduleTime={scheduleTime}
            errorOf={errorOf}
          />
        )}
      </QueryView>
    </>
  );
}

export function timesIn(fields: FormData): object {
  return { schedule: scheduleIn(fields) };
}
