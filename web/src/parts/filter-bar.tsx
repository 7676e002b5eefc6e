import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './filter-bar.module.css';
import { Options } from './options.tsx';

const typingMs = 250;

/** The filters of a list, and the number of matches. In narrow windows, a button opens the filters. */
export function FilterBar({
  matches,
  isFiltered,
  onClear,
  children,
}: {
  /** The number of matches, such as `128 match`; absent while unknown. */
  readonly matches?: string | undefined;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <search className={styles.bar}>
      <Button className={styles.toggle} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {isFiltered ? 'Filters · on' : 'Filters'}
      </Button>
      <div id={id} className={isOpen ? styles.filters : `${styles.filters} ${styles.closed}`}>
        {children}
      </div>
      <span role="status" className={styles.matches}>
        {matches}
      </span>
      {isFiltered ? (
        <Button look="quiet" onClick={onClear}>
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}

/** A text filter. It applies when typing pauses. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const apply = useRef(onChange);
  apply.current = onChange;
  // Back, forward and "Clear filters" change the value from outside.
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => apply.current(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </span>
  );
}

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
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </span>
  );
}

/** A choice of one value, or any. */
export function ChoiceFilter({
  label,
  value,
  choices,
  any = 'any',
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  /** Values with their titles. */
  readonly choices: readonly (readonly [value: string, title: string])[];
  /** The title of the option without a value. */
  readonly any?: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{any}</option>
        <Options of={choices} />
      </select>
    </span>
  );
}
