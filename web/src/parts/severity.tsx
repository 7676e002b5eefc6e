import styles from './severity.module.css';

/** The severity of a finding or the result of a check. Shape, word and color each convey it. */
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
  | 'pending'
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
  pending: ['◌', 'not checked yet'],
  running: ['◌', 'running'],
  failed: ['✕', 'failed'],
};

/** The shape of a severity, for use next to its word. */
export function SeverityGlyph({ of }: { readonly of: Severity }) {
  return (
    <span aria-hidden="true" className={`${styles.glyph} ${styles[of]}`}>
      {SIGNS[of][0]}
    </span>
  );
}

/** Shape and word. With `words={false}`, the word is for screen readers only. */
export function SeverityLabel({ of, words = true }: { readonly of: Severity; readonly words?: boolean }) {
  return (
    <span className={styles.label}>
      <SeverityGlyph of={of} />
      <span className={words ? '' : 'visually-hidden'}>{SIGNS[of][1]}</span>
    </span>
  );
}

/** A shape with a number, such as `■ 7`. Without `words`, screen readers and a tooltip give the word. Zero is dimmed. */
export function SeverityCount({
  of,
  count,
  words = false,
}: {
  readonly of: Severity;
  readonly count: number;
  readonly words?: boolean;
}) {
  const [, word] = SIGNS[of];
  const many = count === 1 ? word : (PLURALS[of] ?? word);
  return (
    <span className={count === 0 ? `${styles.label} ${styles.none}` : styles.label} {...(!words && { title: many })}>
      <SeverityGlyph of={of} />
      {new Intl.NumberFormat('en').format(count)}
      <span className={words ? '' : 'visually-hidden'}> {many}</span>
    </span>
  );
}

/** The words that differ after numbers other than 1. */
const PLURALS: Readonly<Partial<Record<Severity, string>>> = {
  error: 'errors',
  warning: 'warnings',
  review: 'need review',
};

/** A legend of the shapes. */
export function SeverityLegend({ of }: { readonly of: readonly Severity[] }) {
  return (
    <p className={styles.legend}>
      {of.map((severity) => (
        <SeverityLabel key={severity} of={severity} />
      ))}
    </p>
  );
}
