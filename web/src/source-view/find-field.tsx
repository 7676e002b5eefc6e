import { type RefObject, useId } from 'react';
import { count } from '../lib/formats.ts';
import { Button } from '../parts/button.tsx';
import styles from './source-view.module.css';

/** Finds text in the whole source. The find of the browser misses lines that are not drawn. */
export function FindField({
  field,
  text,
  found,
  current,
  onChange,
  onGo,
}: {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly text: string;
  /** Number of places found. */
  readonly found: number;
  /** Which of them is shown, from 0. */
  readonly current: number;
  readonly onChange: (text: string) => void;
  /** Goes to the next place found, or the one before. */
  readonly onGo: (step: 1 | -1) => void;
}) {
  const id = useId();
  return (
    <search className={styles.find}>
      <label htmlFor={id}>Find in source</label>
      <input
        ref={field}
        id={id}
        type="search"
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onGo(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className={styles.soft}>
        {text === '' ? '' : found === 0 ? 'not found' : `${count(current + 1)} of ${count(found)}`}
      </span>
      {found > 1 ? (
        <>
          <Button look="quiet" aria-label="Previous match" onClick={() => onGo(-1)}>
            ↑
          </Button>
          <Button look="quiet" aria-label="Next match" onClick={() => onGo(1)}>
            ↓
          </Button>
        </>
      ) : null}
    </search>
  );
}
