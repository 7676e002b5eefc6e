import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { STANDARDS } from 'sitewarden-client/standards';
import type { Item } from '../api/client.ts';
import { CheckField, Field } from '../parts/field.tsx';
import { Options } from '../parts/options.tsx';
import type { ErrorOf } from './use-form.tsx';

/** The standard that a site, a report or an account is measured against. */
export type Measured = Pick<Item<'account'>, 'standard' | 'best_practices'>;

export const NO_STANDARD_TITLE = 'None: every issue counts';
export const STANDARD_OPTIONS = [...STANDARDS].map(([id, { name }]) => [id, name] as const);

/** The choice of a standard, with or without best practices. */
export function StandardFields({
  initial,
  errorOf,
  label = REPORT_ATTRIBUTES.standard.label,
}: {
  readonly initial: Measured;
  readonly errorOf: ErrorOf;
  readonly label?: string;
}) {
  return (
    <>
      <Field
        label={label}
        name="standard"
        hint="With a standard, accessibility issues of other rules are listed separately and don’t count."
        error={errorOf('standard')}
      >
        {(control) => (
          <select defaultValue={initial.standard ?? ''} {...control}>
            <option value="">{NO_STANDARD_TITLE}</option>
            <Options of={STANDARD_OPTIONS} />
          </select>
        )}
      </Field>
      <CheckField
        label={REPORT_ATTRIBUTES.best_practices.label}
        name="best_practices"
        defaultChecked={initial.best_practices}
      />
    </>
  );
}

/** Reads the choice in a form. The service validates the name. */
export function measureIn(fields: FormData): Measured {
  const standard = String(fields.get('standard') ?? '');
  return {
    standard: standard === '' ? null : (standard as Measured['standard']),
    best_practices: fields.has('best_practices'),
  };
}
