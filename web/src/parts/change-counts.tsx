import { count } from '../lib/formats.ts';
import styles from './change-counts.module.css';

interface Counts {
  readonly new: number;
  readonly regressed: number;
  readonly found_again: number;
  readonly unverified: number;
  readonly fixed: number;
}

const SHOWN = [
  ['new', '+', 'new', styles.added],
  ['regressed', '↺', 'back', styles.added],
  ['fixed', '−', 'fixed', styles.removed],
  ['unverified', '?', 'not verified', styles.none],
  ['found_again', '◦', 'found again', styles.none],
] as const;

/** What became of occurrences: `+2 ↺1 −9`, or that all are the same. */
export function ChangeCounts({ change }: { readonly change: Counts }) {
  const shown = SHOWN.filter(([name]) => change[name] > 0);
  if (shown.length === 0) return <span className={styles.none}>same</span>;
  return (
    <span className={styles.counts}>
      {shown.map(([name, sign, words, style], index) => (
        <span key={name} className={style} title={`${count(change[name])} ${words}`}>
          <span aria-hidden="true">{sign}</span>
          {count(change[name])}
          <span className="visually-hidden">
            {' '}
            {words}
            {index < shown.length - 1 ? ', ' : ''}
          </span>{' '}
        </span>
      ))}
    </span>
  );
}
