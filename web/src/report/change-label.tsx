import { CHANGE_WORDS } from '../lib/change-words.ts';
import styles from './change-label.module.css';

const SIGNS = {
  new: '+',
  regressed: '↺',
  found_again: '◦',
  more: '▴',
  fewer: '▾',
  persisting: '=',
  unverified: '?',
  fixed: '−',
} as const;

/** What became of an issue or an occurrence since the previous report, as a sign and a word. */
export function ChangeLabel({ change }: { readonly change: keyof typeof SIGNS }) {
  return (
    <span className={`${styles.change} ${styles[change]}`}>
      <span aria-hidden="true">{SIGNS[change]}</span> {CHANGE_WORDS[change]}
    </span>
  );
}
