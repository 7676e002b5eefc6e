import { count } from '../lib/formats.ts';
import styles from './change-counts.module.css';

/** How many places came and went: `+2 −9`, or that all are the same. */
export function ChangeCounts({ added, removed }: { readonly added: number; readonly removed: number }) {
  if (added + removed === 0) return <span className={styles.none}>same</span>;
  return (
    <span className={styles.counts}>
      <span className={added > 0 ? styles.added : styles.none}>
        <span aria-hidden="true">+</span>
        {count(added)}
        <span className="visually-hidden"> new,</span>
      </span>{' '}
      <span className={removed > 0 ? styles.removed : styles.none}>
        <span aria-hidden="true">−</span>
        {count(removed)}
        <span className="visually-hidden"> fixed</span>
      </span>
    </span>
  );
}
