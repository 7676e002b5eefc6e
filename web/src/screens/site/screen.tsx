import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { schedulesQuery } from '../../api/queries/schedules.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { whenOf } from '../../lib/schedules.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Attention } from '../../report/attention.tsx';
import { ReportState } from '../../report/report-head.tsx';
import { NextRun } from '../../report/schedule-runs.tsx';
import { isRunning, newestOf, siteName } from '../../report/site-state.ts';
import { useRunAgain } from '../../report/use-run-again.ts';
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
  const runAgain = useRunAgain();
  const newest = newestOf(site);
  // Only the guest can schedule the site of a guest.
  const canSchedule = account.data !== undefined && hasPro(account.data) && site.related.reports !== undefined;
  return (
    <>
      <PageHead
        title={siteName(site)}
        back={<Link to="/">‹ Overview</Link>}
        actions={
          <>
            {isRunning(site) ? null : <Button onClick={() => void runAgain([newest])}>Run again</Button>}
            <Link to="/reports/new" search={{ from: newest }} className={buttonClass()}>
              Edit and run
            </Link>
            {canSchedule ? (
              <Link to="/schedules/new" search={{ from: newest }} className={buttonClass()}>
                New schedule
              </Link>
            ) : null}
          </>
        }
      >
        <span className={styles.state}>
          <Attention site={site} />
          <Tags tags={site.tags} />
          {isRunning(site) ? <RunningNow report={newest} /> : null}
        </span>
      </PageHead>
      <Runs site={site} />
      {canSchedule ? <SiteSchedules site={site} /> : null}
    </>
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
                  <NextRun schedule={schedule} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}
