import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CHECK_KINDS, REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../../api/client.ts';
import { devicesQuery } from '../../api/queries/devices.ts';
import { CONSENT_OPTIONS } from '../../forms/consent-options.ts';
import { NO_STANDARD_TITLE, STANDARD_OPTIONS } from '../../forms/standard-fields.tsx';
import type { ErrorOf } from '../../forms/use-form.tsx';
import { count } from '../../lib/formats.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import { Options } from '../../parts/options.tsx';
import styles from './bulk.module.css';

/** The settings that can be changed for several sites at once. Fields that stay empty change nothing. */

type Name = keyof typeof REPORT_ATTRIBUTES;

/** The less common settings, in the sections of the form of a report. */
const SECTIONS: readonly (readonly [title: string, names: readonly Name[]])[] = [
  ['Inclusions and exclusions', ['inclusions', 'exclusions']],
  [
    'Crawling',
    [
      'rate_limit',
      'deep_crawl',
      'prefer_canonical_urls',
      'respect_robots_txt',
      'block_writes',
      'reuse',
      'dynamic_crawler',
      'wait_for',
      'explore_states',
      'consent',
      'initial_urls',
    ],
  ],
  ['Storage', ['store_screenshots', ...CHECK_KINDS.map((kind) => `store_raw_${kind}_checks` as const)]],
  ['Share', ['shared']],
];

/** The prefix of the name of a box that empties a field. */
const EMPTY = 'empty_';

const UNCHANGED = 'no change';
const SWITCH = [
  ['true', 'on'],
  ['false', 'off'],
] as const;

interface FieldsProps {
  readonly account: Item<'account'>;
  readonly errorOf: ErrorOf;
}

export function SettingFields(props: FieldsProps) {
  const { account, errorOf } = props;
  const isPro = hasPro(account);
  const offered = (names: readonly Name[]) => names.filter((name) => isPro || !REPORT_ATTRIBUTES[name].isPro);
  const field = (name: Name): ReactNode => <SettingField key={name} name={name} {...props} />;
  return (
    <>
      <p>
        Empty fields change nothing. Existing reports keep their settings. Schedules change with the site, except where
        they have other settings.
      </p>
      {field('max_pages')}
      <fieldset className={styles.checks}>
        <legend>Checks</legend>
        {offered(CHECK_KINDS.map((kind) => `perform_${kind}_checks` as const)).map(field)}
      </fieldset>
      {offered(['standard', 'best_practices', 'device_id', 'device_rotated']).map(field)}
      <Field label="Notes" name="notes" hint="Replaces the notes of all these sites." error={errorOf('notes')}>
        {(control) => <textarea rows={3} {...control} />}
      </Field>
      {SECTIONS.map(([title, names]) => {
        const shown = offered(names);
        if (shown.length === 0) return null;
        const isFaulty = shown.some((name) => errorOf(name) !== undefined);
        return (
          <details key={title} className={styles.section} {...(isFaulty && { open: true })}>
            <summary>{title}</summary>
            <div className={styles.settings}>{shown.map(field)}</div>
          </details>
        );
      })}
    </>
  );
}

function SettingField({ name, account, errorOf }: FieldsProps & { readonly name: Name }) {
  const { label, field } = REPORT_ATTRIBUTES[name];
  const error = errorOf(name);
  if (field === 'device') return <DeviceField error={error} />;
  if (name === 'consent') return <ConsentField error={error} />;
  if (field === 'choice') return <StandardField error={error} />;
  if (field === 'flag') {
    return (
      <Field label={label} name={name} error={error}>
        {(control) => (
          <select {...control}>
            <option value="">{UNCHANGED}</option>
            <Options of={SWITCH} />
          </select>
        )}
      </Field>
    );
  }
  if (field === 'number') {
    const max = account.limits[name === 'rate_limit' ? 'rate_limit' : 'max_pages'];
    return (
      <Field label={label} name={name} hint={`Up to ${count(max)}.`} error={error}>
        {(control) => <input type="text" inputMode="numeric" autoComplete="off" {...control} />}
      </Field>
    );
  }
  const isList = field === 'lines';
  return (
    <>
      <Field
        label={label}
        name={name}
        hint={isList ? 'One per line. Replaces the list of each site.' : 'A CSS selector, such as main[data-ready].'}
        error={error}
      >
        {(control) =>
          isList ? <textarea rows={3} spellCheck={false} {...control} /> : <input spellCheck={false} {...control} />
        }
      </Field>
      <CheckField label={`Clear “${label}”`} name={`${EMPTY}${name}`} />
    </>
  );
}

function DeviceField({ error }: { readonly error: string | undefined }) {
  const devices = useQuery(devicesQuery);
  return (
    <Field label={REPORT_ATTRIBUTES.device_id.label} name="device_id" error={error}>
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
  );
}

/** Stands for no standard, because an empty field changes nothing. */
const NO_CHOICE = 'none';

function StandardField({ error }: { readonly error: string | undefined }) {
  return (
    <Field label={REPORT_ATTRIBUTES.standard.label} name="standard" error={error}>
      {(control) => (
        <select {...control}>
          <option value="">{UNCHANGED}</option>
          <option value={NO_CHOICE}>{NO_STANDARD_TITLE}</option>
          <Options of={STANDARD_OPTIONS} />
        </select>
      )}
    </Field>
  );
}

function ConsentField({ error }: { readonly error: string | undefined }) {
  return (
    <Field label={REPORT_ATTRIBUTES.consent.label} name="consent" error={error}>
      {(control) => (
        <select {...control}>
          <option value="">{UNCHANGED}</option>
          <option value={NO_CHOICE}>Leave them open</option>
          <Options of={CONSENT_OPTIONS} />
        </select>
      )}
    </Field>
  );
}

/** Returns the attributes for `POST /bulk_updates` from the fields. Invalid numbers are left to the service. */
export function settingsIn(fields: FormData): object {
  const given = [...fields].flatMap(([name, value]): [string, unknown][] => {
    const text = String(value).trim();
    if (name.startsWith(EMPTY)) return [emptied(name.slice(EMPTY.length))];
    return text === '' ? [] : [[name, isSetting(name) ? settingOf(name, text) : text]];
  });
  return { change: Object.fromEntries(given) };
}

function isSetting(name: string): name is Name {
  return Object.hasOwn(REPORT_ATTRIBUTES, name);
}

function emptied(name: string): [string, unknown] {
  return [name, isSetting(name) && REPORT_ATTRIBUTES[name].field === 'lines' ? [] : null];
}

function settingOf(name: Name, text: string): unknown {
  switch (REPORT_ATTRIBUTES[name].field) {
    case 'flag':
      return text === 'true';
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'choice':
      return text === NO_CHOICE ? null : text;
    case 'lines':
      return text.split('\n').flatMap((line) => line.trim() || []);
    default:
      return text;
  }
}
