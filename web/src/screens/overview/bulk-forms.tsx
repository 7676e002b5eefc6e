import { useQuery } from '@tanstack/react-query';
import { CHECK_KINDS, REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../../api/client.ts';
import { devicesQuery } from '../../api/queries/devices.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { ScheduleFields, scheduleIn } from '../../forms/report-form/schedule-fields.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { count } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { CheckGroup } from '../../parts/check-group.tsx';
import { Field } from '../../parts/field.tsx';
import { Options } from '../../parts/options.tsx';
import styles from './bulk.module.css';

/** The fields of actions on several sites, and the attributes of `POST /bulk_updates` in them. */

type Site = Item<'site'>;

const UNCHANGED = 'as it is';

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

/** The settings that sites most often have in common. Fields that stay empty change nothing. */
export function SettingFields({ account, errorOf }: { readonly account: Item<'account'>; readonly errorOf: ErrorOf }) {
  const isPro = hasPro(account);
  const devices = useQuery({ ...devicesQuery, enabled: isPro });
  const device = REPORT_ATTRIBUTES.device_id;
  return (
    <>
      <p>
        Empty fields change nothing. Existing reports keep their settings. Schedules change with the site, except where
        they have other settings.
      </p>
      <Field
        label={REPORT_ATTRIBUTES.max_pages.label}
        name="max_pages"
        hint={`Up to ${count(account.limits.max_pages)}.`}
        error={errorOf('max_pages')}
      >
        {(control) => <input type="text" inputMode="numeric" autoComplete="off" {...control} />}
      </Field>
      <fieldset className={styles.checks}>
        <legend>Checks</legend>
        {CHECK_KINDS.filter((kind) => isPro || !REPORT_ATTRIBUTES[`perform_${kind}_checks`].isPro).map((kind) => {
          const name = `perform_${kind}_checks` as const;
          return (
            <Field key={kind} label={REPORT_ATTRIBUTES[name].label} name={name} error={errorOf(name)}>
              {(control) => (
                <select {...control}>
                  <option value="">{UNCHANGED}</option>
                  <Options of={SWITCH} />
                </select>
              )}
            </Field>
          );
        })}
      </fieldset>
      {isPro ? (
        <Field label={device.label} name="device_id" error={errorOf('device_id')}>
          {(control) => (
            <select {...control}>
              <option value="">{UNCHANGED}</option>
              <option value="default">Default, 800×600</option>
              {(devices.data ?? []).map(({ id, name, width, height }) => (
                <option key={id} value={id}>
                  {name}, {width}×{height}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      <Field label="Notes" name="notes" hint="Replaces the notes of all these sites." error={errorOf('notes')}>
        {(control) => <textarea rows={3} {...control} />}
      </Field>
    </>
  );
}

const SWITCH = [
  ['true', 'on'],
  ['false', 'off'],
] as const;

export function settingsIn(fields: FormData): object {
  const given = [...fields].flatMap(([name, value]): [string, unknown][] => {
    const text = String(value).trim();
    if (text === '') return [];
    if (name === 'max_pages') return [[name, /^\d+$/.test(text) ? Number(text) : text]];
    return [[name, name.startsWith('perform_') ? text === 'true' : text]];
  });
  return { change: Object.fromEntries(given) };
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
