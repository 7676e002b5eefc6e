import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hasPro } from 'sitewarden-client/report-defaults';
import { canAcknowledge } from 'sitewarden-client/site-attention';
import { changeSite } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { schedulesQuery } from '../../api/queries/schedules.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { shortUrl } from '../../lib/formats.ts';
import { whenOf } from '../../lib/schedules.ts';
import { QueryView } from '../../live/query-view.tsx';
import { useChange } from '../../live/use-change.ts';
import { usePathParams } from '../../live/use-route.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Mark, Tags } from '../../parts/tags.tsx';
import { ReportState } from '../../report/report-head.tsx';
import { NextRun } from '../../report/schedule-runs.tsx';
import { isOwn, isRunning, newestOf, siteName } from '../../report/site-state.ts';
import { useRunSites } from '../../report/use-run-again.ts';
import { Facts } from './facts.tsx';
import { Runs } from './runs.tsx';
import styles from './screen.module.css';

/** One site: its trend, its runs, and its schedules. */
export function SiteScreen() {
  const { site: id } = usePathParams('/sites/$site');
  const site = useQuery(siteQuery(id));
  return (
    <>
      {site.data === undefined ? <PageHead title="Site" back={<Link to="/">‹ Overview</Link>} /> : null}
      <QueryView query={site}>{(data) => <Site site={data} />}</QueryView>
    </>
  );
}

function Site({ site }: { readonly site: Item<'site'> }) {
  const account = useQuery(accountQuery);
  const newest = newestOf(site);
  const running = isRunning(site) ? <RunningNow report={newest} /> : null;
  // Only the guest can schedule the site of a guest.
  const canSchedule = account.data !== undefined && hasPro(account.data) && isOwn(site);
  return (
    <>
      <PageHead
        title={siteName(site)}
        back={<Link to="/">‹ Overview</Link>}
        actions={
          <>
            {newest === '' ? null : <RunActions site={site} canSchedule={canSchedule} />}
            {newest === '' ? null : (
              <Link to={`/sites/${site.id}/fixed`} className={buttonClass()}>
                What was fixed
              </Link>
            )}
            {isOwn(site) ? (
              <>
                <Acknowledge site={site} />
                <Link to="/sharing" search={{ site: site.id }} className={buttonClass()}>
                  Share
                </Link>
                <Link to={`/sites/${site.id}/settings`} className={buttonClass()}>
                  Settings
                </Link>
              </>
            ) : null}
          </>
        }
      >
        <span className={styles.state}>
          {site.name === '' ? null : <span className={styles.address}>{shortUrl(site.starting_url)}</span>}
          {site.archived ? <Mark>Archived</Mark> : null}
          <Tags tags={site.tags} />
        </span>
      </PageHead>
      {newest === '' ? null : <Facts site={site} canSchedule={canSchedule} running={running} />}
      {site.notes === '' ? null : <p className={styles.notes}>{site.notes}</p>}
      {newest === '' ? <NotChecked site={site} canSchedule={canSchedule} /> : <Runs site={site} running={running} />}
      {canSchedule ? <SiteSchedules site={site} /> : null}
      {canSchedule ? (
        <p>
          <Link to={`/sites/${site.id}/decisions`}>Decisions</Link> about issues of this site
        </p>
      ) : null}
    </>
  );
}

interface ActionProps {
  readonly site: Item<'site'>;
  readonly canSchedule: boolean;
}

/** What can be done with a site that has reports. */
function RunActions({ site, canSchedule }: ActionProps) {
  const runSites = useRunSites();
  return (
    <>
      {/* Stays while a run is in progress, so that the other actions don't move when it ends. */}
      <Button disabled={isRunning(site)} onClick={() => void runSites([site])}>
        Run again
      </Button>
      <Link
        to="/reports/new"
        // A host can only copy the settings of the guest's reports.
        search={isOwn(site) ? { site: site.id } : { from: newestOf(site) }}
        className={buttonClass()}
      >
        Edit and run
      </Link>
      {canSchedule ? <NewSchedule site={site} /> : null}
    </>
  );
}

/** Marks the errors of a site as known to its owner, so that it no longer needs attention. */
function Acknowledge({ site }: Pick<ActionProps, 'site'>) {
  const queries = useQueryClient();
  const change = useChange();
  if (!canAcknowledge(site)) return null;
  const acknowledge = async (): Promise<void> => {
    await changeSite(site.id, { acknowledged: true });
    await queries.invalidateQueries({ queryKey: ['sites'] });
  };
  return <Button onClick={() => void change(acknowledge)}>Acknowledge</Button>;
}

function NewSchedule({ site }: Pick<ActionProps, 'site'>) {
  return (
    <Link to="/schedules/new" search={{ site: site.id }} className={buttonClass()}>
      New schedule
    </Link>
  );
}

/** Replaces the runs of a site without reports. */
function NotChecked({ site, canSchedule }: ActionProps) {
  const runSites = useRunSites();
  return (
    <EmptyState title="This site has not been checked yet">
      <p className={styles.start}>
        <Button look="main" onClick={() => void runSites([site])}>
          Run now
        </Button>
        {canSchedule ? <NewSchedule site={site} /> : null}
      </p>
    </EmptyState>
  );
}

function RunningNow({ report: id }: { readonly report: string }) {
  const report = useQuery(reportQuery(id));
  return (
    <Link to={`/reports/${id}`}>
      {report.data === undefined ? 'Running' : <ReportState open={{ report: report.data }} />}
    </Link>
  );
}

function SiteSchedules({ site }: { readonly site: Item<'site'> }) {
  const schedules = useQuery(schedulesQuery({ 'filter[site_id]': site.id, 'page[size]': 100 }));
  return (
    <Section title="Schedules">
      <QueryView query={schedules} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">None. Runs are started manually.</p>
          ) : (
            <ul className={styles.list}>
              {items.map((schedule) => (
                <li key={schedule.id}>
                  <Link to={`/schedules/${schedule.id}`}>Runs {whenOf(schedule)}</Link>, next:{' '}
                  {site.archived ? (
                    <span className="soft">paused while the site is archived</span>
                  ) : (
                    <NextRun schedule={schedule} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}
