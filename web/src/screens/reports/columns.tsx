import { Link } from '@tanstack/react-router';
import { IMPACTS } from 'sitewarden-client/values';
import { type Item, siteIdOf } from '../../api/client.ts';
import { ago, count, dateTime, percent, shortUrl } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { ChangeCounts } from '../../parts/change-counts.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { SeverityCount, SeverityGlyph } from '../../parts/severity.tsx';
import { Tags } from '../../parts/tags.tsx';
import { ChecksProgress } from '../../report/report-head.tsx';
import { endOf, RunState } from '../../report/run-state.tsx';
import { reportName } from '../../report/site-state.ts';
import styles from './columns.module.css';

type Report = Item<'report'>;

/** Returns the columns of the list of reports. */
export function reportColumns({
  differences,
  onRunAgain,
}: {
  /** The differences between sites with the same starting URL, by id. */
  readonly differences: ReadonlyMap<string, string>;
  readonly onRunAgain: (report: string) => void;
}): readonly Column<Report>[] {
  return [
    {
      key: 'site',
      title: 'Site, tags',
      sort: 'url',
      isMain: true,
      cell: (report) => (
        <>
          <Link to={`/reports/${report.id}`}>{reportName(report)}</Link>{' '}
          {report.site_name ? <span className="soft small">{shortUrl(report.starting_url)} </span> : null}
          <span className="soft small">{differences.get(siteIdOf(report) ?? '')}</span>
          <Tags tags={report.tags} />
          {report.shared ? <span className={styles.shared}>shared</span> : null}
        </>
      ),
    },
    {
      key: 'state',
      title: 'Status',
      cell: (report) => <State report={report} onRunAgain={onRunAgain} />,
    },
    {
      key: 'pages',
      title: 'Pages',
      sort: 'num_web_pages',
      isNumber: true,
      cell: (report) => <Pages report={report} />,
    },
    { key: 'passing', title: 'Passing', cell: (report) => <Passing report={report} /> },
    { key: 'html', title: 'HTML', sort: 'html_errors', cell: (report) => <Counts kind="html" report={report} /> },
    { key: 'a11y', title: 'Accessibility', sort: 'a11y_errors', cell: (report) => <A11yCounts report={report} /> },
    { key: 'link', title: 'Links', sort: 'link_errors', cell: (report) => <Counts kind="link" report={report} /> },
    {
      key: 'checked',
      title: 'Checked',
      sort: 'last_checked_at',
      isNumber: true,
      cell: (report) => {
        const time = report.last_checked_at ?? report.inserted_at;
        return (
          <time dateTime={`${time}Z`} title={dateTime(time)}>
            {ago(time, new Date())}
          </time>
        );
      },
    },
  ];
}

function State({ report, onRunAgain }: { readonly report: Report; readonly onRunAgain: (report: string) => void }) {
  const { id, status, starting_url: url, change } = report;
  if (status === 'failed') {
    return (
      <span className={styles.failed}>
        <span className={styles.reason}>
          <SeverityGlyph of="failed" /> failed
          {report.crawl_error === null ? null : <span className="soft">: {report.crawl_error}</span>}
        </span>
        <Button aria-label={`Run again: ${shortUrl(url)}`} onClick={() => onRunAgain(id)}>
          Run again
        </Button>
        <Link
          to="/reports/new"
          search={{ from: id }}
          className={buttonClass()}
          aria-label={`Edit and run: ${shortUrl(url)}`}
        >
          Edit and run
        </Link>
      </span>
    );
  }
  if (status === 'finished') {
    return (
      <span className={styles.counts}>
        <span>
          <RunState run={endOf(report)} />
        </span>
        {change == null ? null : (
          <Link to={`/reports/${id}/changes`} className={styles.quiet}>
            <ChangeCounts change={change} />
          </Link>
        )}
      </span>
    );
  }
  if (status === 'checking') return <ChecksProgress report={report} />;
  return (
    <span className="soft">
      <SeverityGlyph of="running" /> {status === 'pending' ? 'waiting' : 'finding pages'}
    </span>
  );
}

function Pages({ report: { status, num_pages: found, max_pages: most } }: { readonly report: Report }) {
  if (status === 'failed') return null;
  if (status !== 'crawling') return count(found);
  return (
    <>
      {count(found)} <span className="soft">of {count(most)} so far</span>
    </>
  );
}

const SHORT = { html: 'HTML', a11y: 'Acc.', link: 'Links' } as const;

/** The number of checked pages that pass each kind of check. */
function Passing({ report: { checks } }: { readonly report: Report }) {
  return (
    <span className={styles.counts}>
      {KIND_NAMES.map((kind) => {
        const check = checks[kind];
        if (check == null || check.status.checked === 0) return null;
        return (
          <span key={kind} className={styles.nowrap}>
            <span className="soft">
              <span aria-hidden="true">{SHORT[kind]}</span>
              <span className="visually-hidden">{KINDS[kind].title}</span>
            </span>{' '}
            {percent(check.pages.passed, check.status.checked)}%
          </span>
        );
      })}
    </span>
  );
}

function Counts({ kind, report: { checks, status } }: { readonly kind: 'html' | 'link'; readonly report: Report }) {
  const check = checks[kind];
  if (status === 'failed') return null;
  if (check == null) return <Off />;
  return (
    <span className={styles.line}>
      <SeverityCount of="error" count={check.issues.errors} />
      <SeverityCount of="warning" count={check.issues.warnings} />
    </span>
  );
}

function A11yCounts({ report: { checks, status } }: { readonly report: Report }) {
  if (status === 'failed') return null;
  if (checks.a11y === null) return <Off />;
  const { errors_by_impact: errors, warnings } = checks.a11y.issues;
  return (
    <span className={styles.line}>
      {IMPACTS.map((impact) => (
        <SeverityCount key={impact} of={impact} count={errors[impact]} />
      ))}
      <SeverityCount of="review" count={warnings} />
    </span>
  );
}

function Off() {
  return (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">not checked</span>
    </span>
  );
}
