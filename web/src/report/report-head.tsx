import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { dateTime, duration, plural, shortUrl } from '../lib/formats.ts';
import { KIND_NAMES, KINDS, kindsOf } from '../lib/kinds.ts';
import { useOpenPath } from '../live/use-route.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Progress } from '../parts/progress.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { MeasuredBy } from './measured-by.tsx';
import { type OpenReport, useReport } from './report-context.tsx';
import { endOf, RunState } from './run-state.tsx';
import { reportName } from './site-state.ts';
import { useMayDecide } from './use-decisions.ts';

const inclusionsShownMax = 3;

/** The head of all screens of a report: its title, its progress, and tabs. */
export function ReportHead({ actions }: { readonly actions?: ReactNode }) {
  const open = useReport();
  const current = useOpenPath();
  const mayDecide = useMayDecide();
  return (
    <>
      <PageHead title={open.sharedSite?.name ?? reportName(open.report)} back={backOf(open)} actions={actions}>
        <SiteOf open={open} />
        <ReportState open={open} />
        <MeasuredBy />
        {open.report.inclusions.length === 0 ? null : <Inclusions texts={open.report.inclusions} />}
      </PageHead>
      <Tabs label="Report sections" tabs={tabsOf(open, mayDecide)} current={current} />
    </>
  );
}

/** The address of a site that has a name, as a link to the site. */
function SiteOf({ open: { report } }: { readonly open: OpenReport }) {
  const { site } = report.related;
  if (!report.site_name || site === undefined) return null;
  return (
    <>
      <Link to={`/sites/${site.split('/').at(-1)}`}>{shortUrl(report.starting_url)}</Link>{' '}
    </>
  );
}

function backOf({ isShared, sharedSite }: OpenReport): ReactNode {
  if (!isShared) return <Link to="/reports">‹ Reports</Link>;
  return sharedSite?.back == null ? undefined : <Link to={sharedSite.back.to}>‹ {sharedSite.back.title}</Link>;
}

/** Which part of the site the report covers. */
function Inclusions({ texts }: { readonly texts: readonly string[] }) {
  const more = texts.length - inclusionsShownMax;
  return (
    <div>
      Only{' '}
      {texts.slice(0, inclusionsShownMax).map((text, index) => (
        <Fragment key={text}>
          {index === 0 ? null : ', '}
          <code>{text}</code>
        </Fragment>
      ))}
      {more > 0 ? ` and ${more} more` : null}
    </div>
  );
}

function tabsOf({ report, base, isShared, sharedSite }: OpenReport, mayDecide: boolean) {
  const kinds = kindsOf(report).map((kind) => ({
    to: `${base}/${KINDS[kind].path}`,
    title: KINDS[kind].title,
  }));
  return [
    { to: sharedSite?.summary ?? base, title: 'Summary' },
    ...(isShared ? [] : [{ to: `${base}/changes`, title: 'Changes' }]),
    { to: `${base}/pages`, title: 'Pages', count: new Intl.NumberFormat('en').format(report.num_pages) },
    ...kinds,
    ...(mayDecide && kinds.length > 0 ? [{ to: `${base}/review`, title: 'Review' }] : []),
    ...(isShared
      ? []
      : [
          { to: `${base}/mutings`, title: 'Mutings' },
          { to: `${base}/urls`, title: 'URLs' },
        ]),
  ];
}

/** The progress of a report, or how it ended. */
export function ReportState({ open: { report } }: { readonly open: Pick<OpenReport, 'report'> }) {
  const { status, finished_at: finishedAt, inserted_at: insertedAt, last_checked_at: lastCheckedAt } = report;
  if (status === 'pending') return <span>Waiting to start</span>;
  if (status === 'crawling') return <span>Finding pages: {plural(report.num_pages, 'page')} so far</span>;
  if (status === 'checking') return <ChecksProgress report={report} />;
  return (
    <span>
      {status === 'failed' ? null : `${plural(report.num_pages, 'page')}, `}
      <RunState run={endOf(report)} />{' '}
      {finishedAt === null ? null : (
        <>
          {dateTime(finishedAt)} in {duration(insertedAt, finishedAt)}
          {lastCheckedAt !== null && lastCheckedAt > finishedAt ? `, last re-check ${dateTime(lastCheckedAt)}` : ''}
        </>
      )}
    </span>
  );
}

/** The number of finished checks of a running report. */
export function ChecksProgress({ report }: { readonly report: OpenReport['report'] }) {
  const checks = KIND_NAMES.map((kind) => report.checks[kind]).filter((check) => check != null);
  const pending = checks.reduce((sum, { status }) => sum + status.pending, 0);
  const done = checks.reduce((sum, { status }) => sum + status.checked + status.failed, 0);
  return <Progress label="Checks done" done={done} whole={done + pending} />;
}
