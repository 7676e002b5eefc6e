import { percent } from '../lib/formats.ts';
import styles from './progress.module.css';

/** A progress bar. */
export function Progress({
  label,
  done,
  whole,
}: {
  readonly label: string;
  readonly done: number;
  readonly whole: number;
}) {
  return (
    <span className={styles.progress}>
      <progress aria-label={label} value={done} max={Math.max(whole, 1)} />
      <span aria-hidden="true">{percent(done, whole)}%</span>
    </span>
  );
}
