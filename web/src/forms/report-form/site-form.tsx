import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import type { FormAttributes } from '../../lib/form-attributes.ts';
import { Field } from '../../parts/field.tsx';
import type { TryJourney } from './journeys-field.tsx';
import styles from './report-form.module.css';
import { ReportForm } from './report-form.tsx';

/** The name, the notes and the settings of a site. */
export function SiteForm({
  account,
  initial,
  name = '',
  notes = '',
  access = null,
  tryJourney,
  asksToLeave = false,
  submitTitle,
  onSubmit,
}: {
  readonly account: Item<'account'>;
  /** The initial settings, as attributes of the API. */
  readonly initial: FormAttributes;
  readonly name?: string;
  readonly notes?: string;
  /** A note about stored credentials for the site, which cannot be shown. */
  readonly access?: ReactNode;
  /** Tries a journey of the site; absent for a new site. */
  readonly tryJourney?: TryJourney;
  /** As in `ReportForm`. */
  readonly asksToLeave?: boolean;
  readonly submitTitle: string;
  readonly onSubmit: (attributes: FormAttributes, key: string) => Promise<void>;
}) {
  return (
    <ReportForm
      account={account}
      initial={initial}
      access={access}
      {...(tryJourney !== undefined && { tryJourney })}
      more={{
        firstFor: (errorOf) => (
          <Field label="Name" name="name" hint="If empty, lists show the address." error={errorOf('name')}>
            {(control) => <input type="text" autoComplete="off" defaultValue={name} {...control} />}
          </Field>
        ),
        fieldsFor: (errorOf) => (
          <Field label="Notes" name="notes" hint="Only you see them." error={errorOf('notes')}>
            {(control) => <textarea rows={3} className={styles.notes} defaultValue={notes} {...control} />}
          </Field>
        ),
        read: (fields) => ({ name: fields.get('name'), notes: fields.get('notes') }),
      }}
      asksToLeave={asksToLeave}
      priceTitle="Maximum cost per run"
      submitTitle={submitTitle}
      onSubmit={onSubmit}
    />
  );
}
