import styles from './severity.module.css';

/** How bad a finding is, or what a check said. Shape, word and color say the same. */
export type Severity =
  | 'critical'
  | 'serious'
  | 'moderate'
  | 'minor'
  | 'error'
  | 'warning'
  | 'review'
  | 'passed'
  | 'unchecked'
  | 'running'
  | 'failed';

const SIGNS: Readonly<Record<Severity, readonly [glyph: string, word: string]>> = {
  critical: ['⬣', 'critical'],
  serious: ['▲', 'serious'],
  moderate: ['◆', 'moderate'],
  minor: ['○', 'minor'],
  error: ['■', 'error'],
  warning: ['△', 'warning'],
  review: ['?', 'needs review'],
  passed: ['✓', 'passes'],
  unchecked: ['·', 'not checked'],
  running: ['◌', 'running'],
  failed: ['✕', 'failed'],
};

/** The shape of a severity, for places where the word stands beside it. */
export function SeverityGlyph({ of }: { readonly of: Severity }) {
  return (
    <span aria-hidden="true" className={`${styles.glyph} ${styles[of]}`}>
      {SIGNS[of][0]}
    </span>
  );
}

/** Shape and word. With `words={false}` the word is for screen readers only. */
export function SeverityLabel({ of, words = true }: { readonly of: Severity; readonly words?: boolean }) {
  return (
    <span className={styles.label}>
      <SeverityGlyph of={of} />
      <span className={words ? '' : 'visually-hidden'}>{SIGNS[of][1]}</span>
    </span>
  );
}

/** A shape with a number, such as `■ 7`, and the word for screen readers. Zero is soft. */
export function SeverityCount({ of, count }: { readonly of: Severity; readonly count: number }) {
  return (
    <span className={count === 0 ? `${styles.label} ${styles.none}` : styles.label}>
      <SeverityGlyph of={of} />
      {new Intl.NumberFormat('en').format(count)}
      <span className="visually-hidden"> {SIGNS[of][1]}</span>
    </span>
  );
}
