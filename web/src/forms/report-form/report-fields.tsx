import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CHECK_KINDS, REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { DESKTOP_DEVICE, hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../../api/client.ts';
import { devicesQuery } from '../../api/queries/devices.ts';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { count } from '../../lib/formats.ts';
import { countsCredits } from '../../live/destinations.ts';
import { CheckField, type ControlProps, Field } from '../../parts/field.tsx';
import { type Measured, StandardFields } from '../standard-fields.tsx';
import type { ErrorOf } from '../use-form.tsx';
import styles from './report-form.module.css';

/** Props that the parts of the form share. */
export interface FieldsProps {
  readonly account: Item<'account'>;
  /** The initial values, as attributes of the API. */
  readonly initial: FormAttributes;
  readonly errorOf: ErrorOf;
}

/** The most common fields of a report. */
export function MainFields({
  account,
  initial,
  errorOf,
  fixedAddress,
  note,
}: FieldsProps & {
  /** Why the address cannot be changed; undefined if it can. */
  readonly fixedAddress: string | undefined;
  /** A note about the address that is entered. */
  readonly note: ReactNode;
}) {
  const { max_pages: pagesMax } = account.limits;
  return (
    <>
      <Field
        label={REPORT_ATTRIBUTES.starting_url.label}
        name="starting_url"
        isRequired={fixedAddress === undefined}
        hint={fixedAddress ?? 'A page, a sitemap or a list of URLs.'}
        error={errorOf('starting_url')}
      >
        {(control) => (
          <input
            type="url"
            inputMode="url"
            autoComplete="url"
            placeholder="https://"
            {...(fixedAddress === undefined ? { 'aria-required': true } : { readOnly: true })}
            defaultValue={textOf(initial['starting_url'])}
            {...control}
          />
        )}
      </Field>
      {note}
      <Field
        label={REPORT_ATTRIBUTES.max_pages.label}
        name="max_pages"
        hint={countsCredits(account) ? `Your plan allows up to ${count(pagesMax)}.` : `Up to ${count(pagesMax)}.`}
        error={errorOf('max_pages')}
      >
        {(control) => <NumberInput control={control} value={initial['max_pages']} max={pagesMax} />}
      </Field>
      <ChecksFields account={account} initial={initial} errorOf={errorOf} />
      <Field
        label={REPORT_ATTRIBUTES.tags.label}
        name="tags"
        hint="Separated by commas. You can filter lists by tag."
        error={errorOf('tags')}
      >
        {(control) => <input defaultValue={listOf(initial['tags']).join(', ')} {...control} />}
      </Field>
    </>
  );
}

/** A positive integer. The service validates the digits, because number fields of browsers discard invalid input. */
export function NumberInput({
  control,
  value,
  max,
}: {
  readonly control: ControlProps;
  readonly value: unknown;
  readonly max: number;
}) {
  return (
    <input
      type="text"
      inputMode="numeric"
      autoComplete="off"
      className={styles.number}
      maxLength={String(max).length + 4}
      defaultValue={textOf(value)}
      {...control}
    />
  );
}

type FlagName = {
  [Name in keyof typeof REPORT_ATTRIBUTES]: (typeof REPORT_ATTRIBUTES)[Name]['field'] extends 'flag' ? Name : never;
}[keyof typeof REPORT_ATTRIBUTES];

/** A setting that is on or off. */
export function FlagField({
  name,
  initial,
  hint,
}: Pick<FieldsProps, 'initial'> & { readonly name: FlagName; readonly hint?: string | undefined }) {
  const { label, default: preset } = REPORT_ATTRIBUTES[name];
  const isOn = (initial[name] ?? preset) === true;
  return <CheckField label={label} name={name} {...(hint !== undefined && { hint })} defaultChecked={isOn} />;
}

function ChecksFields({ account, initial, errorOf }: FieldsProps) {
  const error = CHECK_KINDS.map((kind) => errorOf(`perform_${kind}_checks`)).find(Boolean);
  const isPro = hasPro(account);
  return (
    <fieldset className={styles.group}>
      <legend>Checks</legend>
      <FlagField name="perform_html_checks" initial={initial} />
      {isPro ? (
        <>
          <FlagField name="perform_a11y_checks" initial={initial} />
          <div className={styles.standard}>
            <StandardFields initial={measureOf(initial, account)} errorOf={errorOf} />
          </div>
          <DeviceFields initial={initial} errorOf={errorOf} />
        </>
      ) : (
        <p className={styles.soft}>
          The accessibility check is part of the Pro plan, like devices, inclusions, exclusions, rendering and
          screenshots. The operator of this installation can change your plan.
        </p>
      )}
      <FlagField
        name="perform_link_checks"
        hint="Requests the links of every page to find broken ones."
        initial={initial}
      />
      {error === undefined ? null : <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}

/** Returns what a form starts with: its own choice, or else the account's. */
function measureOf(initial: FormAttributes, account: Item<'account'>): Measured {
  if (!('standard' in initial)) return account;
  return { standard: initial['standard'] as Measured['standard'], best_practices: initial['best_practices'] === true };
}

function DeviceFields({ initial, errorOf }: Pick<FieldsProps, 'initial' | 'errorOf'>) {
  const devices = useQuery(devicesQuery);
  const chosen = textOf(initial['device_id'] ?? 'default');
  return (
    <div className={styles.devices}>
      <Field label={REPORT_ATTRIBUTES.device_id.label} name="device_id" error={errorOf('device_id')}>
        {(control) => (
          // The list arrives after the form: the value is set again once its option exists.
          <select key={devices.data === undefined ? 'default' : 'all'} defaultValue={chosen} {...control}>
            <option value="default">Default, 800×600</option>
            {devices.data === undefined && chosen !== 'default' ? <option value={chosen}>Unchanged</option> : null}
            {groupsOf(devices.data ?? []).map(([label, group]) => (
              <optgroup key={label} label={label}>
                {group.map(({ id, name, width, height }) => (
                  <option key={id} value={id}>
                    {name}, {width}×{height}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      <FlagField name="device_rotated" initial={initial} />
    </div>
  );
}

/** Returns the non-empty groups of devices. The most common desktop comes first. */
function groupsOf(devices: readonly Item<'device'>[]): (readonly [string, readonly Item<'device'>[]])[] {
  const isDesktop = ({ name }: Item<'device'>): boolean => name.startsWith('Desktop ');
  const desktops = devices
    .filter(isDesktop)
    .toSorted((one, other) => Number(other.name === DESKTOP_DEVICE) - Number(one.name === DESKTOP_DEVICE));
  const others = devices.filter((device) => !isDesktop(device));
  const groups = [
    ['Desktop', desktops],
    ['Phones and tablets', others],
  ] as const;
  return groups.filter(([, group]) => group.length > 0);
}

/** Returns a value as the text of a field. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns a value as lines or items. */
export function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
