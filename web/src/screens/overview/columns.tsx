import { Link } from '@tanstack/react-router';
import { severeFreeWords } from 'sitewarden-client/severe-free';
import type { Item } from '../../api/client.ts';
import { ago, count, dateTime, percent, plural, shortUrl } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { ChangeCounts } from '../../parts/change-counts.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Mark, Tags } from '../../parts/tags.tsx';
import { Attention } from '../../report/attention.tsx';
import { ChecksProgress } from '../../report/report-head.tsx';
import { RunState } from '../../report/run-state.tsx';
import { changesAt, ErrorsPerPage, NextSiteRun } from '../../report/site-numbers.tsx';
import { isRunning, newestOf, siteName } from '../../report/site-state.ts';
import { SiteThumbnail } from '../../report/site-thumbnail.tsx';
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
        <span className={styles.site}>
          <SiteThumbnail site={site} />
          <span>
            <span className={styles.name}>
              <Link to={`/sites/${site.id}`} title={site.starting_url}>
                {siteName(site)}
              </Link>
              {site.archived ? <Mark>Archived</Mark> : null}
              <Tags tags={site.tags} />
            </span>
            <Address site={site} difference={differences.get(site.id)} />
          </span>
        </span>
      ),
    },
    {
      key: 'attention',
      title: 'Status',
      sort: 'attention',
      cell: (site) => (
        <span className={styles.attention}>
          <Attention site={site} />
        </span>
      ),
    },
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
    { key: 'errors', title: 'Errors per page', isNumber: true, cell: (site) => <ErrorsPerPage site={site} isColumn /> },
    { key: 'passing', title: 'Pages passing', isNumber: true, cell: (site) => <Passing site={site} /> },
    {
      key: 'next',
      title: 'Next run',
      isNamed: true,
      cell: (site) => <NextSiteRun site={site} canSchedule={canSchedule} />,
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

/** The address of a site that has a name, and how it differs from sites with the same address. */
function Address({ site, difference }: { readonly site: Site; readonly difference: string | undefined }) {
  const address = site.name === '' ? '' : shortUrl(site.starting_url);
  if (address === '' && difference === undefined) return null;
  return (
    <span className={`soft small ${styles.address}`} title={address === '' ? undefined : site.starting_url}>
      {[address, difference ?? ''].filter((text) => text !== '').join(' · ')}
    </span>
  );
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
      <RunState run={last} hasWords={last.status !== 'failed' && (last.verdict === 'failed' || last.stopped)} />{' '}
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

/**
 * What the last run changed when it ended, as in the list of runs. Viewers who may see only some kinds of check see the current
 * changes.
 */
function Change({ site: { change: changeNow, runs } }: { readonly site: Site }) {
  const [last] = runs;
  const change = last?.change ?? changeNow;
  if (change === null || last === undefined) return null;
  // If little was checked, missing changes mean nothing.
  if (last.stopped && change.new + change.regressed + change.fixed === 0) return null;
  return (
    <Link
      to={`/reports/${last.report_id}/changes`}
      search={last.change === null ? changesAt(last) : {}}
      className={styles.quiet}
    >
      <ChangeCounts change={change} />
    </Link>
  );
}

function Passing({ site: { runs } }: { readonly site: Site }) {
  const [last] = runs;
  if (last === undefined) return null;
  const { passed, checked, severe_free: free } = last.now ?? last;
  if (checked === 0) return null;
  return (
    <span className={styles.passing}>
      <span className={styles.nowrap}>
        {count(passed)} of {count(checked)}
      </span>{' '}
      <span className="soft">{last.stopped ? 'checked' : `${percent(passed, checked)}%`}</span>
      {free === null || passed === checked ? null : (
        <span className={`soft small ${styles.severe}`}>{severeFreeWords(free)}</span>
      )}
    </span>
  );
}
