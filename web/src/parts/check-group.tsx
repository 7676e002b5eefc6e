import { useId } from 'react';
import styles from './check-group.module.css';
import { CheckField } from './field.tsx';

/** Longer lists scroll. */
const shownMax = 10;

/** A group of checkboxes. */
export function CheckGroup({
  legend,
  name,
  choices,
  chosen,
  error,
  onChange,
}: {
  readonly legend: string;
  /** The API name of the attribute, by which errors find the group. */
  readonly name: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  /** The values that are checked at first. */
  readonly chosen: readonly string[];
  readonly error?: string | undefined;
  readonly onChange?: (value: string, isChosen: boolean) => void;
}) {
  const id = useId();
  return (
    <fieldset className={styles.group} {...(error !== undefined && { 'aria-describedby': id })}>
      <legend>{legend}</legend>
      <div className={choices.length > shownMax ? `${styles.choices} ${styles.long}` : styles.choices}>
        {choices.map(([value, label]) => (
          <CheckField
            key={value}
            label={label}
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
            onChange={({ target }) => onChange?.(value, target.checked)}
          />
        ))}
      </div>
      {error === undefined ? null : (
        <p id={id} className={styles.error}>
          <span aria-hidden="true">✕ </span>
          {error}
        </p>
      )}
    </fieldset>
  );
}
