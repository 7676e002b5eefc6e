import { useId } from 'react';
import styles from './screen.module.css';

/** A filter for a day. */
export function DayFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  /** Such as `2026-02-14`; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className={styles.day}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </span>
  );
}
