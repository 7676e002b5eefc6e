import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** The attributes that name and describe the control of a field. */
export interface ControlProps {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A control with its label, hint and error. */
export function Field({
  label,
  name,
  hint,
  error,
  isRequired = false,
  children,
}: {
  readonly label: string;
  /** The API name of the attribute, by which errors find the field. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(error === undefined ? [] : [`${id}-error`])];
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        {isRequired ? <span className={styles.required}> (required)</span> : null}
      </label>
      {children({
        id,
        name,
        ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
        ...(error !== undefined && { 'aria-invalid': true }),
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className={styles.error}>
          <span aria-hidden="true">✕ </span>
          {error}
        </p>
      )}
    </div>
  );
}

/** A checkbox with its label. */
export function CheckField({
  label,
  hint,
  ...control
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  /** The value that is sent if the box is checked. */
  readonly value?: string;
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void;
}) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input type="checkbox" id={id} {...control} {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })} />
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
