import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isStatus } from 'sitewarden-client/errors';
import type { Item } from '../../api/client.ts';
import { sharedSiteQuery } from '../../api/queries/shared-sites.ts';
import { siteComparisonQuery } from '../../api/queries/site-comparison.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { dateTime, dayOf } from '../../lib/formats.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { DayFilter } from '../../parts/filter-bar.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';

import { ViewLinks } from '../../parts/view-links.tsx';
import { ComparisonView, EndsOfPeriod } from '../../report/comparison-view.tsx';
import { SharedSiteReport } from '../../report/latest-context.tsx';
import { ClosedLink } from '../../report/report-context.tsx';
import { RunErrors, RunPassing } from '../../report/run-counts.tsx';
import { SharedReport } from '../../report/shared-report.tsx';
import { siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

type Site = Item<'shared_site'>;
type Run = Site['runs'][number];

/** A site of a share link of a tag. */
export function LatestSiteScreen() {
  const { secret, site } = usePathParams('/latest/$secret/$site');
  return <SharedSiteScreen secret={secret} id={site} />;
}

/** The newest report of a shared site, with its trend, what was fixed, and earlier reports. */
export function SharedSiteScreen({ secret, id }: { readonly secret: string; readonly id: string }) {
  const site = useQuery(sharedSiteQuery(secret, id));
  if (isStatus(site.error, 401)) return <ClosedLink what="site" />;
  return (
    <QueryView query={site} isScreen>
      {(data) => {
        const [newest] = data.runs;
        if (newest === undefined) return <NotCheckedYet site={data} />;
        return (
          <SharedSiteReport secret={secret} site={data} reportId={newest.report_id}>
            <SharedReport>
              {data.runs.length === 1 ? null : (
                <div className={styles.parts}>
                  <Trend runs={data.runs} />
                  <Changes site={id} />
                </div>
              )}
            </SharedReport>
            <Earlier secret={secret} site={data} />
          </SharedSiteReport>
        );
      }}
    </QueryView>
  );
}

function NotCheckedYet({ site }: { readonly site: Site }) {
  return (
    <>
      <PageHead title={siteName(site)} />
      <EmptyState title="The first report has not finished yet" />
    </>
  );
}

/** Errors and passing pages over time. The list of reports has the numbers. */
function Trend({ runs }: { readonly runs: readonly Run[] }) {
  const shown = runs.toReversed();
  return (
    <Section title="Trend">
      <LineChart
        title={`Errors and passing pages in the last ${runs.length} reports. The table of reports contains the numbers`}
        labels={shown.map(({ finished_at: time }) => dayOf(time))}
        series={[
          { key: 'errors', name: 'Errors', values: shown.map(({ errors }) => errors) },
          { key: 'passed', name: 'Pages passing', values: shown.map(({ passed }) => passed) },
        ]}
      />
    </Section>
  );
}

const VIEWS = [
  { value: undefined, title: 'Since the previous report' },
  { value: 'first', title: 'Since the first report' },
];

/** What was fixed and what is new since the previous report, or since a day that the reader chooses. */
function Changes({ site }: { readonly site: string }) {
  const { search, set } = useSearchState('/latest/$secret', '/latest/$secret/$site');
  const since = search.since ?? 'previous';
  const comparison = useQuery(siteComparisonQuery(site, { since }));
  const day = since === 'previous' || since === 'first' ? '' : since;
  return (
    <Section title="What was fixed">
      <div className={styles.period}>
        <ViewLinks label="Period" name="since" views={VIEWS} current={search.since} />
        <search>
          <DayFilter label="Since" value={day} onChange={(value) => set({ since: value })} />
        </search>
      </div>
      <QueryView query={comparison} rows={3}>
        {(data) => (
          <>
            <p>
              <EndsOfPeriod of={data} />
            </p>
            <ComparisonView of={data} heading="h3" />
          </>
        )}
      </QueryView>
    </Section>
  );
}

/** All full reports. The newest one is the page itself. */
function Earlier({ secret, site: { id, runs } }: { readonly secret: string; readonly site: Site }) {
  if (runs.length === 1) return null;
  return (
    <div className={styles.parts}>
      <Section title="Reports">
        <DataTable
          caption="Reports"
          columns={columnsOf(`/latest/${secret}/${id}`)}
          rows={runs}
          keyOf={({ report_id: report }) => report}
        />
      </Section>
    </div>
  );
}

function columnsOf(base: string): readonly Column<Run>[] {
  return [
    {
      key: 'when',
      title: 'Report',
      isMain: true,
      cell: ({ report_id: report, finished_at: time }, index) => (
        <>
          <Link to={`${base}/${report}`}>
            <time dateTime={`${time}Z`}>{dateTime(time)}</time>
          </Link>
          {index === 0 ? <span className="soft small"> newest</span> : null}
        </>
      ),
    },
    { key: 'errors', title: 'Errors', cell: (run) => <RunErrors run={run} words /> },
    {
      key: 'passing',
      title: 'Pages passing',
      isNumber: true,
      cell: (run) => <RunPassing run={run} />,
    },
  ];
}
