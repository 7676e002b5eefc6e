import { Link } from '@tanstack/react-router';
import { settingLabel } from 'sitewarden-client/setting-changes';
import type { Item } from '../../api/client.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { dateTime, timeOf } from '../../lib/formats.ts';
import { ChangeCounts } from '../../parts/change-counts.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Section } from '../../parts/section.tsx';
import { RunErrors, RunPassing } from '../../report/run-counts.tsx';
import { RunState } from '../../report/run-state.tsx';
import styles from './screen.module.css';

type Site = Item<'site'>;
type Run = Site['runs'][number];

const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The last runs of a site, as a chart and as a table. */
export function Runs({ site }: { readonly site: Site }) {
  const { runs, related } = site;
  const shown = runs.toReversed();
  if (runs.length === 0) return <EmptyState title="The first run is still in progress" />;
  const valuesOf = (read: (run: Run) => number) =>
    shown.map((run) => (run.status === 'failed' || run.stopped ? null : read(run)));
  return (
    <>
      <Section title="Trend">
        {runs.length === 1 ? (
          <p>The trend appears after the second run.</p>
        ) : (
          <LineChart
            title={`Errors in the last ${runs.length} runs. The table below contains the numbers`}
            labels={shown.map(({ finished_at: time }) => DAYS.format(timeOf(time)))}
            marked={{
              at: shown.flatMap((run, index) => (changedIn(run).length > 0 ? index : [])),
              meaning: 'Settings changed',
            }}
            series={[
              { key: 'errors', name: 'Errors', values: valuesOf(({ errors }) => errors) },
              { key: 'critical', name: 'Critical errors', values: valuesOf(({ critical }) => critical) },
            ]}
          />
        )}
      </Section>
      <Section title="Last runs">
        <DataTable caption="Last runs" columns={columnsOf(site)} rows={runs} keyOf={({ report_id: id }) => id} />
        {related.reports === undefined ? null : (
          <p>
            <Link to="/reports" search={{ site: site.id }}>
              All reports of this site
            </Link>
          </p>
        )}
      </Section>
    </>
  );
}

/** The settings in which a run differs from the run before. */
function changedIn({ changed_settings: changed = [] }: Run): readonly string[] {
  return changed;
}

/** The changes of a run. Empty for the first one. */
function RunChange({ run, site: { runs, change: lastChange } }: { readonly run: Run; readonly site: Site }) {
  const change = run.change ?? (run === runs[0] ? lastChange : null);
  if (run.status === 'failed' || (change === null && run === runs.at(-1))) return null;
  return (
    <Link to={`/reports/${run.report_id}/changes`} className={styles.quiet}>
      {change === null ? 'changes' : <ChangeCounts change={change} />}
    </Link>
  );
}

function columnsOf(site: Site): readonly Column<Run>[] {
  return [
    {
      key: 'when',
      title: 'Run',
      isMain: true,
      cell: (run) => (
        <>
          <Link to={`/reports/${run.report_id}`}>
            <time dateTime={`${run.finished_at}Z`}>{dateTime(run.finished_at)}</time>
          </Link>
          {changedIn(run).length === 0 ? null : (
            <span className="soft small"> Settings changed: {changedIn(run).map(settingLabel).join(', ')}</span>
          )}
        </>
      ),
    },
    { key: 'state', title: 'Status', cell: (run) => <RunState run={run} /> },
    {
      key: 'change',
      title: 'Change',
      cell: (run) => <RunChange run={run} site={site} />,
    },
    {
      key: 'errors',
      title: 'Errors',
      cell: (run) => (run.status === 'failed' ? null : <RunErrors run={run} />),
    },
    {
      key: 'critical',
      title: 'Critical',
      cell: (run) => (run.status === 'failed' ? null : <RunErrors run={run} of="critical" />),
    },
    {
      key: 'passing',
      title: 'Pages passing',
      isNumber: true,
      cell: (run) => <RunPassing run={run} isStopped={run.stopped} />,
    },
  ];
}
