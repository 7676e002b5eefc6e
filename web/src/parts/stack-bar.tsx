import { count, percentages } from '../lib/formats.ts';
import styles from './stack-bar.module.css';

export interface Share {
  readonly of: 'passed' | 'error' | 'failed' | 'pending';
  readonly title: string;
  readonly count: number;
}

/** Shares that consist of checked pages: all percentages of pages refer to these. */
const CHECKED: readonly Share['of'][] = ['passed', 'error'];

/** A bar with shares of pages. Gaps, hatching and the numbers below convey the same as the colors. */
export function StackBar({ label, shares }: { readonly label: string; readonly shares: readonly Share[] }) {
  const whole = shares.reduce((sum, share) => sum + share.count, 0);
  const shown = shares.filter((share) => share.count > 0);
  const checked = shown.filter(({ of }) => CHECKED.includes(of));
  const parts = percentages(checked.map((share) => share.count));
  return (
    <figure>
      <svg className={styles.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {shown.map((share, index) => {
          const before = shown.slice(0, index).reduce((sum, each) => sum + each.count, 0);
          return (
            <rect
              key={share.of}
              className={styles[share.of]}
              x={(before / whole) * 100}
              width={Math.max((share.count / whole) * 100 - 0.4, 0.4)}
              height="1"
            />
          );
        })}
      </svg>
      <figcaption className={styles.numbers}>
        <span className="visually-hidden">{label}: </span>
        {shown.map((share) => (
          <span key={share.of}>
            {count(share.count)} {share.title}
            {checked.includes(share) ? (
              <span className="visually-hidden"> ({parts[checked.indexOf(share)]}% of the checked pages)</span>
            ) : null}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
