import type { ReactNode } from 'react';
import { count } from '../lib/formats.ts';
import styles from './toggles.module.css';

export interface Toggle {
  /** Its value in the URL. */
  readonly value: string;
  readonly title: ReactNode;
  readonly count: number;
}

/** Counts of list items by a property, as filters. Pressed ones are shown; if none is pressed, all are. */
export function Toggles({
  label,
  toggles,
  pressed,
  onChange,
}: {
  /** What the counts refer to, for screen readers. */
  readonly label: string;
  readonly toggles: readonly Toggle[];
  readonly pressed: readonly string[];
  readonly onChange: (pressed: readonly string[]) => void;
}) {
  const flip = (value: string): void =>
    onChange(pressed.includes(value) ? pressed.filter((each) => each !== value) : [...pressed, value]);
  return (
    <fieldset className={styles.toggles}>
      <legend className="visually-hidden">{label}</legend>
      {toggles.map(({ value, title, count: number }) => (
        <button
          key={value}
          type="button"
          className={styles.toggle}
          aria-pressed={pressed.includes(value)}
          onClick={() => flip(value)}
        >
          {count(number)} {title}
        </button>
      ))}
    </fieldset>
  );
}
