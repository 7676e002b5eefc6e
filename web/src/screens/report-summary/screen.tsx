import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { discoveredUrlsQuery } from '../../api/queries/discovered-urls.ts';
import { fixesQuery } from '../../api/queries/reports.ts';
import { plural } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { NOT_CHECKED, OUTCOME_WORDS } from '../../lib/outcomes.ts';
import { size } from '../../lib/sizes.ts';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import { useSiteRuns } from '../../report/use-site-runs.ts';
import { Verdict } from '../../report/verdict.tsx';
import { ReportActions } from './actions.tsx';
import { CheckSummary } from './check-summary.tsx';
import { Failure } from './failure.tsx';
import { FixFirst } from './fix-first.tsx';
import { Running } from './running.tsx';
import styles from './screen.module.css';
import { SinceCard, sinceQuery } from './since-card.tsx';
import { WhereIsMyPage } from './where-is-my-page.tsx';

/** The summary of a report: how many pages pass, what changed, what to fix first, and what it does not cover. */
export function ReportSummaryScreen() {
  const { report, isShared } = useReport();
  const hasEnded = report.status === 'finished';
  const ready = useReadyParts();
  return (
    <>
      <ReportHead actions={<ReportActions />} />
      <Failure />
      <Running key={report.id} />
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
      {(hasEnded || report.status === 'failed') && ready.cards && ready.fixes ? (
        <div className={styles.cards}>
          <NotChecked />
          {isShared ? null : <WhereIsMyPage />}
        </div>
      ) : null}
    </>
  );
}

/** How long lower parts wait for the plan of a report that has ended. */
const planWaitMs = 60_000;

/** The parts that have loaded. Lower parts wait for upper ones, to avoid layout shifts. */
function useReadyParts(): { readonly cards: boolean; readonly fixes: boolean } {
  const { report, isShared } = useReport();
  const hasEnded = report.status === 'finished';
  const since = useQuery({ ...sinceQuery(report.id), enabled: hasEnded && !isShared });
  const fixes = useQuery({ ...fixesQuery(report.id), enabled: hasEnded });
  const coverage = useQuery(coverageQuery(report.id));
  const { isLoading } = useSiteRuns();
  const isPlanned = fixes.data?.isCurrent !== false || fixes.data.items.length > 0;
  const isLate = fixes.dataUpdatedAt - Date.parse(report.finished_at ?? '') > planWaitMs;
  const hasPlan = !fixes.isLoading && (isPlanned || isLate);
  return { cards: !since.isLoading && !isLoading, fixes: hasPlan && !coverage.isLoading };
}

/** The number of URLs per outcome. */
function coverageQuery(report: string) {
  return discoveredUrlsQuery(report, { 'page[size]': 1 });
}

/** The pages that the report does not cover, and why. */
function NotChecked() {
  const { report, base, isShared } = useReport();
  const urls = useQuery(coverageQuery(report.id));
  const outcomes = urls.data?.meta.outcomes;
  if (outcomes === undefined) return null;
  const left = NOT_CHECKED.filter((outcome) => outcomes[outcome] > 0);
  const failed = KIND_NAMES.filter((kind) => (report.checks[kind]?.status.failed ?? 0) > outcomes.failed);
  // The report says why.
  if (report.status === 'failed' && left.length + failed.length === 0) return null;
  return (
    <section className={styles.coverage} aria-labelledby="not-checked">
      <h2 id="not-checked">Not checked</h2>
      {left.length + failed.length === 0 ? (
        <p className="soft small">All discovered pages were checked.</p>
      ) : (
        <ul className={styles.lines}>
          {left.map((outcome) => (
            <li key={outcome}>
              <Link to={`${base}/urls`} search={{ outcome }}>
                {plural(outcomes[outcome], 'URL')}
              </Link>{' '}
              {OUTCOME_WORDS[outcome]}
            </li>
          ))}
          {failed.map((kind) => (
            <li key={kind}>
              <Link to={`${base}/pages`} search={{ [kind]: 'failed' }}>
                {plural(report.checks[kind]?.status.failed ?? 0, 'page')}
              </Link>{' '}
              whose {kind === 'html' ? 'HTML' : KINDS[kind].title.toLowerCase()} could not be checked
            </li>
          ))}
        </ul>
      )}
      <p className="soft small">
        <Link to={`${base}/urls`}>{plural(urls.data?.total ?? 0, 'URL')} found</Link>
      </p>
      {isShared || report.size == null ? null : <Size size={report.size} />}
    </section>
  );
}

/** What the report takes up in the database. */
function Size({ size: { results, documents, screenshots } }: { readonly size: NonNullable<Item<'report'>['size']> }) {
  return (
    <p className="soft small">
      Takes up {size(results + documents + screenshots)} in the database: {size(results)} of results, {size(documents)}{' '}
      of new documents and {size(screenshots)} of screenshots.{' '}
      <Link to="/account/retention">Which reports are kept</Link>
    </p>
  );
}
