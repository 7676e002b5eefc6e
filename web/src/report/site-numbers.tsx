import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { Spark } from '../charts/spark.tsx';
import { ahead, average, count, dayOf, plural, zonedTime } from '../lib/formats.ts';
import { SeverityCount } from '../parts/severity.tsx';
import styles from './site-numbers.module.css';
import { isOwn, siteName } from './site-state.ts';

type Site = Item<'site'>;

/** Errors per page now, what runs found when they ended as a trend, and the errors of the whole site. */
export function ErrorsPerPage({
  site,
  isColumn = false,
}: {
  readonly site: Site;
  /** Whether it is a cell of a right-aligned column. */
  readonly isColumn?: boolean;
}) {
  const [last] = site.runs;
  if (last === undefined) return null;
  const { errors_per_page: perPage, errors: all, critical } = last.now ?? last;
  if (perPage === null) return null;
  const trend = site.runs
    .flatMap(({ errors_per_page: errors, stopped }) => (errors === null || stopped ? [] : errors))
    .map((errors) => Math.round(errors * 10) / 10)
    .reverse();
  const words = trend.map(average).join(', ');
  return (
    <span className={isColumn ? `${styles.errors} ${styles.column}` : styles.errors}>
      {trend.length > 1 ? (
        <Spark
          values={trend}
          label={`Errors per page of ${siteName(site)} in the last ${trend.length} runs: ${words}`}
        />
      ) : null}
      <span className={styles.average}>{average(perPage)}</span>
      {all === 0 ? null : (
        <span className={styles.totals}>
          {critical > 0 ? <SeverityCount of="critical" count={critical} /> : null}
          <SeverityCount of="error" count={all} />
        </span>
      )}
    </span>
  );
}

/** When a site is checked next, or a link to schedule it. */
export function NextSiteRun({ site, canSchedule }: { readonly site: Site; readonly canSchedule: boolean }) {
  const { next_run_at: next } = site;
  // The schedules of an archived site do not run.
  if (site.archived) return null;
  if (next !== null)
    return (
      <time dateTime={`${next}Z`} title={zonedTime(next)} className={styles.nowrap}>
        {ahead(next, new Date())}
      </time>
    );
  if (site.runs_on_deploy) return <span className={`soft ${styles.words}`}>on deploy</span>;
  // Only the guest can schedule the site of a guest.
  if (!canSchedule || !isOwn(site)) return null;
  return (
    <Link
      to="/schedules/new"
      search={{ site: site.id }}
      className={styles.nowrap}
      aria-label={`Schedule ${siteName(site)}`}
    >
      Schedule
    </Link>
  );
}

/** Returns the search with which the list of a run's changes shows the current results, as the site does. */
export function changesAt({ now }: Pick<Site['runs'][number], 'now'>): { readonly at?: 'now' } {
  return now === null ? {} : { at: 'now' };
}

/**
 * Returns what got worse on a site and has not been acknowledged, in words, with the path of the list that shows it; empty if
 * nothing did.
 */
export function worseOf({ unacknowledged, runs }: Pick<Site, 'unacknowledged' | 'runs'>) {
  if (unacknowledged === null) return [];
  const { report_id: report, since_report_id: since } = unacknowledged;
  const { new_errors: errors, new_critical: critical, broken_pages: broken } = unacknowledged;
  const path = `/reports/${report}/changes`;
  const run = runs.find(({ report_id: id }) => id === report);
  const at = { ...(run && changesAt(run)), ...(isSincePrevious({ unacknowledged, runs }) ? {} : { with: since }) };
  const words = `${plural(errors, 'new error')}${critical > 0 ? `, ${count(critical)} critical` : ''}`;
  return [
    ...(errors > 0
      ? [{ of: critical > 0 ? 'critical' : 'error', words, path, search: { change: 'new,regressed', ...at } } as const]
      : []),
    ...(broken > 0
      ? [
          {
            of: 'failed',
            words: `${plural(broken, 'page')} broke`,
            path,
            search: { pages: 'broken', ...at },
          } as const,
        ]
      : []),
  ];
}

/** Whether a site got worse in one run only: since the run before it. */
function isSincePrevious({ unacknowledged, runs }: Pick<Site, 'unacknowledged' | 'runs'>): boolean {
  const run = runs.findIndex(({ report_id: id }) => id === unacknowledged?.report_id);
  return runs[run + 1]?.report_id === unacknowledged?.since_report_id;
}

/** Returns the date since which a site has been worse, such as `since 3 Nov`; null if that is the previous run. */
export function sinceWords(site: Pick<Site, 'unacknowledged' | 'runs'>): string | null {
  if (site.unacknowledged === null || isSincePrevious(site)) return null;
  return `since ${dayOf(site.unacknowledged.since)}`;
}
