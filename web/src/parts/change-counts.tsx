import { Fragment } from 'react';
import { CHANGE_WORDS, type DecisionEffects, OTHER_CHANGES } from 'sitewarden-client/changes';
import { CHANGE_SIGNS } from '../lib/change-signs.ts';
import { count } from '../lib/formats.ts';
import styles from './change-counts.module.css';

interface Counts extends Readonly<Record<(typeof OTHER_CHANGES)[number], number>> {
  readonly decided?: DecisionEffects;
}

interface Shown {
  readonly name: string;
  readonly sign: string;
  readonly howMany: number;
  readonly words: string;
  readonly style: string | undefined;
}

const STYLES: Readonly<Record<(typeof OTHER_CHANGES)[number], string | undefined>> = {
  new: styles.added,
  regressed: styles.added,
  not_checked_before: styles.none,
  fixed: styles.removed,
  unverified: styles.none,
};

/** The decisions that can be the cause of a change. */
const BY_DECISION: Partial<Record<(typeof OTHER_CHANGES)[number], keyof DecisionEffects>> = {
  not_checked_before: 'not_an_error_before',
  unverified: 'not_an_error',
};

/** The changes of occurrences: `+2 ↺1 −9`, or `same`. */
export function ChangeCounts({ change }: { readonly change: Counts }) {
  const shown = [...changesIn(change), ...decisionsIn(change)];
  if (shown.length === 0) return <span className={styles.none}>same</span>;
  return (
    <span className={styles.counts}>
      {shown.map(({ name, sign, howMany, words, style }, index) => (
        <Fragment key={name}>
          <span className={style} title={`${count(howMany)} ${words}`}>
            <span aria-hidden="true">{sign}</span>
            {count(howMany)}
            <span className="visually-hidden">
              {' '}
              {words}
              {index < shown.length - 1 ? ', ' : ''}
            </span>
          </span>{' '}
        </Fragment>
      ))}
    </span>
  );
}

function changesIn({ decided, ...change }: Counts): Shown[] {
  return OTHER_CHANGES.filter((name) => change[name] > 0).map((name) => {
    const effect = BY_DECISION[name];
    const because = (effect && decided?.[effect]) ?? 0;
    const words = because > 0 ? `${CHANGE_WORDS[name]}, ${count(because)} by decision` : CHANGE_WORDS[name];
    return { name, sign: CHANGE_SIGNS[name], howMany: change[name], words, style: STYLES[name] };
  });
}

/** Occurrences that are as before, but are or were errors only by a decision. */
function decisionsIn({ decided }: Counts): Shown[] {
  const howMany = (decided?.error ?? 0) + (decided?.error_before ?? 0);
  if (howMany === 0) return [];
  return [{ name: 'decided', sign: '✎', howMany, words: 'changed by decision', style: styles.none }];
}
