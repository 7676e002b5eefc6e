import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import { ago, count, dateTime, percent } from '../../lib/formats.ts';
import { Attention } from '../../report/attention.tsx';
import { ErrorsPerPage, NextSiteRun } from '../../report/site-numbers.tsx';
import { SiteThumbnail } from '../../report/site-thumbnail.tsx';
import styles from './facts.module.css';

/** What a site looks like, and the numbers of its last run. It has the same height before and after the first run. */
export function Facts({
  site,
  canSchedule,
  running,
}: {
  readonly site: Item<'site'>;
  readonly canSchedule: boolean;
  /** The progress of the current run; null without one. */
  readonly running: ReactNode;
}) {
  const [last] = site.runs;
  const counts = last?.now ?? last;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <Attention key="status" site={site} />],
    ['Errors per page', counts?.errors_per_page == null ? null : <ErrorsPerPage key="errors" site={site} />],
    [
      'Pages passing',
      counts === undefined || counts.checked === 0
        ? null
        : `${count(counts.passed)} of ${count(counts.checked)}, ${percent(counts.passed, counts.checked)}%`,
    ],
    ['Last run', running ?? (last === undefined ? null : <LastRun key="last" at={last.finished_at} />)],
    ['Next run', <NextSiteRun key="next" site={site} canSchedule={canSchedule} />],
  ];
  return (
    <div className={styles.facts}>
      <SiteThumbnail site={site} isLarge />
      <dl className={styles.list}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? <span className="soft">–</span>}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function LastRun({ at }: { readonly at: string }) {
  return (
    <time dateTime={`${at}Z`} title={dateTime(at)}>
      {ago(at, new Date())}
    </time>
  );
}
