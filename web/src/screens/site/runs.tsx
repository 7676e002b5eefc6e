import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Item } from '../../api/client.ts';
import { dateTime } from '../../lib/formats.ts';
import { marksOf } from '../../lib/run-marks.ts';
import { ChangeCounts } from '../../parts/change-counts.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { RunAverage, RunErrors, RunPassing } from '../../report/run-counts.tsx';
import { RunState } from '../../report/run-state.tsx';
import { History } from './history.tsx';
import styles from './screen.module.css';

type Site = Item<'site'>;
type Run = Site['runs'][number];

/** The last runs of a site, as a chart and as a table. While the first one is in progress, both reserve their space. */
export function Runs({ site, running }: { readonly site: Site; readonly running: ReactNode }) {
  const { runs, related } = site;
  return (
    <>
      <History runs={runs} />
      <Section title="Last runs">
        {runs.length === 0 ? (
          <DataTable caption="Last runs" columns={FIRST_RUN} rows={[running]} keyOf={() => 'first'} />
        ) : (
          <DataTable caption="Last runs" columns={columnsOf(site)} rows={runs} keyOf={({ report_id: id }) => id} />
        )}
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

/** The first run, as tall as its row will be. */
const FIRST_RUN: readonly Column<ReactNode>[] = [
  { key: 'when', title: 'Run', isMain: true, cell: () => 'In progress' },
  { key: 'state', title: 'Status', cell: (running) => <span className={styles.row}>{running}</span> },
];

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
          <Link to={`/reports/${run.report_id}`} className={styles.nowrap}>
            <time dateTime={`${run.finished_at}Z`}>{dateTime(run.finished_at)}</time>
          </Link>{' '}
          <span className="soft small">
            {marksOf(run)
              .map(({ words }) => words)
              .join(' · ')}
          </span>
        </>
      ),
    },
    {
      key: 'state',
      title: 'Status',
      cell: (run) => (
        <span className={styles.nowrap}>
          <RunState run={run} />
        </span>
      ),
    },
    {
      key: 'change',
      title: 'Change',
      cell: (run) => <RunChange run={run} site={site} />,
    },
    {
      key: 'average',
      title: 'Errors per page',
      isNumber: true,
      cell: (run) => <RunAverage run={run} />,
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
