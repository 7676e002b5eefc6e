import { Fragment } from 'react';
import { CHANGE_WORDS, OTHER_CHANGES } from 'sitewarden-client/changes';
import { CHANGE_SIGNS } from '../lib/change-signs.ts';
import { count } from '../lib/formats.ts';
import styles from './change-counts.module.css';

type Counts = Readonly<Record<(typeof OTHER_CHANGES)[number], number>>;

const STYLES: Readonly<Record<keyof Counts, string | undefined>> = {
  new: styles.added,
  regressed: styles.added,
  not_checked_before: styles.none,
  fixed: styles.removed,
  unverified: styles.none,
};

/** The changes of occurrences: `+2 ↺1 −9`, or `same`. */
export function ChangeCounts({ change }: { readonly change: Counts }) {
  const shown = OTHER_CHANGES.filter((name) => change[name] > 0);
  if (shown.length === 0) return <span className={styles.none}>same</span>;
  return (
    <span className={styles.counts}>
      {shown.map((name, index) => (
        <Fragment key={name}>
          <span className={STYLES[name]} title={`${count(change[name])} ${CHANGE_WORDS[name]}`}>
            <span aria-hidden="true">{CHANGE_SIGNS[name]}</span>
            {count(change[name])}
            <span className="visually-hidden">
              {' '}
              {CHANGE_WORDS[name]}
              {index < shown.length - 1 ? ', ' : ''}
            </span>
          </span>{' '}
        </Fragment>
      ))}
    </span>
  );
}
