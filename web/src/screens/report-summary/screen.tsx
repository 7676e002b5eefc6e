import { useQuery } from '@tanstack/react-query';
import { fixesQuery } from '../../api/queries/reports.ts';
import { useReport } from '../../frame/report-context.tsx';
import { ReportHead } from '../../frame/report-head.tsx';
import { useSiteRuns } from '../../frame/use-site-runs.ts';
import { plural } from '../../lib/formats.ts';
import { KIND_NAMES } from '../../lib/kinds.ts';
import { SeverityLabel } from '../../parts/severity.tsx';
import { ReportActions } from './actions.tsx';
import { CheckSummary } from './check-summary.tsx';
import { Failure } from './failure.tsx';
import { FixFirst } from './fix-first.tsx';
import { coverageQuery, NotChecked } from './not-checked.tsx';
import { Running } from './running.tsx';
import styles from './screen.module.css';
import { SinceCard, sinceQuery } from './since-card.tsx';
import { WhereIsMyPage } from './where-is-my-page.tsx';

/** What a report says at a glance: what passes, what changed, what to fix first, and what it does not cover. */
export function ReportSummaryScreen() {
  const { report, isShared } = useReport();
  const hasEnded = report.status === 'finished';
  const ready = useReadyParts();
  return (
    <>
      <ReportHead actions={<ReportActions />} />
      <Failure />
      <Running />
      <Verdict />
      {report.status === 'failed' ? null : (
        <div className={styles.cards}>
          {KIND_NAMES.map((kind) => {
            const check = report.checks[kind];
            return check == null ? null : <CheckSummary key={kind} kind={kind} check={check} />;
          })}
          {hasEnded && !isShared ? <SinceCard /> : null}
        </div>
      )}
      {hasEnded && ready.cards ? <FixFirst /> : null}
      {ready.cards && ready.fixes ? (
        <div className={styles.cards}>
          <NotChecked />
          {isShared ? null : <WhereIsMyPage />}
        </div>
      ) : null}
    </>
  );
}

/** Which parts have loaded. What is below a part waits for it, since it would jump when the part gets its height. */
function useReadyParts(): { readonly cards: boolean; readonly fixes: boolean } {
  const { report, isShared } = useReport();
  const hasEnded = report.status === 'finished';
  const since = useQuery({ ...sinceQuery(report.id), enabled: hasEnded && !isShared });
  const fixes = useQuery({ ...fixesQuery(report.id), enabled: hasEnded });
  const coverage = useQuery(coverageQuery(report.id));
  const { isLoading } = useSiteRuns();
  return { cards: !since.isLoading && !isLoading, fixes: !fixes.isLoading && !coverage.isLoading };
}

/** Whether a run of a schedule passed by what the schedule says. */
function Verdict() {
  const { verdict } = useReport().report;
  if (verdict === null) return null;
  return (
    <p className={styles.verdict}>
      <SeverityLabel of={verdict.passed ? 'passed' : 'failed'} words={false} />{' '}
      {verdict.passed
        ? 'Its schedule counts this run as passed.'
        : `Its schedule counts this run as failed: ${plural(verdict.how_many, 'issue or unchecked page', 'issues or unchecked pages')} of ${verdict.fail_on.join(', ')}.`}
    </p>
  );
}
