import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { Spark } from '../../charts/spark.tsx';
import { ago, ahead, count, dateTime, percent, plural, shortUrl } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { ChangeCounts } from '../../parts/change-counts.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { SeverityCount } from '../../parts/severity.tsx';
import { Mark, Tags } from '../../parts/tags.tsx';
import { Attention } from '../../report/attention.tsx';
import { ChecksProgress } from '../../report/report-head.tsx';
import { RunState } from '../../report/run-state.tsx';
import { isOwn, isRunning, newestOf, siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

type Site = Item<'site'>;

/** Returns the columns of the list of sites. */
export function siteColumns({
  running,
  differences,
  canSchedule,
  onRunAgain,
}: {
  /** The running reports, by id. */
  readonly running: ReadonlyMap<string, Item<'report'>>;
  /** The differences between sites with the same starting URL, by id. */
  readonly differences: ReadonlyMap<string, string>;
  readonly canSchedule: boolean;
  readonly onRunAgain: (site: Site) => void;
}): readonly Column<Site>[] {
  return [
    {
      key: 'site',
      title: 'Site, tags',
      sort: 'name',
      isMain: true,
      cell: (site) => (
        <>
          <Link to={`/sites/${site.id}`}>{siteName(site)}</Link>{' '}
          {site.name === '' ? null : <span className="soft small">{shortUrl(site.starting_url)} </span>}
          <span className="soft small">{differences.get(site.id)}</span>
          {site.archived ? <Mark>Archived</Mark> : null}
          <Tags tags={site.tags} />
        </>
      ),
    },
    { key: 'attention', title: 'Status', sort: 'attention', cell: (site) => <Attention site={site} /> },
    {
      key: 'last',
      title: 'Last run',
      sort: 'last_checked_at',
      cell: (site) =>
        newestOf(site) === '' ? null : (
          <span className={styles.run}>
            <LastRun site={site} running={running.get(newestOf(site))} />
          </span>
        ),
    },
    { key: 'change', title: 'Change', cell: (site) => <Change site={site} /> },
    { key: 'errors', title: 'Errors', cell: (site) => <Errors site={site} /> },
    { key: 'passing', title: 'Pages passing', isNumber: true, cell: (site) => <Passing site={site} /> },
    {
      key: 'next',
      title: 'Next run',
      isNamed: true,
      cell: (site) => <NextRun site={site} canSchedule={canSchedule} />,
    },
    {
      key: 'again',
      title: 'Run again',
      cell: (site) =>
        isRunning(site) ? null : (
          <Button look="quiet" aria-label={`${runWords(site)}: ${siteName(site)}`} onClick={() => onRunAgain(site)}>
            {runWords(site)}
          </Button>
        ),
    },
  ];
}

function runWords(site: Site): string {
  return newestOf(site) === '' ? 'Run now' : 'Run again';
}

function LastRun({ site, running }: { readonly site: Site; readonly running: Item<'report'> | undefined }) {
  const [last] = site.runs;
  const newest = newestOf(site);
  if (isRunning(site)) {
    return (
      <Link to={`/reports/${newest}`} className={styles.nowrap}>
        {running === undefined ? 'Running' : <Stage report={running} />}
      </Link>
    );
  }
  if (last === undefined) return null;
  return (
    <Link to={`/reports/${last.report_id}`} className={styles.last}>
      <RunState run={last} hasWords={last.verdict === 'failed' || last.stopped} />{' '}
      <time dateTime={`${last.finished_at}Z`} title={dateTime(last.finished_at)}>
        {ago(last.finished_at, new Date())}
      </time>
    </Link>
  );
}

/** The stage of a running report, in a few words. */
function Stage({ report }: { readonly report: Item<'report'> }) {
  if (report.status === 'checking') return <ChecksProgress report={report} />;
  return report.status === 'pending' ? 'Waiting' : `${plural(report.num_pages, 'page')} found`;
}

function Change({ site: { change, runs } }: { readonly site: Site }) {
  const [last] = runs;
  if (change === null || last === undefined) return null;
  // If little was checked, missing changes mean nothing.
  if (last.stopped && change.new + change.regressed + change.fixed === 0) return null;
  return (
    <Link to={`/reports/${last.report_id}/changes`} className={styles.quiet}>
      <ChangeCounts change={change} />
    </Link>
  );
}

/** The errors now, and their trend, which shows what each run found. */
function Errors({ site: { runs, starting_url: url } }: { readonly site: Site }) {
  const [last] = runs;
  if (last === undefined || last.status === 'failed') return null;
  const { errors, critical } = last.now ?? last;
  const trend = runs
    .filter(({ status, stopped }) => status !== 'failed' && !stopped)
    .map(({ errors }) => errors)
    .reverse();
  return (
    <span className={styles.errors}>
      <SeverityCount of="error" count={errors} />
      {critical > 0 ? <SeverityCount of="critical" count={critical} /> : null}
      {trend.length > 1 ? (
        <Spark
          values={trend}
          label={`Errors of ${shortUrl(url)} in the last ${trend.length} runs: ${trend.join(', ')}`}
        />
      ) : null}
    </span>
  );
}

function Passing({ site: { runs } }: { readonly site: Site }) {
  const [last] = runs;
  if (last === undefined) return null;
  const { passed, checked } = last.now ?? last;
  if (checked === 0) return null;
  return (
    <span>
      {count(passed)} of {count(checked)}
      <span className="soft"> {last.stopped ? 'checked' : `${percent(passed, checked)}%`}</span>
    </span>
  );
}

function NextRun({ site, canSchedule }: { readonly site: Site; readonly canSchedule: boolean }) {
  const { next_run_at: next } = site;
  // The schedules of an archived site do not run.
  if (site.archived) return null;
  if (next !== null)
    return (
      <time dateTime={`${next}Z`} className={styles.nowrap}>
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
